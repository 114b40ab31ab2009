/**
 * Everything that rules can ask about: what is attempted, by whom, when. It is kept with what came of it, so that rules can be
 * asked again later. What was not said is '' or 0, so that no rule fails because of it.
 */
export interface Attempt {
  /** When; rules see the minute. */
  readonly atMs: number
  readonly model: string
  readonly provider: string
  readonly operation: string
  readonly action: string
  readonly workflowId: string
  readonly deploymentId: string
  readonly departmentId: string
  readonly customerId: string
  readonly inputTokens: number
  readonly maxOutputTokens: number
  /** What would be held. */
  readonly estimatedNano: bigint
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string | number | boolean>>
  readonly key: AttemptingKey
  readonly chain: AttemptedChain
}

/** Who asks. A key's role and scopes never change. */
export interface AttemptingKey {
  /** As `/v1` writes it. */
  readonly id: string
  readonly role: string
  readonly scopes: readonly string[]
}

/** Where in its chain the run would stand; outside of one the depth is 1 and nothing has been spent. */
export interface AttemptedChain {
  readonly id: string
  readonly depth: number
  /** What the chain has spent and holds, as last committed. */
  readonly costNano: bigint
}
