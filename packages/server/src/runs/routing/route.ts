export const strategies = ['cheapest', 'fastest', 'best', 'weighted'] as const
export type Strategy = (typeof strategies)[number]

/** The identity of a model: the same name at another provider is another model, and so is the name without a provider. */
export interface ModelName {
  readonly model: string
  readonly provider: string | null
}

/** A model that runs can be sent to. Unknown properties are null. */
export interface RoutableModel extends ModelName {
  readonly region: string | null
  readonly capabilities: readonly string[]
  readonly contextTokens: number | null
  readonly latencyMs: number | null
  readonly enabled: boolean
}

/** The result of a model in a suite. */
export interface EvalScore extends ModelName {
  readonly id: string
  readonly suite: string
  readonly score: number
  readonly samples: number
  readonly latencyMs: number | null
  readonly measuredAtMs: number
}

/** The requirements on a model's latest result in a suite. */
export interface Bar {
  readonly suite: string
  readonly minScore: number
  readonly minSamples: number
  readonly maxAgeSeconds: number
}

/** Further requirements on a model. An unknown property of a model does not meet a constraint. */
export interface Constraints {
  readonly capabilities: readonly string[]
  /** The allowed regions; empty means any. */
  readonly regions: readonly string[]
  readonly maxPriceNano: bigint | null
  readonly maxLatencyMs: number | null
  readonly minContextTokens: number | null
}

export interface RouteCandidate extends ModelName {
  /** Set only on a weighted route. */
  readonly weight: number | null
}

export interface RouteDefinition {
  readonly id: string
  readonly name: string
  readonly strategy: Strategy
  readonly bar: Bar | null
  readonly constraints: Constraints
  /** The candidates; null means every model of the organization. */
  readonly candidates: readonly RouteCandidate[] | null
}

/** Returns the display name of a model. */
export const modelDisplayName = ({ model, provider }: ModelName): string =>
  provider === null ? model : `${provider}/${model}`

/** Returns a key that is unique for each name. */
export const modelKey = ({ model, provider }: ModelName): string => JSON.stringify([model, provider])
