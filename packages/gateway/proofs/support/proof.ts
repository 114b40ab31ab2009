/** Options of a proof. */
export interface ProofOptions {
  /** A small form, which only shows that it works. */
  readonly smoke: boolean
  readonly seed: number
  /** The number of cases, where another one is wanted. */
  readonly count?: number
  /** A fault that is planted, and must be found. */
  readonly bug?: string
  /** Whether the result is kept for `docs/proof.md`. */
  readonly record: boolean
}
