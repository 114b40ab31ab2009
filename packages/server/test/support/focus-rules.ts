import { csvRows } from './csv.ts'

/**
 * Rules of FOCUS 1.4 for the Cost and Usage dataset, as far as a file alone can break them, written from the specification and from
 * nothing of ours: presence, types, nullability and values of columns, and what columns say of each other.
 */

type Level = 'mandatory' | 'recommended' | 'conditional'
type Kind = 'Decimal' | 'String' | 'Date/Time' | 'JSON'
interface Column {
  readonly level: Level
  readonly kind: Kind
  readonly nulls: boolean
  readonly values?: readonly string[]
}

const [must, should, when] = ['mandatory', 'recommended', 'conditional'] as const
const column = (level: Level, kind: Kind, nulls: boolean, values?: readonly string[]): Column => ({
  level,
  kind,
  nulls,
  ...(values && { values }),
})
const perhaps = (kind: Kind = 'String') => column(when, kind, true)

const categories =
  `AI and Machine Learning, Analytics, Business Applications, Compute, Databases, Developer Tools, Identity, Integration, Internet of Things,
Management and Governance, Media, Migration, Mobile, Multicloud, Networking, Security, Storage, Web, Other`.split(
    /,\s+/,
  )
/** Subcategories of the one category that a model's call has. */
const subcategories = [
  'AI Platforms',
  'Bots',
  'Generative AI',
  'Machine Learning',
  'Natural Language Processing',
  'Other (AI and Machine Learning)',
]

const columns: Readonly<Record<string, Column>> = {
  AllocatedMethodDetails: column(should, 'JSON', true),
  AllocatedMethodId: perhaps(),
  AllocatedResourceId: perhaps(),
  AllocatedResourceName: perhaps(),
  AllocatedTags: perhaps('JSON'),
  AvailabilityZone: column(should, 'String', true),
  BilledCost: column(must, 'Decimal', false),
  BillingAccountId: column(must, 'String', false),
  BillingAccountName: column(must, 'String', true),
  BillingAccountType: column(when, 'String', false),
  BillingCurrency: column(must, 'String', false),
  BillingPeriodEnd: column(must, 'Date/Time', false),
  BillingPeriodStart: column(must, 'Date/Time', false),
  CapacityReservationId: perhaps(),
  CapacityReservationStatus: column(when, 'String', true, ['Used', 'Unused']),
  ChargeCategory: column(must, 'String', false, ['Usage', 'Purchase', 'Tax', 'Credit', 'Adjustment']),
  ChargeClass: column(must, 'String', true, ['Correction']),
  ChargeDescription: column(must, 'String', true),
  ChargeFrequency: column(should, 'String', false, ['One-Time', 'Recurring', 'Usage-Based']),
  ChargePeriodEnd: column(must, 'Date/Time', false),
  ChargePeriodStart: column(must, 'Date/Time', false),
  CommitmentDiscountCategory: column(when, 'String', true, ['Spend', 'Usage']),
  CommitmentDiscountId: perhaps(),
  CommitmentDiscountName: perhaps(),
  CommitmentDiscountQuantity: perhaps('Decimal'),
  CommitmentDiscountStatus: column(when, 'String', true, ['Used', 'Unused']),
  CommitmentDiscountType: perhaps(),
  CommitmentDiscountUnit: perhaps(),
  ConsumedQuantity: perhaps('Decimal'),
  ConsumedUnit: perhaps(),
  ContractApplied: perhaps('JSON'),
  ContractedCost: column(must, 'Decimal', false),
  ContractedUnitPrice: perhaps('Decimal'),
  EffectiveCost: column(must, 'Decimal', false),
  HostProviderName: column(must, 'String', false),
  InvoiceDetailId: perhaps(),
  InvoiceId: perhaps(),
  InvoiceIssuerName: column(must, 'String', false),
  ListCost: column(must, 'Decimal', false),
  ListUnitPrice: perhaps('Decimal'),
  PricingCategory: column(when, 'String', true, ['Standard', 'Dynamic', 'Committed', 'Other']),
  PricingCurrency: column(when, 'String', false),
  PricingCurrencyContractedUnitPrice: perhaps('Decimal'),
  PricingCurrencyEffectiveCost: column(when, 'Decimal', false),
  PricingCurrencyListUnitPrice: perhaps('Decimal'),
  PricingQuantity: column(must, 'Decimal', true),
  PricingUnit: column(must, 'String', true),
  RegionId: perhaps(),
  RegionName: perhaps(),
  ResourceId: perhaps(),
  ResourceName: perhaps(),
  ResourceType: perhaps(),
  ServiceCategory: column(must, 'String', false, categories),
  ServiceName: column(must, 'String', false),
  ServiceProviderName: column(must, 'String', false),
  ServiceSubcategory: column(should, 'String', false, subcategories),
  SkuId: perhaps(),
  SkuMeter: perhaps(),
  SkuPriceDetails: perhaps('JSON'),
  SkuPriceId: perhaps(),
  SubAccountId: perhaps(),
  SubAccountName: perhaps(),
  SubAccountType: perhaps(),
  Tags: perhaps('JSON'),
}

