import { strict as assert } from 'node:assert'
import { type Static, Type } from 'typebox'
import type { Surface } from './limit-kind.ts'

/** An optional field; JSON leaves out what is undefined. */
const Field = <T>(schema: object) => Type.Optional(Type.Unsafe<T | undefined>(schema))
const Text = Field<string>(Type.String())
const Whole = Field<number>(Type.Integer())

/** The request that a hold was made for. */
const Request = Type.Object({
  model: Type.String(),
  provider: Text,
  estimated_cost_usd: Text,
  input_tokens: Whole,
  max_output_tokens: Whole,
  min_output_tokens: Whole,
  service_tier: Field<'standard' | 'priority' | 'flex' | 'batch'>(Type.String()),
  cache_creation: Field<'none' | '5m' | '1h'>(Type.String()),
  units: Field<Readonly<Record<string, number>>>(Type.Record(Type.String(), Type.Integer())),
  workflow_id: Text,
  deployment_id: Text,
  department_id: Text,
  customer_id: Text,
  user_id: Text,
  tags: Field<readonly string[]>(Type.Array(Type.String())),
  managed: Field<boolean>(Type.Boolean()),
  lease_seconds: Whole,
  dry_run: Field<boolean>(Type.Boolean()),
})

const Amounts = Field<Readonly<Record<string, string>>>(Type.Record(Type.String(), Type.String()))

/** Pico-dollars per token. */
const rates = {
  input_pico: Type.String(),
  output_pico: Type.String(),
  cache_read_pico: Type.String(),
  cache_write_pico: Type.String(),
  others: Amounts,
}
const Tier = Type.Object({ above: Type.Integer(), ...rates })

/** The price that was in force, with the rates of longer input and of what is not a token. */
const Price = Type.Object({
  id: Type.String(),
  ...rates,
  tiers: Field<readonly Static<typeof Tier>[]>(Type.Array(Tier)),
  units: Amounts,
})

const Admission = Type.Object({
  at_ms: Type.Number(),
  key_id: Type.String(),
  input_tokens: Type.Number(),
  max_output_tokens: Type.Number(),
  estimated_nano: Type.String(),
  chain_id: Type.String(),
  chain_depth: Type.Integer(),
  chain_cost_nano: Type.String(),
  set_version: Type.String(),
  approval_id: Type.Optional(Type.String()),
})

/** The run that started with a hold, beside its request. */
const Run = Type.Object({
  operation: Text,
  action: Text,
  chain_id: Text,
  parent_run_id: Text,
  external_id: Text,
  tags: Field<readonly string[]>(Type.Array(Type.String())),
  metadata: Field<Readonly<Record<string, unknown>>>(Type.Record(Type.String(), Type.Unknown())),
  admission: Field<Static<typeof Admission>>(Admission),
  depth: Whole,
})

/** The JSON that is stored with a hold, in `holds.inputs`: enough to explain it, and to settle it at the price that was in force. */
export const HoldPayload = Type.Object({
  customer_id: Text,
  surface: Type.Unsafe<Surface>(Type.String()),
  /** The version of the rules that decided. */
  version: Type.Integer(),
  request: Request,
  basis: Type.String(),
  /** Tokens of the worst case. */
  tokens: Type.Integer(),
  price: Type.Union([Price, Type.Null()]),
  run: Field<Static<typeof Run>>(Run),
  /** Limit, spent and held of each allowance as it was read; thresholds where no process caches them. */
  read: Type.Array(
    Type.Unsafe<readonly [string | null, string, string, (readonly number[])?]>(
      Type.Array(Type.Unknown(), { minItems: 3, maxItems: 4 }),
    ),
  ),
})
export type HoldPayload = Readonly<Static<typeof HoldPayload>>

/** The part of the payload that is known before the hold is decided. */
export type HoldInputs = Omit<HoldPayload, 'read'>

/** One allowance as a hold found it. */
export interface HoldReading {
  readonly limit: bigint | null
  readonly spent: bigint
  readonly held: bigint
  /** Empty where they are found elsewhere. */
  readonly thresholds: readonly number[]
}

/** Returns the payload of a hold that is written. */
export const encodeHold = (inputs: HoldInputs, readings: readonly HoldReading[]): HoldPayload => ({
  ...inputs,
  read: readings.map(({ limit, spent, held, thresholds }) => {
    const amounts = [limit?.toString() ?? null, `${spent}`, `${held}`] as const
    return thresholds.length > 0 ? [...amounts, thresholds] : amounts
  }),
})

/** Returns the payload of a hold that was read. Only `encodeHold` writes it, so it is not validated again with each decision. */
export function decodeHold(json: unknown): HoldPayload {
  assert(typeof json === 'object' && json !== null && 'read' in json, 'a hold has no payload')
  return json as HoldPayload
}

/** Returns the allowances as a hold found them, in the order of its keys. */
export const readingsOf = ({ read }: HoldPayload): HoldReading[] =>
  read.map(([limit, spent, held, thresholds = []]) => ({
    limit: limit === null ? null : BigInt(limit),
    spent: BigInt(spent),
    held: BigInt(held),
    thresholds,
  }))
