import { beforeAll, describe, expect, test } from 'vitest'
import type { RunRecord } from '../../src/records/run-log/run-log.ts'
import { exportFocus } from '../../src/records/usage/focus.ts'
import { foldDeltas } from '../../src/records/usage/rollup.ts'
import { newUuid, requireId } from '../../src/values/id.ts'
import { formatUsd, parseUsd } from '../../src/values/money.ts'
import { csvRows } from '../support/csv.ts'
import { useServer } from '../support/harness.ts'
import { faultsOf } from '../support/limits.ts'
import { useSuperuser } from '../support/money.ts'
import { firstSeed, Random } from '../support/random.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'
import { insertUsage, randomRun } from '../support/usage.ts'

const server = useServer()
const owner = useSuperuser(server.database)
const dayMs = 86_400_000

/** What FOCUS 1.2 says of the columns that an export of usage can have. */
interface Rule {
  /** Mandatory ones stand in every dataset; conditional and recommended ones may. */
  readonly level: 'mandatory' | 'conditional' | 'recommended'
  readonly type: 'Decimal' | 'String' | 'Date/Time' | 'JSON'
  readonly isNullable: boolean
  readonly allowed?: readonly string[]
}
const decimal = { level: 'mandatory', type: 'Decimal', isNullable: false } as const
const text = { level: 'mandatory', type: 'String', isNullable: false } as const
const time = { level: 'mandatory', type: 'Date/Time', isNullable: false } as const
const perhaps = { level: 'conditional', type: 'String', isNullable: true } as const

const rules: Record<string, Rule> = {
  AvailabilityZone: { ...perhaps, level: 'recommended' },
  BilledCost: decimal,
  BillingAccountId: text,
  BillingAccountName: { ...text, isNullable: true },
  BillingAccountType: { ...perhaps, isNullable: false },
  BillingCurrency: text,
  BillingPeriodEnd: time,
  BillingPeriodStart: time,
  ChargeCategory: { ...text, allowed: ['Usage', 'Purchase', 'Tax', 'Credit', 'Adjustment'] },
  ChargeClass: { ...text, isNullable: true, allowed: ['Correction'] },
  ChargeDescription: { ...text, isNullable: true },
  ChargeFrequency: {
    ...text,
    level: 'recommended',
    allowed: ['One-Time', 'Recurring', 'Usage-Based'],
  },
  ChargePeriodEnd: time,
  ChargePeriodStart: time,
  ConsumedQuantity: { ...perhaps, type: 'Decimal' },
  ConsumedUnit: perhaps,
  ContractedCost: decimal,
  ContractedUnitPrice: { ...perhaps, type: 'Decimal' },
  EffectiveCost: decimal,
  InvoiceId: { ...perhaps, level: 'recommended' },
  InvoiceIssuerName: text,
  ListCost: decimal,
  ListUnitPrice: { ...perhaps, type: 'Decimal' },
  PricingCategory: { ...perhaps, allowed: ['Standard', 'Dynamic', 'Committed', 'Other'] },
  PricingQuantity: { ...decimal, isNullable: true },
  PricingUnit: { ...text, isNullable: true },
  ProviderName: text,
  PublisherName: text,
  RegionId: perhaps,
  RegionName: perhaps,
  ResourceId: perhaps,
  ResourceName: perhaps,
  ResourceType: perhaps,
  ServiceCategory: { ...text, allowed: ['AI and Machine Learning'] },
  ServiceName: text,
  ServiceSubcategory: { ...text, level: 'recommended', allowed: ['Generative AI'] },
  SkuId: perhaps,
  SkuMeter: perhaps,
  SkuPriceId: perhaps,
  SubAccountId: perhaps,
  SubAccountName: perhaps,
  SubAccountType: perhaps,
  Tags: { ...perhaps, type: 'JSON' },
}

/** No exponent, no plus, no separators. */
const numeric = /^-?(0|[1-9]\d*)(\.\d+)?$/
const formats: Record<Rule['type'], (value: string) => boolean> = {
  Decimal: (value) => numeric.test(value),
  String: (value) => value.trim() !== '' && !/^(null|n\/a|not applicable)$/i.test(value),
  'Date/Time': (value) => /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(value) && !Number.isNaN(Date.parse(value)),
  JSON: (value) => {
    const parsed: unknown = JSON.parse(value)
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    return isObject && Object.values(parsed).every((inner) => inner === null || typeof inner !== 'object')
  },
}
const countUnits = new Set(['Tokens', 'Requests'])

type Row = Record<string, string>

