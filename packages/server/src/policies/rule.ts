export const effects = ['block', 'require_approval', 'allow'] as const
export type Effect = (typeof effects)[number]

/** What a rule is about: every run has a model, and some an action. */
export const targets = ['model', 'action'] as const
export type Target = (typeof targets)[number]

/** One rule of an organization. */
export interface Rule {
  readonly id: string
  readonly name: string
  readonly effect: Effect
  readonly target: Target
  /** The least comes first; among equals the one that was made first. */
  readonly priority: number
  readonly expression: string
  readonly reason: string
  readonly enabled: boolean
  /** Decides and is recorded, but refuses nothing. */
  readonly shadow: boolean
  /** Grows with every change of the rule. */
  readonly version: number
}

/** What rules say of an attempt. Where none matches it is allowed. */
export interface PolicyVerdict {
  /** `error`: the rule failed while it was asked, so that nothing can be said. */
  readonly outcome: Effect | 'error'
  /** The rule that decided; none where none matched. */
  readonly rule: Rule | null
  /** What failed, for whoever mends the rule. */
  readonly failure?: string
  /** The first rule in shadow that would have decided otherwise, had it not been one. */
  readonly shadow: { readonly rule: Rule; readonly outcome: Effect | 'error'; readonly failure?: string } | null
}
