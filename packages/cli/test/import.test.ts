import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, databaseUrl, dropDatabase } from '../../server/scripts/private-services.ts'
import { eventually } from '../../server/test/support/programs.ts'
import { proveImport } from '../proofs/litellm-import/proof.ts'
import { Client } from '../src/api/client.ts'
import { carryRuns } from '../src/litellm/carry-runs.ts'
import { nanosOf, spentNanos } from '../src/litellm/nanos.ts'
import { periodOf } from '../src/litellm/periods.ts'
import type { SpendLog } from '../src/litellm/source.ts'
import { useDesk } from './support/weir.ts'

const desk = useDesk()
const name = `litellm_test_${randomBytes(6).toString('hex')}`
let weir: pg.Client
beforeAll(async () => {
  await createDatabase(name, { fresh: true })
  weir = new pg.Client({ connectionString: desk.server.database.ownerUrl })
  await weir.connect()
})
afterAll(async () => {
  await weir.end()
  await dropDatabase(name)
})

test('an import that is killed again and again leaves every sum of LiteLLM, and a second one changes nothing, whether it reads the API of LiteLLM or its database', async () => {
  const { tenant, server, env } = desk
  const target = {
    url: server.url,
    orgId: tenant.id,
    ownerKey: tenant.key,
    ownerKeyId: tenant.keyId,
    database: weir,
    env,
  }
  const report = await proveImport(
    target,
    databaseUrl(name),
    { keys: 30, teams: 5, logs: 400 },
    { source: 'api', kills: 2, random: () => 0.5 },
  )
  expect(report.faults).toEqual([])
  expect(report.compared).toBeGreaterThan(80)
  expect(report.limits).toBeGreaterThan(25)
})

test('a request that a rate limit sends away comes again as often as it is told, and gives up at last', async () => {
  let [asked, refusals] = [0, 10]
  const server = createServer((_request, response) => {
    const isRefused = asked++ < refusals
    response.writeHead(isRefused ? 429 : 200, { 'content-type': 'application/json', 'retry-after': '0.01' })
    response.end(JSON.stringify(isRefused ? { error: { code: 'rate_limited', message: 'Too many.' } } : { ok: true }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    expect(await new Client({ url }).patient(60_000).get('/v1/me')).toEqual({ ok: true })
    expect(asked).toBe(11)
    ;[asked, refusals] = [0, 1_000]
    await expect(new Client({ url }).patient(100).get('/v1/me')).rejects.toThrow('Too many')
    expect(asked).toBeLessThan(20)
  } finally {
    server.close().closeAllConnections()
  }
})

test('an import of which one batch fails does not end as if it had been recorded', async () => {
  let batches = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      batches += 1
      const isFault = batches === 1
      response.writeHead(isFault ? 403 : 200, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify(
          isFault ? { error: { code: 'forbidden', message: 'Not this one.' } } : { accepted: 1_000, duplicates: 0 },
        ),
      )
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const log = (i: number): SpendLog => ({
    request_id: `call-${i}`,
    api_key: '',
    spend: '0.1',
    prompt_tokens: 1,
    completion_tokens: 1,
    started: '2026-01-01T00:00:00Z',
    ended: '2026-01-01T00:00:01Z',
    model: 'gpt-4o',
    model_group: '',
    custom_llm_provider: '',
    user: '',
    end_user: '',
    team_id: '',
    organization_id: '',
    request_tags: [],
    status: 'success',
  })
  async function* logs() {
    yield Array.from({ length: 1_000 }, (_, i) => log(i))
    // The answer has come, and nobody waits for it, before the next page is read.
    await eventually(() => batches > 0)
    await pause(100)
    yield Array.from({ length: 10 }, (_, i) => log(1_000 + i))
  }
  try {
    const carried = carryRuns({
      source: {
        logs,
        close: async () => undefined,
        count: async () => 1_010,
        state: () => Promise.reject(new Error('not asked')),
      },
      client: new Client({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
      since: new Date(0),
      until: undefined,
      keyIds: new Map(),
      isChosen: () => true,
      onLog: () => undefined,
      onProgress: () => undefined,
    })
    await expect(carried).rejects.toThrow('Not this one')
  } finally {
    server.close().closeAllConnections()
  }
})

describe('money', () => {
  test.each([
    [0.1, 100_000_000n],
    [0.1 + 0.2, 300_000_001n],
    [1e-7, 100n],
    [1.5e-10, 1n],
    [0, 0n],
    [5e-324, 1n],
    [123_456.789, 123_456_789_000_000n],
    [1e21, 10n ** 30n],
    ['0.00012345', 123_450n],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [null, undefined],
  ])('of $%s is never lowered: %s nano-dollars', (amount, nanos) => {
    expect(nanosOf(amount)).toBe(nanos)
  })

  test('less than nothing was not spent', () => {
    expect([spentNanos(-0.5), spentNanos('-1e-12')]).toEqual([0n, 0n])
  })
})

test.each([
  ['30d', 'month', undefined],
  ['monthly', 'month', undefined],
  ['1mo', 'month', undefined],
  ['7d', 'week', undefined],
  ['24h', 'day', undefined],
  ['12h', 'day', 'is for 12h in LiteLLM and for a day in Weir'],
  ['14d', 'month', 'is for 14d in LiteLLM and for a month in Weir'],
  ['90d', 'quarter', 'is for 90d in LiteLLM and for a quarter in Weir'],
  [undefined, 'year', 'is for ever in LiteLLM and for a year in Weir'],
])('a budget for %s is one for a %s: stricter where it differs', (duration, period, difference) => {
  expect(periodOf(duration)).toEqual({ period, difference })
})
