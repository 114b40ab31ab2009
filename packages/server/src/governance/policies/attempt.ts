import { actorOf } from '../../access/changes/changes.ts'
import type { Caller } from '../../access/identity/identity.ts'
import { canonicalModel } from '../../money/prices/prices.ts'
import { normalForm } from '../../values/normal-form.ts'

/**
 * The run that a caller attempts to start, with everything that rules can read about it. It is stored with its outcome, so that
 * rules can be evaluated again later. Missing fields are '' or 0, so that no rule fails because of them.
 */
export interface RunAttempt {
  /** The time of the attempt; rules see it truncated to the minute. */
  readonly atMs: number
  readonly model: string
  readonly provider: string
  readonly operation: string
  readonly action: string
  readonly workflowId: string
  readonly deploymentId: string
  readonly departmentId: string
  readonly customerId: string
  readonly userId: string
  readonly inputTokens: number
  readonly maxOutputTokens: number
  /** The most that the run can cost. */
  readonly estimatedNano: bigint
  /** True when the input for the model was sent along, so that detectors could inspect it. */
  readonly hasInput?: boolean
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string | number | boolean>>
  readonly key: CallingKey
  readonly chain: ChainPosition
}

/** The key that makes the attempt. The role and scopes of a key never change. */
export interface CallingKey {
  /** The public ID. */
  readonly id: string
  readonly role: string
  readonly scopes: readonly string[]
}

/** The run's position in its chain; outside of a chain the depth is 1 and the cost is 0. */
export interface ChainPosition {
  readonly id: string
  readonly depth: number
  /** The amount that the chain has spent and holds, as last committed. */
  readonly costNano: bigint
}

/** The optional fields of a call as `/v1` names them. A missing or null field was not given. */
export interface AttemptFields {
  readonly provider?: string | null | undefined
  readonly operation?: string | null | undefined
  readonly action?: string | null | undefined
  readonly workflow_id?: string | null | undefined
  readonly deployment_id?: string | null | undefined
  readonly department_id?: string | null | undefined
  readonly customer_id?: string | null | undefined
  readonly user_id?: string | null | undefined
  readonly input_tokens?: number | null | undefined
  readonly max_output_tokens?: number | null | undefined
  readonly tags?: readonly string[] | null | undefined
  readonly has_input?: boolean | null | undefined
  readonly input?: string | readonly string[] | undefined
  readonly metadata?: RunAttempt['metadata'] | null | undefined
}

/** A character that says something; blanks and fillers do not. */
const telling = /(?![\u2800\u115f\u1160\u3164\uffa0])[\p{L}\p{N}\p{P}\p{S}]/u

/** True when an input has something to look at. */
export const hasText = (input: AttemptFields['input'] = []) =>
  typeof input === 'string' ? telling.test(input) : input.some((part) => telling.test(part))

/** Builds an attempt from the fields that the caller gave, names in their normal form, and the facts that the server knows. */
export const attemptOf = (
  given: AttemptFields,
  known: Pick<RunAttempt, 'atMs' | 'model' | 'estimatedNano' | 'key' | 'chain'>,
): RunAttempt => ({
  ...known,
  provider: given.provider ?? '',
  operation: normalForm(given.operation ?? ''),
  action: normalForm(given.action ?? ''),
  workflowId: normalForm(given.workflow_id ?? ''),
  deploymentId: normalForm(given.deployment_id ?? ''),
  departmentId: normalForm(given.department_id ?? ''),
  customerId: normalForm(given.customer_id ?? ''),
  userId: normalForm(given.user_id ?? ''),
  inputTokens: given.input_tokens ?? 0,
  maxOutputTokens: given.max_output_tokens ?? 0,
  ...((given.has_input ?? hasText(given.input)) && { hasInput: true }),
  tags: (given.tags ?? []).map(normalForm),
  metadata: given.metadata ?? {},
})

/** Returns the caller as rules see it: a key, or the user of a support grant. */
export const callingKeyOf = (caller: Caller): CallingKey => ({
  id: actorOf(caller).id,
  role: caller.role,
  scopes: [...caller.scopes],
})

/** The one name of an attempt's model, however it is spelled. */
export const modelBaseOf = ({ model, provider }: RunAttempt): string => canonicalModel(model, provider).model

/** The one name of an attempt's provider: the named one, else what the model says. */
export const providerBaseOf = ({ model, provider }: RunAttempt): string => canonicalModel(model, provider).provider

/** An attempt's provider as it was sent; where it was not, what the model says. */
export const providerIn = (attempt: RunAttempt): string => attempt.provider || providerBaseOf(attempt)
