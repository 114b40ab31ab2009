import { type Refusal, refusalWith } from '../refusals/refusals.ts'
import type { KnownRun } from '../weir/weir.ts'
import type { GatewayParts } from './gateway-parts.ts'
import type { IncomingCall } from './incoming-call.ts'

/**
 * Says why a call may not start under a name that is taken: another one runs, or has cost something. Returns undefined where the earlier one
 * ended at no cost, so that the call may be tried again. Answers are not kept, so none is repeated.
 */
export async function earlierRefusal(
  { weir, settlements }: GatewayParts,
  { caller, name }: IncomingCall,
  externalId: string,
): Promise<Refusal | undefined> {
  // A caller's key may start runs and not read them; the gateway's own may know more.
  const run = (await weir.find(caller, externalId)) ?? (await weir.find(settlements.reader(), externalId))
  if (run === undefined)
    return refusalWith(
      400,
      'idempotency_key_used',
      'this Idempotency-Key was used before. Answers are not kept: send another key to call again.',
    )
  if (run.metadata['gateway_request'] !== name.request)
    return refusalWith(400, 'idempotency_key_conflict', 'this Idempotency-Key was used for another request.')
  const details = { run_id: run.id, status: run.status, cost_usd: run.costUsd }
  if (run.status === 'running')
    return {
      ...refusalWith(409, 'idempotency_key_processing', `the call with this Idempotency-Key is running (${run.id}).`),
      details,
      retryAfterSeconds: 0.5,
    }
  if (costNothing(run)) return undefined
  const cost = run.costUsd === undefined ? '' : ` It cost $${run.costUsd}.`
  return {
    ...refusalWith(
      400,
      'idempotency_key_used',
      `the call with this Idempotency-Key has ended (${run.id}, ${run.status}).${cost} Its answer is not kept: send another key to call again.`,
    ),
    details,
  }
}

/** True for a run that the gateway ended because no provider did any work for it. */
const costNothing = ({ status, costUsd, costBasis }: KnownRun) =>
  (status === 'failed' || status === 'cancelled') && costUsd === '0' && costBasis === 'reported'
