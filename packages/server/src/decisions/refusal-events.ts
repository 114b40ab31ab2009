import { createEventSampler, type NewEvent } from '../access/events/events.ts'
import type { Platform } from '../platform/infra/platform.ts'
import type { Tx } from '../platform/infra/sql.ts'
import { formatId } from '../values/id.ts'
import { present } from '../values/present.ts'
import type { DecisionRecord } from './decision-record.ts'
import type { DecisionInput } from './schema.ts'

/** Emits events of refusals to organizations that have opted in, up to a number per minute. */
export function createRefusalEmitter(platform: Pick<Platform, 'clock' | 'config'>) {
  const tell = createEventSampler(platform, 'decision.refused')
  return (tx: Tx, records: readonly DecisionRecord[]) =>
    tell(
      tx,
      records.filter(({ body, refused }) => refused !== undefined && !body.dry_run),
      eventOf,
    )
}

function eventOf({ id, body, refused }: DecisionRecord): NewEvent & { readonly kind: 'decision.refused' } {
  const input = body.inputs as DecisionInput
  const decisionId = formatId('decision', id)
  return {
    kind: 'decision.refused',
    subject: decisionId,
    data: {
      decision_id: decisionId,
      error_code: present(body.error_code),
      message: present(refused).error.message,
      decided_by: body.decided_by,
      estimated_cost_usd: body.price.amount_usd,
      model: input.model,
      provider: input.provider ?? null,
      workflow_id: input.workflow_id ?? null,
      deployment_id: input.deployment_id ?? null,
      department_id: input.department_id ?? null,
      customer_id: input.customer_id ?? null,
      user_id: input.user_id ?? null,
    },
  }
}