/** Everything that the specification would hold against a row. */
function faultsIn(row: Row): string[] {
  const faults: string[] = []
  const claim = (isTrue: boolean, fault: string) => void (isTrue || faults.push(fault))
  for (const [name, value] of Object.entries(row)) {
    const rule = rules[name]
    if (!rule) {
      claim(/^x_[A-Z][A-Za-z]+$/.test(name), `${name} is no column`)
      continue
    }
    if (value === '') claim(rule.isNullable, `${name} is null`)
    else {
      claim(formats[rule.type](value), `${name} is no ${rule.type}: ${value}`)
      claim(rule.allowed?.includes(value) ?? true, `${name} is ${value}`)
    }
  }
  const isNull = (name: string) => row[name] === ''
  const at = (name: string) => Date.parse(row[name]!)
  claim(row['BillingCurrency'] === 'USD', 'a currency as in ISO 4217')
  claim(at('ChargePeriodStart') < at('ChargePeriodEnd'), 'a charge period has an end after its start')
  claim(
    at('BillingPeriodStart') <= at('ChargePeriodStart') && at('ChargePeriodEnd') <= at('BillingPeriodEnd'),
    'a charge period is inside its billing period',
  )
  claim(
    row['ChargeFrequency'] !== 'Usage-Based' || row['ChargeCategory'] !== 'Purchase',
    'a purchase is not usage-based',
  )
  const isUsage = row['ChargeCategory'] === 'Usage' && row['ChargeClass'] !== 'Correction'
  for (const name of ['ConsumedQuantity', 'ConsumedUnit', 'PricingQuantity', 'PricingUnit', 'SkuId'])
    claim(!isUsage || !isNull(name), `${name} is null for usage`)
  for (const name of ['ConsumedUnit', 'PricingUnit']) claim(countUnits.has(row[name]!), `${name} is a unit`)
  claim(isNull('ResourceId') === isNull('ResourceType'), 'a resource has a type')
  claim(!isNull('ResourceId') || isNull('ResourceName'), 'no name without a resource')
  claim(isNull('SubAccountId') === isNull('SubAccountType'), 'a sub account has a type')
  claim(!isNull('SubAccountId') || isNull('SubAccountName'), 'no name without a sub account')
  claim(isNull('SkuId') === isNull('SkuMeter'), 'a SKU has a meter')
  // Without unit prices, list and contracted cost match what is billed.
  for (const name of ['ListCost', 'ContractedCost', 'EffectiveCost'])
    claim(row[name] === row['BilledCost'], `${name} differs from BilledCost`)
  return faults
}

function rowsOf(csv: string): { header: string[]; rows: Row[] } {
  const [header, ...lines] = csvRows(csv)
  return {
    header: header!,
    rows: lines.map((line) => {
      expect(line).toHaveLength(header!.length)
      return Object.fromEntries(header!.map((name, i) => [name, line[i]!]))
    }),
  }
}

let operator: string
let tenant: Tenant
let viewer: string
beforeAll(async () => {
  operator = (await operatorOf(server)).key
  tenant = await tenantOf(server, operator, '=Acme, "Inc."')
  viewer = (await keyOf(server, tenant.id, { role: 'viewer', scopes: ['usage:read'] })).key
})
const get = (query = '', method = 'GET') =>
  call(server.url, method, `/v1/orgs/${tenant.id}/usage/export${query}`, { key: viewer })
const insert = (runs: readonly RunRecord[], random: Random) =>
  insertUsage(owner.client, requireId('org', tenant.id), runs, random)

