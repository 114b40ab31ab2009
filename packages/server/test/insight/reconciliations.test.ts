import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { RunRecord } from '../../src/records/run-log/run-log.ts'
import { requireId } from '../../src/values/id.ts'
import { formatUsd, parseUsd } from '../../src/values/money.ts'
import { useServer } from '../support/harness.ts'
import { faultsOf } from '../support/limits.ts'
import { useSuperuser } from '../support/money.ts'
import {
  anthropicCostReport,
  anthropicCostsCsv,
  anthropicUsageCsv,
  anthropicUsageReport,
  type Biller,
  type Books,
  type Call,
  cellOf,
  costOf,
  dayMs,
  models,
  monthOf,
  openaiCosts,
  openaiCostsCsv,
  openaiUsage,
  runOf,
} from '../support/provider-books.ts'
import { firstSeed, Random } from '../support/random.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'
import { leastTurnMs } from '../support/turns.ts'
import { insertUsage } from '../support/usage.ts'

const server = useServer()
const owner = useSuperuser(server.database)
const seed = firstSeed()
console.info(`seed ${seed}`)
const random = new Random(seed)
const days = 30
const fromMs = Math.floor(Date.now() / dayMs) * dayMs - 40 * dayMs
const dateAt = (day: number) => new Date(fromMs + day * dayMs).toISOString().slice(0, 10)

let operator: string
beforeAll(async () => {
  operator = (await operatorOf(server)).key
})
const newTenant = () => tenantOf(server, operator, 'Acme')
const book = (tenant: Tenant, runs: readonly RunRecord[]) =>
  insertUsage(owner.client, requireId('org', tenant.id), runs, random)
const reconcile = (tenant: Tenant, texts: readonly string[], options: object = {}, key = tenant.key) =>
  call(server.url, 'POST', `/v1/orgs/${tenant.id}/reconciliations`, {
    key,
    body: { files: texts.map((text, i) => ({ name: `file ${i}`, text })), ...options },
  })
interface Found {
  readonly date: string
  readonly model: string
  readonly reason: string
  readonly difference_usd: string | null
}
const foundIn = (json: Record<string, unknown>) => json['differences'] as Found[]
const booksOf = (calls: readonly Call[]): Books => ({ calls, fees: [], rounded: new Set() })

describe('equal books', () => {
  const months: Readonly<Record<Biller, Call[]>> = {
    openai: monthOf('openai', random, fromMs),
    anthropic: monthOf('anthropic', random, fromMs),
  }
  let tenant: Tenant
  beforeAll(async () => {
    tenant = await newTenant()
    await book(
      tenant,
      [...months.openai, ...months.anthropic].map((one) => runOf(one, random)),
    )
  })
  const { openai, anthropic } = { openai: booksOf(months.openai), anthropic: booksOf(months.anthropic) }

  test.each([
    [
      'OpenAI, costs and usage of its API',
      'openai',
      [openaiCosts(openai, fromMs, days), openaiUsage(openai, fromMs, days)],
    ],
    [
      'OpenAI, pages of its costs',
      'openai',
      [`[${openaiCosts(openai, fromMs, 10)},${openaiCosts(openai, fromMs + 10 * dayMs, 20)}]`],
    ],
    ['OpenAI, a table of costs', 'openai', [openaiCostsCsv(openai)]],
    ['OpenAI, usage alone', 'openai', [openaiUsage(openai, fromMs, days)]],
    [
      'Anthropic, both reports of its API',
      'anthropic',
      [anthropicCostReport(anthropic, fromMs, days), anthropicUsageReport(anthropic, fromMs, days)],
    ],
    ['Anthropic, both tables', 'anthropic', [anthropicCostsCsv(anthropic), anthropicUsageCsv(anthropic)]],
  ] as const)('have no difference, to the nano-dollar and token: %s', async (_name, biller, texts) => {
    const { status, json } = await reconcile(tenant, texts, { tolerance_usd: '0' })
    expect(json['differences']).toEqual([])
    const total = formatUsd(months[biller].reduce((sum, one) => sum + costOf(one), 0n))
    const hasAmounts = json['has_amounts'] === true
    expect([status, json['provider'], json['booked_usd'], json['billed_usd']]).toEqual([
      201,
      biller,
      total,
      hasAmounts ? total : null,
    ])
    expect([json['compared'], json['equal'], json['from'], json['to']]).toEqual([90, 90, dateAt(0), dateAt(days)])
  })
})

