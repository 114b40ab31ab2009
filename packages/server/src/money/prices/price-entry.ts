/** A price with the model, provider and date it applies to. */
export interface PriceEntry extends Price {
  readonly model: string
  /** `''` for any provider. */
  readonly provider: string
  readonly effectiveFromMs: number
}

/** Pico-dollars per token. */
export interface Price {
  /** `prc_…` for an organization's own, `list:<model>@<date>` for a built-in one. */
  readonly id: string
  readonly inputPico: bigint
  readonly outputPico: bigint
  readonly cacheReadPico: bigint
  readonly cacheWritePico: bigint
  readonly maxOutputTokens: number | null
}
