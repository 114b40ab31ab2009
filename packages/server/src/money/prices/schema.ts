import { type Static, Type } from 'typebox'
import type { FieldFault } from '../../contract/errors.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Computed, Count, Id, Nullable, OneOf, optionalFields, PathId, Timestamp, Usd } from '../../contract/wire.ts'
import { formatDollars, maxChargeNano, parseUsd } from '../../values/money.ts'
import { normalName } from './model-names.ts'
import { detailFaults, detailFields, UsdPerMillion } from './price-detail.ts'
import type { UnpricedMode } from './queries.ts'

const unpricedModes = ['refuse', 'ceiling', 'estimate'] as const

const maxTokens = 10_000_000
export const maxPrices = 1_000

export const PriceInput = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 200, examples: ['gpt-4o'] }),
    provider: Type.Optional(
      Nullable(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'Only where a request names this provider; null or left out: whatever it names.',
          examples: ['azure'],
        }),
      ),
    ),
    input_usd_per_million: UsdPerMillion('input'),
    output_usd_per_million: UsdPerMillion('output'),
    cache_read_usd_per_million: Type.Optional({
      ...UsdPerMillion('cached input'),
      description: 'For input read from a cache; left out: the price of input.',
    }),
    cache_write_usd_per_million: Type.Optional({
      ...UsdPerMillion('cached input'),
      description: 'For input written to a cache; left out: the price of input.',
    }),
    ...optionalFields(detailFields),
    max_output_tokens: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 1,
          maximum: maxTokens,
          description: 'What is held for the output of a request that does not bound it.',
          examples: [16_384],
        }),
      ),
    ),
    effective_from: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$',
        maxLength: 35,
        description: 'RFC 3339 timestamp, kept to the millisecond; left out: always.',
        examples: ['2026-11-15T00:00:00Z'],
      }),
    ),
  },
  {
    title: 'NewPrice',
    examples: [{ model: 'our-small-model', input_usd_per_million: '2.5', output_usd_per_million: '10' }],
  },
)
export type PriceInput = Static<typeof PriceInput>

const entryFaults = (price: Partial<PriceInput>): FieldFault[] => {
  const fault = timeFault(price)
  return [...(fault ? [{ field: 'effective_from', ...fault }] : []), ...detailFaults(price, maxChargeNano)]
}
export const NewPrice = withCheck(PriceInput, entryFaults)
export const PricesQuery = Type.Object({
  model: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Only entries of this model, in any spelling and version, and with them those of the catalogue behind the list.',
      examples: ['gpt-4o'],
    }),
  ),
})
export const PricePath = Type.Object({ id: PathId('org'), price_id: PathId('price') })

const input = Type.Object(
  {
    prices: Type.Array(PriceInput, { maxItems: maxPrices }),
    min_hold_usd: Type.Optional({
      ...Usd,
      default: '0.001',
      description:
        'The least that is held for any request whose price is not zero, also where fewer tokens would cost less; "0" is taken as $0.000000001.',
      examples: ['0.001'],
    }),
    unpriced: Type.Optional(
      Type.Enum([...unpricedModes], {
        description:
          'What becomes of a request to a model that has no price. `refuse`: 422. `ceiling`: `unpriced_ceiling_usd` is held, or its estimate where that is more. `estimate`: its estimate is held, and at least the ceiling where there is one; without either it is refused. Left out: `ceiling` where a ceiling is given, else `refuse`.',
      }),
    ),
    unpriced_ceiling_usd: Type.Optional({
      ...Nullable(Usd),
      default: null,
      description:
        'The least that is held for a request to a model that has no price, unless it is refused; null: there is no ceiling.',
    }),
    default_max_output_tokens: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxTokens,
        default: 4_096,
        description: 'What is held for the output where neither the request nor the price bounds it.',
      }),
    ),
  },
  {
    title: 'PricesInput',
    examples: [{ prices: [{ model: 'our-own-model', input_usd_per_million: '2.5', output_usd_per_million: '10' }] }],
  },
)
export type PricesInput = Static<typeof input>

/** Returns the treatment of requests to models without a price: a ceiling that is set without a word is meant to be used. */
export const unpricedModeOf = ({ unpriced, unpriced_ceiling_usd }: PricesInput): UnpricedMode =>
  unpriced ?? (unpriced_ceiling_usd == null ? 'refuse' : 'ceiling')

export const PricesInput = withCheck(input, faultsOf)

const shown = {
  model: Type.String(),
  provider: Nullable(Type.String()),
  input_usd_per_million: Usd,
  output_usd_per_million: Usd,
  cache_read_usd_per_million: Usd,
  cache_write_usd_per_million: Usd,
  ...detailFields,
  max_output_tokens: Nullable(Count),
  effective_from: Timestamp,
}

