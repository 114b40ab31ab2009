import { actorOf } from '../changes/changes.ts'
import type { Caller } from '../identity/identity.ts'

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

/** What is said of a call beside its model, in the words of `/v1`. What is missing or null was not said. */
export interface AttemptFields {
  readonly provider?: string | null | undefined
  readonly operation?: string | null | undefined
  readonly action?: string | null | undefined
  readonly workflow_id?: string | null | undefined
  readonly deployment_id?: string | null | undefined
  readonly department_id?: string | null | undefined
  readonly customer_id?: string | null | undefined
  readonly input_tokens?: number | null | undefined
  readonly max_output_tokens?: number | null | undefined
  readonly tags?: readonly string[] | null | undefined
  readonly metadata?: Attempt['metadata'] | null | undefined
}

/** An attempt from what is said of it, and what somebody else knows. */
export const attemptOf = (
  said: AttemptFields,
  known: Pick<Attempt, 'atMs' | 'model' | 'estimatedNano' | 'key' | 'chain'>,
): Attempt => ({
  ...known,
  provider: said.provider ?? '',
  operation: said.operation ?? '',
  action: said.action ?? '',
  workflowId: said.workflow_id ?? '',
  deploymentId: said.deployment_id ?? '',
  departmentId: said.department_id ?? '',
  customerId: said.customer_id ?? '',
  inputTokens: said.input_tokens ?? 0,
  maxOutputTokens: said.max_output_tokens ?? 0,
  tags: said.tags ?? [],
  metadata: said.metadata ?? {},
})

/** Who asks, as rules see it: a key, or whoever acts under a support grant. */
export const keyOf = (caller: Caller): AttemptingKey => ({
  id: actorOf(caller).id,
  role: caller.role,
  scopes: [...caller.scopes],
})