describe('planted differences', () => {
  /** Calls by what becomes of them; each planted fault has a day of its own. */
  const calls = monthOf('openai', random, fromMs)
  const [gpt, mini, o3] = models.openai.map(({ model }) => model) as [string, string, string]
  const at = (day: number, model: string) => (one: { readonly atMs: number; readonly model: string }) =>
    cellOf(one.atMs, one.model) === cellOf(fromMs + day * dayMs, model)

  const onlyBilled = at(1, gpt)
  const onlyBooked = at(2, mini)
  const free = at(3, o3)
  const dear = at(4, gpt)
  const untold = at(5, mini)
  const uncached = at(6, gpt)
  const batched = at(7, o3)
  const late = at(8, gpt)
  const doubled = at(12, mini)
  const guessed = at(13, o3)

  /** What Weir has of a call. */
  const runsOf = (one: Call): RunRecord[] => {
    if (onlyBilled(one)) return []
    const run = runOf(one, random)
    if (free(one)) return [{ ...run, costNano: 0n }]
    if (dear(one)) return [{ ...run, costNano: (run.costNano * 6n) / 5n }]
    if (untold(one))
      return [{ ...run, usage: { ...run.usage, output_tokens: 0 }, costNano: run.costNano - one.output * 2_000n }]
    if (uncached(one))
      return [
        {
          ...run,
          usage: { ...run.usage, cache_read_input_tokens: 0 },
          costNano: run.costNano + one.cacheRead * 1_250n,
        },
      ]
    if (late(one)) return [{ ...run, startedAtMs: run.startedAtMs + dayMs }]
    if (doubled(one)) return [run, { ...run, id: random.uuid() }]
    if (guessed(one))
      return [
        { ...run, usage: { ...run.usage, output_tokens: 9_999 }, costNano: run.costNano * 2n, costBasis: 'estimated' },
      ]
    return [run]
  }
  const fee = { atMs: fromMs + 14 * dayMs, item: 'web search tool calls', nano: 25_000_000_000n }
  const books: Books = {
    calls: calls
      .filter((one) => !onlyBooked(one))
      .map((one) => (batched(one) ? { ...one, tier: 'batch' as const } : one)),
    fees: [fee],
    rounded: new Set([cellOf(fromMs + 11 * dayMs, gpt)]),
  }
  const planted = [
    [1, 'gpt-4o', 'missing_here'],
    [2, 'gpt-5-mini', 'missing_there'],
    [3, 'o3', 'unpriced'],
    [4, 'gpt-4o', 'price_differs'],
    [5, 'gpt-5-mini', 'tokens_differ'],
    [6, 'gpt-4o', 'cache_tokens'],
    [7, 'o3', 'tier'],
    [8, 'gpt-4o', 'day_boundary'],
    [9, 'gpt-4o', 'day_boundary'],
    [11, 'gpt-4o', 'rounding'],
    [12, 'gpt-5-mini', 'counted_twice'],
    [13, 'o3', 'estimated'],
    [14, 'web search tool calls', 'other_charge'],
  ] as const

  let tenant: Tenant
  let json: Record<string, unknown>
  beforeAll(async () => {
    tenant = await newTenant()
    await book(tenant, calls.flatMap(runsOf))
    const texts = [openaiCosts(books, fromMs, days), openaiUsage(books, fromMs, days)]
    json = (await reconcile(tenant, texts, { tolerance_usd: '0' })).json
  })

  test('are all found, each with its reason, and nothing else', () => {
    const found = foundIn(json).map(({ date, model, reason }) => `${date} ${model} ${reason}`)
    expect(found.toSorted()).toEqual(
      planted.map(([day, model, reason]) => `${dateAt(day)} ${model} ${reason}`).toSorted(),
    )
    expect(json['equal']).toBe((json['compared'] as number) - planted.length)
  })

  test('come to what they are, by reason and in all', () => {
    const sum = (amounts: readonly (string | null)[]) =>
      formatUsd(amounts.reduce((all, one) => all + parseUsd(one ?? '0'), 0n))
    const difference = json['difference_usd'] as string
    expect(sum(foundIn(json).map((one) => one.difference_usd))).toBe(difference)
    expect(sum((json['by_reason'] as Found[]).map((one) => one.difference_usd))).toBe(difference)
    expect(difference).toBe(formatUsd(parseUsd(json['billed_usd'] as string) - parseUsd(json['booked_usd'] as string)))
    const amountOf = (reason: string) => foundIn(json).find((one) => one.reason === reason)?.difference_usd
    const nanoOf = (fits: (one: Call) => boolean) => calls.filter(fits).reduce((all, one) => all + costOf(one), 0n)
    expect(amountOf('missing_here')).toBe(formatUsd(nanoOf(onlyBilled)))
    expect(amountOf('missing_there')).toBe(formatUsd(-nanoOf(onlyBooked)))
    expect(amountOf('unpriced')).toBe(formatUsd(nanoOf(free)))
    expect(amountOf('tier')).toBe(formatUsd(-nanoOf(batched) / 2n))
    expect(amountOf('counted_twice')).toBe(formatUsd(-nanoOf(doubled)))
    expect(amountOf('other_charge')).toBe('25')
  })

  test('that the tolerance covers count as equal, and are added up apart', async () => {
    const texts = [openaiCosts({ ...books, fees: [] }, fromMs, days)]
    const wide = (await reconcile(tenant, texts, { tolerance_usd: '1000' })).json
    expect([wide['difference_count'], wide['differences']]).toEqual([0, []])
    expect(wide['within_tolerance_usd']).toBe(wide['difference_usd'])
    expect(parseUsd(wide['difference_usd'] as string)).toBe(parseUsd(json['difference_usd'] as string) - fee.nano)
  })

  test('of costs without usage have no tokens to explain them', async () => {
    const found = foundIn((await reconcile(tenant, [openaiCosts(books, fromMs, days)], { tolerance_usd: '0' })).json)
    const reasonAt = (day: number, model: string) =>
      found.find((one) => one.date === dateAt(day) && one.model === model)?.reason
    expect([reasonAt(4, 'gpt-4o'), reasonAt(5, 'gpt-5-mini')]).toEqual(['amount_differs', 'amount_differs'])
    expect(reasonAt(1, 'gpt-4o')).toBe('missing_here')
  })

  test('outside the window are left out, and what the files have there is said', async () => {
    const window = { from: dateAt(1), to: dateAt(3), tolerance_usd: '0' }
    const part = (await reconcile(tenant, [openaiCosts(books, fromMs, days)], window)).json
    expect(
      foundIn(part)
        .map(({ reason }) => reason)
        .toSorted(),
    ).toEqual(['missing_here', 'missing_there'])
    const inside = books.calls.filter((one) => one.atMs >= fromMs + dayMs && one.atMs < fromMs + 3 * dayMs)
    expect(part['billed_usd']).toBe(formatUsd(inside.reduce((sum, one) => sum + costOf(one), 0n)))
    expect(parseUsd(part['outside_usd'] as string) + parseUsd(part['billed_usd'] as string)).toBe(
      parseUsd(json['billed_usd'] as string),
    )
  })

  test('a reconciliation is read as it was made, listed without its differences, and deleted with its digest on record', async () => {
    const text = `${openaiCosts(books, fromMs, days)}\n`
    const made = (await reconcile(tenant, [text])).json
    const path = `/v1/orgs/${tenant.id}/reconciliations`
    const read = await call(server.url, 'GET', `${path}/${String(made['id'])}`, { key: tenant.key })
    expect(read.json).toEqual(made)
    const sha256 = createHash('sha256').update(text).digest('hex')
    expect(made['files']).toMatchObject([
      { name: 'file 0', format: 'openai-costs', sha256, bytes: Buffer.byteLength(text) },
    ])
    const listed = (await call(server.url, 'GET', `${path}?limit=1`, { key: tenant.key })).json
    const { differences: _differences, unlisted: _unlisted, ...summary } = made
    expect(listed['data']).toEqual([summary])
    const removed = await call(server.url, 'DELETE', `${path}/${String(made['id'])}`, { key: tenant.key })
    expect(removed.status).toBe(204)
    expect((await call(server.url, 'GET', `${path}/${String(made['id'])}`, { key: tenant.key })).status).toBe(404)
    const log = (await call(server.url, 'GET', `/v1/orgs/${tenant.id}/audit-log?limit=200`, { key: tenant.key })).text
    expect(log.match(new RegExp(sha256, 'g'))).toHaveLength(2)
    expect(log).toContain('reconciliation.deleted')
    // The log keeps what came of a bill, and not the bill.
    expect(log).not.toContain('organization.costs.result')
  })
})

