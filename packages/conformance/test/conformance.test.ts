import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { useDatabase } from '../../server/test/support/harness.ts'
import { startInstallation } from '../../server/test/support/installation.ts'
import { startRole } from '../../server/test/support/processes.ts'
import { call } from '../../server/test/support/tenants.ts'
import { clauses } from '../src/clauses.ts'
import { type Result, runClauses } from '../src/run.ts'
import { type Alteration, startAlteringProxy } from './altering-proxy.ts'
import { plants } from './deviations.ts'

const database = useDatabase()
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

let url: string
let operatorKey: string

beforeAll(async () => {
  const installation = await startInstallation(database, 1, {
    SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32',
    SVC_WEBHOOK_ALLOWED_PORTS: '1-65535',
    // Reads take longer on a busy machine.
    SVC_EXPENSIVE_READ_BURST_MS: '120000',
  })
  startRole('worker', installation.environment)
  url = installation.apis[0]!.url
  operatorKey = installation.operator
})

/** The program as its user runs it. */
async function run(...parameters: string[]) {
  const child = spawn(process.execPath, [main, ...parameters], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { out, err, code: code as number | null }
}

/** Checks clauses through a proxy. */
async function runBehind(alter: Alteration, only: Set<number>): Promise<Result[]> {
  const proxy = await startAlteringProxy(url, alter)
  try {
    return await runClauses({ url: proxy.url, operatorKey }, only)
  } finally {
    proxy.close()
  }
}

describe('against the real server', () => {
  test('every clause holds that can be seen and is served, and the program leaves nothing open', async () => {
    const { out, err, code } = await run('--url', url, '--operator-key', operatorKey, '--json')
    expect(err).toBe('')
    const report = JSON.parse(out) as { counts: Record<string, number>; clauses: Result[] }
    expect(report.clauses.filter(({ verdict }) => verdict === 'fails')).toEqual([])
    const numbers = (verdict: Result['verdict']) =>
      report.clauses.filter((result) => result.verdict === verdict).map(({ clause }) => clause)
    const shownBy = (by: string) => clauses.filter(({ shown }) => shown.by === by).map(({ number }) => number)
    // Whether one request meets another under way is chance.
    expect(numbers('unseen').filter((number) => number !== 103)).toEqual(shownBy('tests'))
    expect(numbers('not served')).toEqual(shownBy('nothing yet'))
    expect(code).toBe(0)

    const list = async (path: string) =>
      (await call(url, 'GET', path, { key: operatorKey })).json['data'] as { name?: string; status: string }[]
    const orgs = await list('/v1/admin/orgs?limit=200')
    const own = orgs.filter(({ name }) => name!.startsWith('Conformance'))
    expect(own.length).toBeGreaterThan(20)
    expect(own.filter(({ status }) => status !== 'suspended')).toEqual([])
    expect((await list('/v1/admin/support-grants')).filter(({ status }) => status === 'active')).toEqual([])
    expect((await list('/v1/admin/benchmarks/cohorts')).filter(({ status }) => status !== 'closed')).toEqual([])
  })

  test('a line says what holds, what cannot be seen and which test shows it', async () => {
    const { out, code } = await run('--url', url, '--operator-key', operatorKey, '--only', '22,83')
    expect(out).toMatch(/^ 22 holds {6}`GET \/v1\/meta\/deprecations` answers a bare JSON array\.$/m)
    expect(out).toMatch(/^ 83 unseen /m)
    expect(out).toContain('packages/server/test/access/idempotency.test.ts: inside its transaction is taken over')
    expect(out).toContain('2 clauses: 1 hold, 0 fail, 1 cannot be seen from here')
    expect(code).toBe(0)
  })

  test.each([
    ['no address', ['--operator-key', 'weir_x'], '--url is missing'],
    ['no key', ['--url', 'http://127.0.0.1:1'], '--operator-key is missing'],
    ['nobody there', ['--url', 'http://127.0.0.1:1', '--operator-key', 'weir_x'], 'cannot be asked'],
    ['an option that is not there', ['--hurry'], 'Unknown option'],
    [
      'a clause that is not there',
      ['--url', 'http://127.0.0.1:1', '--operator-key', 'x', '--only', '164'],
      'names no clause',
    ],
  ])('%s: exit code 2, and what is wrong', async (_name, parameters, fault) => {
    const { err, code } = await run(...parameters)
    expect(err).toContain(fault)
    expect(code).toBe(2)
  })
})

describe('a server that deviates', () => {
  test('behind a proxy that changes nothing, all clauses hold that are used below', async () => {
    const results = await runBehind(() => undefined, new Set(plants.map(({ clause }) => clause)))
    expect(results.filter(({ verdict }) => verdict !== 'holds')).toEqual([])
  })

  test.concurrent.each(plants.map((plant) => [plant.fault, plant] as const))(
    '%s is found',
    async (_fault, { clause, alter }) => {
      const [result] = await runBehind(alter, new Set([clause]))
      expect(result).toMatchObject({ clause, verdict: 'fails' })
      expect(result!.note).not.toContain('could not be made')
    },
  )

  test('makes the exit code 1, and is told with what was seen', async () => {
    const { alter, clause } = plants.find(({ fault }) => fault === 'money as numbers')!
    const proxy = await startAlteringProxy(url, alter)
    const { out, code } = await run('--url', proxy.url, '--operator-key', operatorKey, '--only', String(clause))
    proxy.close()
    expect(out).toContain('cap_usd of spend_cap_exceeded is 0.25, no decimal string')
    expect(code).toBe(1)
  })
})
