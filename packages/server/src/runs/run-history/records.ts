import { makerIn } from '../../access/identity/identity.ts'
import { decodeHold } from '../../money/ledger/ledger.ts'
import { type RunHold, type RunRecord, runView, usageNames } from '../../records/run-log/run-log.ts'
import type { RunningRow, RunRow } from './queries.ts'

/** Leaves out fields that are null. */
const withoutNulls = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as {
    [K in keyof T]?: NonNullable<T[K]>
  }

/** Builds a run that has ended, from its row. */
export function recordOf(row: RunRow): RunRecord {
  const { model, tags, metadata, depth } = row
  const { provider, operation, action, workflow_id, deployment_id, department_id, customer_id, user_id } = row
  const { chain_id, parent_run_id, external_id } = row
  const usage = usageNames.flatMap((name) => (row[name] === null ? [] : [[name, Number(row[name])] as const]))
  return {
    id: row.id,
    retentionClass: row.class,
    status: row.status as RunRecord['status'],
    about: {
      model,
      ...withoutNulls({ provider, operation, action, workflow_id, deployment_id, department_id, customer_id, user_id }),
      ...withoutNulls({ chain_id, parent_run_id, external_id }),
      tags,
      ...withoutNulls({ metadata: metadata as RunRecord['about']['metadata'] | null }),
    },
    madeBy: makerIn(row),
    depth,
    holdId: row.hold_id,
    usage: Object.fromEntries(usage),
    ...withoutNulls({ usageDetail: row.usage_detail as RunRecord['usageDetail'] | null }),
    costNano: row.cost_nano,
    costBasis: row.cost_basis as RunRecord['costBasis'],
    reservedNano: row.reserved_nano,
    overrunNano: row.overrun_nano,
    valueNano: row.value_nano,
    startedAtMs: row.started_at.getTime(),
    endedAtMs: row.ended_at === null ? null : row.ended_at.getTime(),
  }
}

export const viewOf = (row: RunRow) =>
  runView(recordOf(row), { recordedAtMs: row.recorded_at.getTime(), updatedAtMs: row.updated_at.getTime() })

export const holdOf = (row: RunningRow): RunHold => ({
  id: row.id,
  expiresAtMs: row.expires_at.getTime(),
  amountNano: row.amount_nano,
  inputs: decodeHold(row.inputs),
  madeBy: makerIn(row),
})