/** Columns of earlier versions that 1.4 no longer has. */
const removed = ['ProviderName', 'PublisherName']

/** No exponent beside E notation with digits, no plus, no separators, no currency. */
const numeric = /^-?\d+(\.\d+)?([eE]-?\d+)?$/

const isKind: Record<Kind, (value: string) => boolean> = {
  Decimal: (value) => numeric.test(value),
  String: (value) => value.trim() !== '' && !/^(null|nil|none|n\/a|-)$/i.test(value),
  'Date/Time': (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/.test(value) && !Number.isNaN(Date.parse(value)),
  JSON: (value) => {
    try {
      const parsed: unknown = JSON.parse(value)
      const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      return isObject && Object.values(parsed).every((inner) => inner === null || typeof inner !== 'object')
    } catch {
      return false
    }
  },
}

type Row = Readonly<Record<string, string>>

/** Parts of a FOCUS file: the names of its columns, and its rows. */
export function readFocus(csv: string): { header: readonly string[]; rows: Row[] } {
  const [header = [], ...lines] = csvRows(csv)
  return { header, rows: lines.map((line) => Object.fromEntries(header.map((name, i) => [name, line[i] ?? '\0']))) }
}

function headerFaults(header: readonly string[]): string[] {
  const names = new Set(header)
  const custom = header.filter((name) => !(name in columns))
  return [
    ...Object.entries(columns).flatMap(([name, { level }]) =>
      level === 'mandatory' && !names.has(name) ? [`${name} must be present`] : [],
    ),
    ...removed.filter((name) => names.has(name)).map((name) => `${name} was removed in 1.4`),
    ...custom.filter((name) => !/^x_[A-Z][A-Za-z0-9]*$/.test(name)).map((name) => `${name} is no column of FOCUS`),
    ...(names.size === header.length ? [] : ['a column stands twice']),
    ...(header.findLastIndex((name) => name in columns) < header.length - custom.length
      ? []
      : ['custom columns stand among those of FOCUS']),
    // Each of them comes with another one.
    ...(
      [
        ['ConsumedQuantity', 'ConsumedUnit'],
        ['SubAccountId', 'SubAccountName'],
        ['ResourceId', 'ResourceName'],
        ['SkuId', 'SkuMeter'],
      ] as const
    ).flatMap(([a, b]) => (names.has(a) === names.has(b) ? [] : [`${a} and ${b} come together`])),
  ]
}

/** Everything that the specification holds against one row. */
function rowFaults(row: Row): string[] {
  const faults: string[] = []
  const claim = (isTrue: boolean, fault: string) => void (isTrue || faults.push(fault))
  for (const [name, rule] of Object.entries(columns)) {
    const value = row[name]
    if (value === undefined) continue
    if (value === '') claim(rule.nulls, `${name} must not be null`)
    else {
      claim(isKind[rule.kind](value), `${name} is no ${rule.kind}: ${value}`)
      claim(rule.values?.includes(value) ?? true, `${name} has no such value: ${value}`)
    }
  }
  const isNull = (name: string) => (row[name] ?? '') === ''
  const at = (name: string) => Date.parse(row[name] ?? '')
  const isUsage = row['ChargeCategory'] === 'Usage'
  const isCorrection = row['ChargeClass'] === 'Correction'
  claim(/^[A-Z]{3}$/.test(row['BillingCurrency'] ?? ''), 'BillingCurrency is no code of ISO 4217')
  claim(at('ChargePeriodStart') < at('ChargePeriodEnd'), 'a charge period ends after it starts')
  claim(at('BillingPeriodStart') < at('BillingPeriodEnd'), 'a billing period ends after it starts')
  claim(
    row['ChargeCategory'] !== 'Purchase' || row['ChargeFrequency'] !== 'Usage-Based',
    'a purchase is not usage-based',
  )
  if ((isUsage || row['ChargeCategory'] === 'Purchase') && !isCorrection)
    for (const name of ['PricingQuantity', 'SkuId']) claim(!isNull(name), `${name} must not be null for usage`)
  if (isUsage && !isCorrection) claim(!isNull('ConsumedQuantity'), 'ConsumedQuantity must not be null for usage')
  claim(isUsage || isNull('ConsumedQuantity'), 'ConsumedQuantity must be null where nothing is used')
  claim(row['ChargeCategory'] !== 'Tax' || isNull('PricingQuantity'), 'PricingQuantity must be null for a tax')
  claim(row['ChargeCategory'] !== 'Tax' || isNull('SkuId'), 'SkuId must be null for a tax')
  for (const [name, other] of [
    ['ConsumedUnit', 'ConsumedQuantity'],
    ['PricingUnit', 'PricingQuantity'],
    ['SubAccountName', 'SubAccountId'],
    ['SubAccountType', 'SubAccountId'],
    ['ResourceType', 'ResourceId'],
    ['SkuMeter', 'SkuId'],
    ['BillingAccountType', 'BillingAccountId'],
  ] as const)
    claim(
      row[name] === undefined || isNull(name) === isNull(other),
      `${name} is null where ${other} is, and only there`,
    )
  claim(!isNull('ResourceId') || isNull('ResourceName'), 'ResourceName must be null without ResourceId')
  claim(isNull('ResourceName') || row['ResourceName'] !== row['ResourceId'], 'ResourceName must not repeat ResourceId')
  for (const name of ['ConsumedUnit', 'PricingUnit'])
    claim(isNull(name) || /^(\d+ )?[A-Z][A-Za-z]*s$/.test(row[name] ?? ''), `${name} is no unit`)
  // Usage that no other charge explains has list and contracted cost by unit prices; without unit prices they are what is billed.
  for (const [cost, price] of [
    ['ListCost', 'ListUnitPrice'],
    ['ContractedCost', 'ContractedUnitPrice'],
  ] as const)
    claim(!isNull(price) || row[cost] === row['BilledCost'], `${cost} without unit price must match BilledCost`)
  return faults
}

/** Returns what keeps a file from being a Cost and Usage dataset of FOCUS 1.4. */
export function focusFaults(csv: string): string[] {
  const { header, rows } = readFocus(csv)
  const services = Map.groupBy(rows, ({ ServiceName }) => ServiceName ?? '')
  return [
    ...headerFaults(header),
    ...rows.flatMap((row, i) => rowFaults(row).map((fault) => `row ${i + 1}: ${fault}`)),
    ...[...services].flatMap(([name, group]) =>
      new Set(group.map(({ ServiceCategory }) => ServiceCategory)).size > 1 ? [`${name} has two categories`] : [],
    ),
  ]
}