describe('an export', () => {
  const seed = firstSeed()
  console.info(`seed ${seed}`)
  const random = new Random(seed)
  const nowMs = Date.now()
  const runs = Array.from({ length: 300 }, () => randomRun(random, nowMs - 60 * dayMs, nowMs))
  beforeAll(() => insert(runs, random))
  const window = `from=${new Date(nowMs - 61 * dayMs).toISOString()}&to=${new Date(nowMs + dayMs).toISOString()}`

  test('has every mandatory column, columns in order and ours after those of the specification', async () => {
    const { status, headers, text: csv } = await get(`?format=focus-csv&${window}`)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    const { header } = rowsOf(csv)
    const mandatory = Object.keys(rules).filter((name) => rules[name]!.level === 'mandatory')
    expect(mandatory.filter((name) => !header.includes(name))).toEqual([])
    const theirs = header.filter((name) => name in rules)
    const ours = header.filter((name) => !(name in rules))
    expect(header).toEqual([...theirs.toSorted(), ...ours.toSorted()])
    expect(new Set(header).size).toBe(header.length)
  })

  test('keeps the rules of each column in each row', async () => {
    const { rows } = rowsOf((await get(`?${window}`)).text)
    expect(rows.length).toBeGreaterThan(100)
    for (const row of rows) expect(faultsIn(row), JSON.stringify(row)).toEqual([])
  })

  test('adds up to what was used, by day and dimensions, folded or not', async () => {
    const expected = new Map<string, { cost: bigint; runs: number }>()
    for (const { startedAtMs, about, costNano } of runs) {
      const { model, provider = '', deployment_id = '', department_id = '', workflow_id = '' } = about
      const day = new Date(startedAtMs).toISOString().slice(0, 10)
      const key = JSON.stringify([day, model, provider || 'Weir', deployment_id, department_id, workflow_id])
      const { cost, runs: count } = expected.get(key) ?? { cost: 0n, runs: 0 }
      expected.set(key, { cost: cost + costNano, runs: count + 1 })
    }
    for (let i = 0; i < 2; i++) {
      const { rows } = rowsOf((await get(`?${window}`)).text)
      const found = rows.map((row) => {
        const tags = JSON.parse(row['Tags'] || '{}') as Row
        const key = JSON.stringify([
          row['ChargePeriodStart']!.slice(0, 10),
          row['SkuId'],
          row['ProviderName'],
          row['ResourceId'],
          row['SubAccountId'],
          tags['weir/workflow_id'] ?? '',
        ])
        return [key, { cost: row['BilledCost'], runs: Number(row['x_Runs']) }] as const
      })
      expect(found).toHaveLength(expected.size)
      expect(Object.fromEntries(found)).toEqual(
        Object.fromEntries(
          [...expected].map(([key, { cost, runs: count }]) => [key, { cost: formatUsd(cost), runs: count }]),
        ),
      )
      await foldDeltas(server.platform)
    }
  })

  test('is of whole UTC days, at most 90, by default the last 30', async () => {
    const from = new Date(nowMs - 20 * dayMs).toISOString().slice(0, 10)
    const { rows } = rowsOf((await get(`?from=${from}T10:00:00Z&to=${from}T11:00:00Z`)).text)
    const that = runs.filter(({ startedAtMs }) => new Date(startedAtMs).toISOString().startsWith(from))
    expect(rows.reduce((sum, row) => sum + Number(row['x_Runs']), 0)).toBe(that.length)
    for (const row of rows) expect(row['ChargePeriodStart']).toBe(`${from}T00:00:00Z`)
    const all = rowsOf((await get()).text).rows
    const oldest = new Date(nowMs - 29 * dayMs).toISOString().slice(0, 10)
    expect(all.every((row) => row['ChargePeriodStart']! >= oldest)).toBe(true)
    const tooLong = await get('?from=2025-01-01&to=2026-01-02')
    expect(faultsOf(tooLong)).toEqual(['to: out_of_range'])
    expect(tooLong.text).toContain('90')
    expect(faultsOf(await get('?format=xlsx&cursor=x'))).toEqual(['cursor: invalid_filter', 'format: invalid_filter'])
  })

  test('is announced by HEAD and not made', async () => {
    const { status, text: body, headers } = await get('', 'HEAD')
    expect([status, body]).toEqual([200, ''])
    expect(headers.get('content-type')).toContain('text/csv')
  })
})

test('names that a spreadsheet would run are text, and quotes, commas and line ends stay inside their field', async () => {
  const random = new Random(1)
  const names = ['=1+1', '+cmd', '-2', '@cf/llama', 'a,"b"', "it's"]
  const runs = names.map((model) => ({
    ...randomRun(random, Date.now() - dayMs, Date.now()),
    about: { model, provider: model, deployment_id: model, department_id: model, workflow_id: model },
  }))
  await insert(runs, random)
  const { rows } = rowsOf((await get()).text)
  const found = rows.filter(({ Tags }) => names.includes((JSON.parse(Tags || '{}') as Row)['weir/workflow_id']!))
  expect(new Set(found.map(({ SkuId }) => SkuId))).toEqual(
    new Set(["'=1+1", "'+cmd", "'-2", "'@cf/llama", 'a,"b"', "it's"]),
  )
  for (const row of found) {
    expect(faultsIn(row)).toEqual([])
    expect(row['BillingAccountName']).toBe('\'=Acme, "Inc."')
    // Numbers may be negative; every other field is text.
    const texts = Object.entries(row).filter(([name]) => name in rules && rules[name]!.type !== 'Decimal')
    expect(texts.filter(([, value]) => /^[=+\-@\t\r]/.test(value))).toEqual([])
  }
})

test('a large day is written a page at a time, each row once', async () => {
  const orgId = newUuid()
  await owner.client.query(
    `insert into usage_15m select $1, timestamptz '2026-10-01 00:00Z' + make_interval(mins => 15 * (i::int % 96)), 'm' || i % 7, '', 'w' || i % 1300, '', '', 1, 0, 1, 0, 0, 0, 0, i, 0, 0, 0, 0, 0
       from generate_series(1, 20000) i`,
    [orgId],
  )
  const window = { from: new Date('2026-09-30'), to: new Date('2026-10-03') }
  let csv = ''
  let longest = 0
  for await (const chunk of exportFocus(server.platform.sql, orgId, window, '1.2')) {
    longest = Math.max(longest, chunk.split('\r\n').length - 1)
    csv += chunk
  }
  const { rows } = rowsOf(csv)
  expect(longest).toBe(500)
  expect(rows).toHaveLength(7 * 1300)
  expect(new Set(rows.map(({ SkuId, Tags }) => `${SkuId} ${Tags}`)).size).toBe(7 * 1300)
  const total = rows.reduce((sum, { BilledCost }) => sum + parseUsd(BilledCost!), 0n)
  expect(total).toBe((20_000n * 20_001n) / 2n)
})
