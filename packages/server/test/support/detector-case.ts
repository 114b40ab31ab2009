/** Texts in which a detector must find something, and texts in which it must not. */
export interface Cases {
  readonly positive: readonly string[]
  readonly negative: readonly string[]
}
