import { type EventData, eventsStatement } from '../../access/events/events.ts'
import { makerTextOrNull } from '../../access/identity/identity.ts'
import type { BoundStatement } from '../../platform/infra/pipelined-connection.ts'
import type { RunRecord } from '../../records/run-log/run-log.ts'
import { formatId } from '../../values/id.ts'
import { formatUsd } from '../../values/money.ts'
import { timestamp } from '../../values/timestamp.ts'
import type { OrgWrites } from './org-writes.ts'

/** Events about the runs that a batch ends, for organizations that have opted in. */
export function runEvents(outcomes: readonly OrgWrites[]): BoundStatement[] {
  const events = outcomes
    .filter(({ optIns }) => optIns.has('run.finished'))
    .flatMap(({ orgId, at, runs }) =>
      runs.counted
        .filter(({ sign }) => sign === 1n)
        .map(({ run }) => ({
          orgId,
          at,
          event: { kind: 'run.finished' as const, subject: formatId('run', run.id), data: finishedRun(run) },
        })),
    )
  return events.length > 0 ? [eventsStatement(events)] : []
}

const time = (ms: number) => timestamp(new Date(ms))

const finishedRun = ({ about, usage, ...run }: RunRecord): EventData<'run.finished'> => ({
  run_id: formatId('run', run.id),
  external_id: about.external_id ?? null,
  // A started run has no reservation beside itself.
  reservation_id: run.holdId === null || run.holdId === run.id ? null : formatId('reservation', run.holdId),
  key_id: makerTextOrNull(run.madeBy),
  status: run.status,
  model: about.model,
  provider: about.provider ?? null,
  workflow_id: about.workflow_id ?? null,
  deployment_id: about.deployment_id ?? null,
  department_id: about.department_id ?? null,
  customer_id: about.customer_id ?? null,
  user_id: about.user_id ?? null,
  chain_id: about.chain_id ?? null,
  cost_usd: formatUsd(run.costNano),
  cost_basis: run.costBasis,
  input_tokens: usage.input_tokens ?? null,
  output_tokens: usage.output_tokens ?? null,
  started_at: time(run.startedAtMs),
  ended_at: run.endedAtMs === null ? null : time(run.endedAtMs),
})
