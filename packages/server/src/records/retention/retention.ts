import type { ChangeTools } from '../../access/changes/changes.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import { lockLedgerForConfigChange } from '../../money/ledger/ledger.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId } from '../../values/id.ts'
import { timestamp } from '../../values/timestamp.ts'
import { classFor, defaultRawDays } from '../run-log/run-log.ts'
import { findPolicy, type PolicyRow, upsertPolicy } from './queries.ts'
import type { RetentionPolicy, RetentionPolicyInput } from './schema.ts'

export { pruneRowsJob } from './prune-job.ts'
export { maintainRunPartitionsJob, pruneChainsJob } from './upkeep.ts'

/** The retention of an organization's runs. */
export interface Retention {
  /** Days after which a run is no longer shown, whether or not its partition still exists. */
  readonly rawDays: number
  /** The retention class of runs that are recorded from now on. */
  readonly retentionClass: number
  /** Retention classes that may have runs of the organization. */
  readonly classes: readonly number[]
}

const defaultClass = classFor(defaultRawDays)

export async function loadRetention(tx: Tx, orgId: string): Promise<Retention> {
  const found = await findPolicy(tx, orgId)
  return found
    ? { rawDays: found.raw_days, retentionClass: found.class, classes: found.classes }
    : { rawDays: defaultRawDays, retentionClass: defaultClass, classes: [defaultClass] }
}

const viewOf = (row: PolicyRow | undefined): RetentionPolicy => ({
  raw_days: row?.raw_days ?? defaultRawDays,
  class_days: row?.class ?? defaultClass,
  created_at: row ? timestamp(row.created_at) : null,
  updated_at: row ? timestamp(row.updated_at) : null,
})

export const getPolicy = async (tx: Tx, orgId: string): Promise<RetentionPolicy> => viewOf(await findPolicy(tx, orgId))

/** Sets the retention of runs that are recorded from now on: runs in partitions of another class stay there. */
export async function putPolicy(
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  wanted: DesiredState<RetentionPolicyInput>,
) {
  await lockLedgerForConfigChange(tx, orgId)
  const found = await findPolicy(tx, orgId)
  const before = viewOf(found)
  replaces(before)
  const { raw_days } = wanted(before)
  const retentionClass = classFor(raw_days)
  const used = new Set([...(found?.classes ?? [defaultClass]), retentionClass])
  const row = await upsertPolicy(tx, orgId, {
    raw_days,
    class: retentionClass,
    classes: [...used].sort((a, b) => a - b),
  })
  const after = viewOf(row)
  audit({
    action: 'retention_policy.set',
    target: { kind: 'retention_policy', id: formatId('org', orgId) },
    before,
    after,
  })
  return after
}
