import { makerTextOrNull } from '../../access/identity/identity.ts'
import { usdOrNull } from '../../money/ledger/ledger.ts'
import { formatId } from '../../values/id.ts'
import { formatUsd } from '../../values/money.ts'
import { recordBy } from '../../values/records.ts'
import { timestamp } from '../../values/timestamp.ts'
import type { RunRecord } from './rows.ts'
import type { Run } from './schema.ts'
import { usageNames } from './usage-schema.ts'

const timestampOf = (ms: number) => timestamp(new Date(ms))
const time = (ms: number | null) => (ms === null ? null : timestampOf(ms))

/** A run that is still going: everything known of it is in its hold. */
export interface RunningRun extends Pick<RunRecord, 'id' | 'about' | 'madeBy' | 'depth' | 'startedAtMs'> {
  readonly reservedNano: bigint
  readonly maxOutputTokens: number
  readonly expiresAtMs: number
}

/** A run as `/v1` shows it. */
export function runView(run: RunRecord, times: { recordedAtMs: number; updatedAtMs: number }): Run {
  return {
    ...aboutView(run),
    status: run.status,
    decision_id: run.holdId === null ? null : formatId('decision', run.holdId),
    // A started run has no reservation beside itself.
    reservation_id: run.holdId === null || run.holdId === run.id ? null : formatId('reservation', run.holdId),
    ...recordBy(usageNames, (name) => run.usage[name] ?? null),
    usage_detail: run.usageDetail ?? null,
    cost_usd: formatUsd(run.costNano),
    cost_basis: run.costBasis,
    reserved_usd: usdOrNull(run.reservedNano),
    overrun_usd: formatUsd(run.overrunNano),
    value_usd: usdOrNull(run.valueNano),
    ended_at: time(run.endedAtMs),
    expires_at: null,
    created_at: timestampOf(times.recordedAtMs),
    updated_at: timestampOf(times.updatedAtMs),
  }
}

const noUsage = recordBy(usageNames, () => null)

export const runningView = (run: RunningRun): Run => ({
  ...aboutView(run),
  status: 'running',
  reservation_id: null,
  decision_id: formatId('decision', run.id),
  ...noUsage,
  usage_detail: null,
  cost_usd: null,
  cost_basis: null,
  reserved_usd: formatUsd(run.reservedNano),
  max_output_tokens: run.maxOutputTokens,
  overrun_usd: null,
  value_usd: null,
  ended_at: null,
  expires_at: time(run.expiresAtMs),
  created_at: timestampOf(run.startedAtMs),
  updated_at: timestampOf(run.startedAtMs),
})

type Described = Pick<RunRecord, 'id' | 'about' | 'madeBy' | 'depth' | 'startedAtMs'>
const aboutView = ({ id, about, madeBy, depth, startedAtMs }: Described) => ({
  id: formatId('run', id),
  model: about.model,
  provider: about.provider ?? null,
  operation: about.operation ?? null,
  action: about.action ?? null,
  workflow_id: about.workflow_id ?? null,
  deployment_id: about.deployment_id ?? null,
  department_id: about.department_id ?? null,
  customer_id: about.customer_id ?? null,
  user_id: about.user_id ?? null,
  chain_id: about.chain_id ?? null,
  parent_run_id: about.parent_run_id === undefined ? null : formatId('run', about.parent_run_id),
  depth,
  external_id: about.external_id ?? null,
  key_id: makerTextOrNull(madeBy),
  tags: [...(about.tags ?? [])],
  metadata: { ...about.metadata },
  started_at: timestampOf(startedAtMs),
})