describe('whoever would misuse it', () => {
  let tenant: Tenant
  let other: Tenant
  beforeAll(async () => {
    tenant = await newTenant()
    other = await newTenant()
  })
  const costs = (line_item: string, value = '1', more: object = {}) =>
    JSON.stringify({
      object: 'page',
      data: [
        {
          start_time: fromMs / 1_000,
          end_time: (fromMs + dayMs) / 1_000,
          results: [{ amount: { value: '@', currency: 'usd' }, line_item, ...more }],
        },
      ],
    }).replace('"@"', value)

  test('changes nothing in the ledger, in runs or in usage', async () => {
    await book(
      tenant,
      monthOf('openai', random, fromMs, 2).map((one) => runOf(one, random)),
    )
    const tables = ['usage_deltas', 'usage_15m', 'runs', 'ledger_batches', 'allowances', 'holds', 'own_prices'] as const
    const known = await owner.client.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_name = any($1)`,
      [tables],
    )
    const state = async () => {
      const states: unknown[] = []
      for (const { name } of known.rows) {
        const sum = `select count(*), md5(coalesce(string_agg(t::text, '' order by t::text), '')) from ${name} t`
        states.push((await owner.client.query(sum)).rows)
      }
      return states
    }
    const before = await state()
    expect((await reconcile(tenant, [costs('gpt-4o, input', '-999999')])).status).toBe(201)
    expect(await state()).toEqual(before)
  })

  test('finds nothing of another tenant', async () => {
    const made = (await reconcile(tenant, [costs('gpt-4o, input')])).json
    const path = `/reconciliations/${String(made['id'])}`
    for (const method of ['GET', 'DELETE'] as const) {
      const own = await call(server.url, method, `/v1/orgs/${other.id}${path}`, { key: other.key })
      const theirs = await call(server.url, method, `/v1/orgs/${tenant.id}${path}`, { key: other.key })
      expect([own.status, theirs.status]).toEqual([404, 404])
    }
    const listed = (await call(server.url, 'GET', `/v1/orgs/${other.id}/reconciliations`, { key: other.key })).json
    expect(listed['data']).toEqual([])
  })

  test('needs an administrator to send a bill, and no pin to read one', async () => {
    const member = (await keyOf(server, tenant.id, { role: 'member', scopes: ['usage:read', 'usage:write'] })).key
    expect((await reconcile(tenant, [costs('gpt-4o, input')], {}, member)).status).toBe(403)
    const list = (key: string) => call(server.url, 'GET', `/v1/orgs/${tenant.id}/reconciliations`, { key })
    expect((await list(member)).status).toBe(200)
    const pinned = (
      await keyOf(server, tenant.id, { role: 'viewer', scopes: ['usage:read'], pins: { department_id: 'sales' } })
    ).key
    expect((await list(pinned)).status).toBe(403)
  })

  test.each([
    ['no file of a bill', 'hello, world\n1,2', 'is no export that is known'],
    ['JSON of something else', '{"a":1}', 'is no export that is known'],
    ['broken JSON', '{"data":[', 'is no JSON'],
    ['a name with a line break', costs('gpt\n4o, input'), 'cannot be shown'],
    ['a name that turns its line', costs('gpt‮4o, input'), 'cannot be shown'],
    ['a name without end', costs(`${'x'.repeat(300)}, input`), 'too long'],
    ['half a surrogate', costs('\ud800, input'), 'cannot be shown'],
    ['an amount that is no number', costs('gpt-4o, input', '"NaN"'), 'is no amount'],
    ['an amount beyond all bounds', costs('gpt-4o, input', '1e99'), 'is no amount'],
    ['euros', costs('gpt-4o, input').replace('usd', 'eur'), 'is not in US dollars'],
    ['costs of nobody knows what', costs(''), 'group_by=line_item'],
    [
      'a span of two days',
      costs('gpt-4o, input').replace(String((fromMs + dayMs) / 1_000), String((fromMs + 2 * dayMs) / 1_000)),
      'inside one UTC day',
    ],
    ['a table with a ragged line', 'usage_date_utc,model,cost_usd\n2026-11-01,a,1,2,3', 'more cells than'],
    ['a table with an open quote', 'usage_date_utc,model,cost_usd\n"2026-11-01', 'is no CSV'],
    ['a day that there is not', 'usage_date_utc,model,cost_usd,cost_type\n2026-02-31x,a,1,token', 'has no times'],
    [
      'tokens below zero',
      'usage_date_utc,model_version,usage_output_tokens\n2026-11-01,a,-5',
      'is no number of tokens',
    ],
  ])('is told what is wrong with %s', async (_name, text, message) => {
    const answer = await reconcile(tenant, [text])
    expect(faultsOf(answer)).toEqual(['files: invalid_format'])
    expect(answer.text).toContain(message)
  })

  test('cannot count a file twice, nor mix providers', async () => {
    const twice = await reconcile(tenant, [costs('gpt-4o, input'), costs('gpt-4o, input')])
    expect(twice.text).toContain('is in two files')
    const mixed = await reconcile(tenant, [costs('gpt-4o, input'), 'usage_date_utc,model,cost_usd\n2026-11-01,a,1'])
    expect(mixed.text).toContain('different providers')
  })

  test.each([
    ['nested without end', `{"data":${'['.repeat(500_000)}${']'.repeat(500_000)}}`],
    ['of very many numbers', `{"data":[${'1,'.repeat(500_000)}1]}`],
    ['of very many empty objects', `[${'{},'.repeat(500_000)}{}]`],
    ['of commas', `usage_date_utc,model,cost_usd\n${','.repeat(1_000_000)}`],
    ['of quotes', `usage_date_utc,model,cost_usd\n${'"'.repeat(1_000_000)}`],
    ['of very many lines', `usage_date_utc,model,cost_usd,cost_type\n${'2026-11-01,m,1,token\n'.repeat(40_000)}`],
    [
      'of models without end',
      `usage_date_utc,model,cost_usd,cost_type\n${Array.from({ length: 30_000 }, (_, i) => `2026-11-01,m${i},1,token\n`).join('')}`,
    ],
  ])('keeps nobody waiting with a file %s', async (_name, text) => {
    const longestMs = await leastTurnMs(async () => {
      const [answer, ...others] = await Promise.all([
        reconcile(tenant, [text]),
        ...Array.from({ length: 3 }, () => call(server.url, 'GET', '/v1/me', { key: other.key })),
      ])
      expect([201, 413, 422]).toContain(answer.status)
      expect(others.map(({ status }) => status)).toEqual([200, 200, 200])
    }, 1_000)
    expect(longestMs).toBeLessThan(1_000)
  })

  test('sends no more than a bill may be long', async () => {
    const answer = await reconcile(tenant, ['x'.repeat(4_000_000), 'x'.repeat(4_000_000), 'x'])
    expect(faultsOf(answer)).toEqual(['files: too_many'])
  })
})
