import { beforeAll, describe, expect, test } from 'vitest'
import { requireId } from '../../src/values/id.ts'
import { formatUsd, parseUsd } from '../../src/values/money.ts'
import { csvRows } from '../support/csv.ts'
import { focusFaults, readFocus } from '../support/focus-rules.ts'
import { useServer } from '../support/harness.ts'
import { useSuperuser } from '../support/money.ts'
import { firstSeed, Random } from '../support/random.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'
import { insertUsage, randomRun } from '../support/usage.ts'

const server = useServer()
const owner = useSuperuser(server.database)
const dayMs = 86_400_000
const seed = firstSeed()
console.info(`seed ${seed}`)
const random = new Random(seed)
const nowMs = Date.now()
const runs = Array.from({ length: 200 }, () => randomRun(random, nowMs - 20 * dayMs, nowMs))

let tenant: Tenant
let viewer: string
let file: string
beforeAll(async () => {
  tenant = await tenantOf(server, (await operatorOf(server)).key, '=Acme, "Inc."')
  viewer = (await keyOf(server, tenant.id, { role: 'viewer', scopes: ['usage:read'] })).key
  await insertUsage(owner.client, requireId('org', tenant.id), runs, random)
  file = (await exportOf('focus-1.4-csv')).text
})
const exportOf = (format: string, key = viewer) =>
  call(server.url, 'GET', `/v1/orgs/${tenant.id}/usage/export?format=${format}`, { key })

test('an export of FOCUS 1.4 keeps every rule of the specification that a file can break', () => {
  expect(readFocus(file).rows.length).toBeGreaterThan(100)
  expect(focusFaults(file)).toEqual([])
})

test('both versions export the same charges, to the nano-dollar', async () => {
  const older = readFocus((await exportOf('focus-csv')).text)
  const newer = readFocus(file)
  const chargesOf = (rows: typeof newer.rows) => rows.map(({ BilledCost, SkuId, Tags }) => [BilledCost, SkuId, Tags])
  expect(chargesOf(newer.rows)).toEqual(chargesOf(older.rows))
  expect(newer.rows.map((row) => row['ServiceProviderName'])).toEqual(older.rows.map((row) => row['ProviderName']))
  const total = newer.rows.reduce((sum, row) => sum + parseUsd(row['BilledCost']!), 0n)
  expect(formatUsd(total)).toBe(formatUsd(runs.reduce((sum, { costNano }) => sum + costNano, 0n)))
})

test('names that a spreadsheet would run as formulas are text', () => {
  for (const cells of csvRows(file)) expect(cells.filter((cell) => /^[=+@\t\r]|^-(?!\d)/.test(cell))).toEqual([])
})

describe('the rules find', () => {
  const write = (lines: readonly (readonly string[])[]) =>
    lines.map((line) => `${line.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\r\n`).join('')
  /** Puts a value into the first row that fits. */
  const put = (name: string, value: string, fits: (row: Record<string, string>) => boolean = () => true) => {
    const [header = [], ...lines] = csvRows(file)
    const at = header.indexOf(name)
    const line = lines.find((cells) => fits(Object.fromEntries(header.map((each, i) => [each, cells[i]!]))))!
    line[at] = value
    return write([header, ...lines])
  }
  const without = (name: string) => {
    const lines = csvRows(file)
    const at = lines[0]!.indexOf(name)
    return write(lines.map((line) => line.toSpliced(at, 1)))
  }
  const renamed = (name: string, to: string) => {
    const [header = [], ...lines] = csvRows(file)
    return write([header.map((each) => (each === name ? to : each)), ...lines])
  }

  test.each([
    ['a cost that is null', () => put('BilledCost', ''), 'BilledCost must not be null'],
    ['a cost with a separator', () => put('EffectiveCost', '1,000.5'), 'EffectiveCost is no Decimal'],
    ['a cost with a currency', () => put('BilledCost', '$5'), 'BilledCost is no Decimal'],
    ['list cost beside billed cost', () => put('ListCost', '0.5'), 'ListCost without unit price must match'],
    ['an unknown category of charge', () => put('ChargeCategory', 'Fee'), 'ChargeCategory has no such value'],
    ['a class that is no correction', () => put('ChargeClass', 'Refund'), 'ChargeClass has no such value'],
    ['a purchase by usage', () => put('ChargeCategory', 'Purchase'), 'a purchase is not usage-based'],
    ['a time with an offset', () => put('ChargePeriodStart', '2026-11-01T00:00:00+01:00'), 'is no Date/Time'],
    ['a period that ends first', () => put('ChargePeriodEnd', '2001-01-01T00:00:00Z'), 'a charge period ends'],
    ['no service provider', () => put('ServiceProviderName', ''), 'ServiceProviderName must not be null'],
    ['no host provider', () => put('HostProviderName', ''), 'HostProviderName must not be null'],
    ['a currency of lower case', () => put('BillingCurrency', 'usd'), 'BillingCurrency is no code'],
    ['usage without quantity', () => put('ConsumedQuantity', ''), 'ConsumedQuantity must not be null for usage'],
    ['a quantity without unit', () => put('PricingUnit', ''), 'PricingUnit is null where'],
    ['a unit of lower case', () => put('ConsumedUnit', 'tokens'), 'ConsumedUnit is no unit'],
    [
      'a sub account without a name',
      () => put('SubAccountName', '', (row) => row['SubAccountId'] !== ''),
      'SubAccountName is null where',
    ],
    ['a model without SKU', () => put('SkuId', ''), 'SkuId must not be null for usage'],
    ['tags that are no object', () => put('Tags', '["a"]'), 'Tags is no JSON'],
    ['tags with an object in them', () => put('Tags', '{"a":{}}'), 'Tags is no JSON'],
    ['a service of two categories', () => put('ServiceCategory', 'Compute'), 'has two categories'],
    ['a subcategory of another category', () => put('ServiceSubcategory', 'Containers'), 'ServiceSubcategory has no'],
    ['a column that is missing', () => without('HostProviderName'), 'HostProviderName must be present'],
    ['a column of 1.2', () => renamed('HostProviderName', 'ProviderName'), 'ProviderName was removed'],
    ['a column of 1.5', () => renamed('Tags', 'PrincipalId'), 'PrincipalId is no column'],
    ['a custom column without x_', () => renamed('x_Runs', 'Runs'), 'Runs is no column'],
  ] as const)('%s', (_name, plant, fault) => {
    expect(focusFaults(plant()).join('\n')).toContain(fault)
  })

  test('what the export of 1.2 has instead', async () => {
    expect(focusFaults((await exportOf('focus-csv')).text).join('\n')).toContain('ProviderName was removed in 1.4')
  })
})
