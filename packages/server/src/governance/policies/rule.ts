export const effects = ['block', 'require_approval', 'allow'] as const
export type RuleEffect = (typeof effects)[number]

/** The part of a run that a rule is about: every run has a model, and some have an action. */
export const targets = ['model', 'action'] as const
export type RuleTarget = (typeof targets)[number]

/** Those who may decide on the requests of a rule. `another_person` is a person who is not behind the asking key. */
export const approvers = ['anyone', 'person', 'another_person'] as const
export type Approver = (typeof approvers)[number]

/** One rule of an organization. */
export interface Rule {
  readonly id: string
  readonly name: string
  readonly effect: RuleEffect
  readonly target: RuleTarget
  /** Lower values are evaluated first; among equals, the rule that was created first. */
  readonly priority: number
  readonly expression: string
  readonly reason: string
  readonly enabled: boolean
  /** True for a rule whose matches are recorded but refuse nothing. */
  readonly shadow: boolean
  /** Incremented by every change of the rule. */
  readonly version: number
}

/** The decision of the rules on an attempt. Where none matches it is allowed. */
export interface PolicyVerdict {
  /** `error` means that the rule failed to evaluate, so there is no decision. */
  readonly outcome: RuleEffect | 'error'
  /** The rule that decided; null when none matched. */
  readonly rule: Rule | null
  /** The error message, for the author of the rule. */
  readonly failure?: string
  /** The first shadow rule that would have decided. */
  readonly shadow: { readonly rule: Rule; readonly outcome: RuleEffect | 'error'; readonly failure?: string } | null
}
