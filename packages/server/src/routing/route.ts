export const strategies = ['cheapest', 'fastest', 'best', 'weighted'] as const
export type Strategy = (typeof strategies)[number]

/** What a model is called: the same name at another provider is another model, and so is the name without a provider. */
export interface ModelName {
  readonly model: string
  readonly provider: string | null
}

/** A model that runs can be sent to. What is not known of it is null. */
export interface RoutingModel extends ModelName {
  readonly region: string | null
  readonly capabilities: readonly string[]
  readonly contextTokens: number | null
  readonly latencyMs: number | null
  readonly enabled: boolean
}

/** How a model did in a suite. */
export interface EvalResult extends ModelName {
  readonly id: string
  readonly suite: string
  readonly score: number
  readonly samples: number
  readonly latencyMs: number | null
  readonly measuredAtMs: number
}

/** What the latest result of a model in a suite must be for the model to be chosen. */
export interface Bar {
  readonly suite: string
  readonly minScore: number
  readonly minSamples: number
  readonly maxAgeSeconds: number
}

/** What else is asked of a model. What a model does not say of itself it does not fulfil. */
export interface Constraints {
  readonly capabilities: readonly string[]
  /** Empty: any. */
  readonly regions: readonly string[]
  readonly maxPriceNano: bigint | null
  readonly maxLatencyMs: number | null
  readonly minContextTokens: number | null
}

export interface Candidate extends ModelName {
  /** Only of a weighted route. */
  readonly weight: number | null
}

export interface Route {
  readonly id: string
  readonly name: string
  readonly strategy: Strategy
  readonly bar: Bar | null
  readonly constraints: Constraints
  /** null: every model of the organization. */
  readonly candidates: readonly Candidate[] | null
}

/** One text for a name, as a key and where people read it. */
export const nameOf = ({ model, provider }: ModelName): string => (provider === null ? model : `${provider}/${model}`)

/** The same, where two names must never be one text. */
export const keyOf = ({ model, provider }: ModelName): string => JSON.stringify([model, provider])
