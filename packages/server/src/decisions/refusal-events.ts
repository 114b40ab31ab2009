import { emitAll, type NewEvent, orgsWanting } from '../events/events.ts'
import type { Platform } from '../infra/platform.ts'
import type { Tx } from '../infra/sql.ts'
import { formatId } from '../values/id.ts'
import type { DecisionRecord } from './records.ts'
import type { DecisionInput } from './schema.ts'

/** Tells organizations that want to know of refusals, as many a minute as they may be told. */
export function tellRefusals({ clock, config }: Pick<Platform, 'clock' | 'config'>) {
  let minute = 0
  let counts = new Map<string, number>()

  function mayTell(orgId: string) {
    const now = Math.floor(clock.now().getTime() / 60_000)
    if (now !== minute) {
      minute = now
      counts = new Map()
    }
    const count = counts.get(orgId) ?? 0
    if (count >= config.refusalEventsPerMinute) return false
    counts.set(orgId, count + 1)
    return true
  }

  return async (tx: Tx, records: readonly DecisionRecord[]) => {
    const refused = records.filter(({ body, message }) => message !== undefined && !body.dry_run)
    if (refused.length === 0) return
    const wanting = await orgsWanting(tx, [...new Set(refused.map(({ orgId }) => orgId))], 'decision.refused')
    const told = refused.filter(({ orgId }) => wanting.has(orgId) && mayTell(orgId))
    await emitAll(
      tx,
      told.map((record) => ({ orgId: record.orgId, event: eventOf(record) })),
    )
  }
}

function eventOf({ id, body, message }: DecisionRecord): NewEvent {
  const input = body.inputs as DecisionInput
  const decisionId = formatId('decision', id)
  return {
    kind: 'decision.refused',
    subject: decisionId,
    data: {
      decision_id: decisionId,
      error_code: body.error_code!,
      message: message!,
      decided_by: body.decided_by,
      estimated_cost_usd: body.price.amount_usd,
      model: input.model,
      provider: input.provider ?? null,
      workflow_id: input.workflow_id ?? null,
      deployment_id: input.deployment_id ?? null,
      department_id: input.department_id ?? null,
      customer_id: input.customer_id ?? null,
    },
  }
}