export const OwnPrice = Type.Object(
  { id: Id('price'), ...shown, created_at: Timestamp },
  { title: 'OwnPrice', description: 'A price of a model that somebody has set.' },
)
export type OwnPrice = Static<typeof OwnPrice>

export const Prices = Type.Object(
  {
    min_hold_usd: Usd,
    unpriced: OneOf([...unpricedModes]),
    unpriced_ceiling_usd: Nullable(Usd),
    default_max_output_tokens: Type.Integer(),
    prices: Type.Array(OwnPrice),
    list_prices: Type.Array(
      Type.Object({
        id: Type.String({ examples: ['list:gpt-4o@2024-08-06'] }),
        ...shown,
        source: OneOf(['list', 'catalog', 'installation']),
      }),
      {
        description:
          'The built-in list prices, as known at release. An entry in `prices` wins over them. Those of the catalogue and of the installation’s operators are shown with `model` only.',
      },
    ),
    unpriced_models: Computed(
      Type.Array(
        Type.Object({
          model: Type.String(),
          provider: Nullable(Type.String()),
          first_seen_at: Timestamp,
          last_seen_at: Timestamp,
        }),
        { description: 'Models that requests named and that have no price: the 200 seen last.' },
      ),
    ),
    installation_updated_at: Computed({
      ...Nullable(Timestamp),
      description: 'The last change of the prices that the operators of the installation set for every organization.',
    }),
    updated_at: Nullable(Timestamp),
  },
  { title: 'Prices', description: 'The organization’s prices and the list prices behind them.' },
)
export type Prices = Static<typeof Prices>

/** The settings beside the entries, as somebody would send them. */
export const settingsIn = (prices: Prices): Omit<PricesInput, 'prices'> => ({
  min_hold_usd: prices.min_hold_usd,
  unpriced: unpricedModes.find((mode) => mode === prices.unpriced) ?? 'refuse',
  unpriced_ceiling_usd: prices.unpriced_ceiling_usd,
  default_max_output_tokens: prices.default_max_output_tokens,
})

export const effectiveFromMs = ({ effective_from }: Pick<PriceInput, 'effective_from'>): number =>
  effective_from === undefined ? 0 : Date.parse(effective_from)

const lastMs = Date.parse('9999-12-31T23:59:59Z')

/** Field errors across the entries of a price book; JSON Schema checks them one by one. */
function faultsOf({ prices, min_hold_usd, unpriced, unpriced_ceiling_usd }: PricesInput): FieldFault[] {
  const faults: FieldFault[] = Object.entries({ min_hold_usd, unpriced_ceiling_usd }).flatMap(([field, amount]) =>
    amount != null && parseUsd(amount) > maxChargeNano
      ? [
          {
            field,
            code: 'out_of_range' as const,
            message: `One call may cost at most ${formatDollars(maxChargeNano)}.`,
          },
        ]
      : [],
  )
  if (unpriced_ceiling_usd != null && parseUsd(unpriced_ceiling_usd) === 0n) {
    faults.push({ field: 'unpriced_ceiling_usd', code: 'out_of_range', message: 'Must be more than zero, or null.' })
  }
  if (unpriced === 'ceiling' && unpriced_ceiling_usd == null) {
    faults.push({ field: 'unpriced_ceiling_usd', code: 'required', message: 'Needed where `unpriced` is `ceiling`.' })
  }
  return [...faults, ...priceFaults(prices)]
}

/** Field errors of entries beside one another. */
export function priceFaults(prices: readonly PriceInput[]): FieldFault[] {
  const faults: FieldFault[] = []
  const seen = new Set<string>()
  for (const [index, price] of prices.entries()) {
    const fault = timeFault(price)
    if (fault) faults.push({ field: `prices.${index}.effective_from`, ...fault })
    for (const { field, ...other } of detailFaults(price, maxChargeNano))
      faults.push({ field: `prices.${index}.${field}`, ...other })
    const identity = JSON.stringify([normalName(price.model), normalName(price.provider ?? ''), effectiveFromMs(price)])
    if (seen.has(identity)) {
      faults.push({
        field: `prices.${index}`,
        code: 'invalid_value',
        message: 'Another entry prices the same model and provider from the same time on.',
      })
    }
    seen.add(identity)
  }
  return faults
}

function timeFault(price: Pick<PriceInput, 'effective_from'>): Omit<FieldFault, 'field'> | undefined {
  if (price.effective_from === undefined) return undefined
  const ms = effectiveFromMs(price)
  const day = price.effective_from.slice(0, 10)
  const midnight = new Date(`${day}T00:00:00Z`)
  // The parser moves a 30th of February into March.
  if (Number.isNaN(ms) || Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) {
    return { code: 'invalid_format', message: 'There is no such time.' }
  }
  if (ms < 0 || ms > lastMs) return { code: 'out_of_range', message: 'Must be between 1970 and 9999.' }
  return undefined
}
