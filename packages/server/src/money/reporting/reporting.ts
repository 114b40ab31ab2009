import { auditKeyring, recordOfJob } from '../../access/audit/audit.ts'
import { emit } from '../../access/events/events.ts'
import type { Job } from '../../platform/infra/jobs.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { formatId } from '../../values/id.ts'
import type { Keyring } from '../../values/keyring.ts'
import { formatUsd } from '../../values/money.ts'
import { lockLedgerForConfigChange } from '../ledger/ledger.ts'
import {
  orgsToWatch,
  type RaisedRow,
  type ReportingRow,
  raiseFloors,
  reportingSince,
  takeUnreported,
  type UnreportedRow,
} from './queries.ts'
import type { KeyReporting } from './schema.ts'

export { countReporting, floorsOf, type ReportingCounts } from './queries.ts'

export const listReporting = async (tx: Tx, orgId: string, days: number, most: number) => ({
  data: (await reportingSince(tx, orgId, days, most)).map(viewOf),
})

const viewOf = (row: ReportingRow): KeyReporting => ({
  key_id: formatId('key', row.lineage_id),
  name: row.name,
  unreported: { runs: Number(row.unreported_runs), usd: formatUsd(row.unreported_nano) },
  released: { runs: Number(row.released_runs), usd: formatUsd(row.released_nano) },
  overrun: { runs: Number(row.overrun_runs), usd: formatUsd(row.overrun_nano) },
  late: { runs: Number(row.late_runs), usd: formatUsd(row.late_nano) },
  held_at_usd: row.floor_nano === null ? null : formatUsd(row.floor_nano),
})

const orgsAtOnce = 200

/** Tells of keys that leave calls unreported, and sets the floor of those whose overrun has passed its maximum. */
export async function watchReporting({ sql, config }: Pick<Platform, 'sql' | 'config'>, signal?: AbortSignal) {
  const keyring = auditKeyring(config.masterKeys())
  for (const orgId of await orgsToWatch(sql, orgsAtOnce)) {
    signal?.throwIfAborted()
    await watchOrg(sql, keyring, orgId)
  }
}

const watchOrg = (sql: Sql, keyring: Keyring, orgId: string) =>
  sql.asOrgs([orgId], async (tx) => {
    await lockLedgerForConfigChange(tx, orgId)
    const [unreported, raised] = [await takeUnreported(tx, orgId), await raiseFloors(tx, orgId)]
    const held = raised.filter(({ is_new }) => is_new).map(heldAtCost)
    await emit(tx, orgId, [
      ...unreported
        .map(unreportedData)
        .map((data) => ({ kind: 'key.unreported' as const, subject: data.key_id, data })),
      ...held.map((data) => ({ kind: 'key.held_at_cost' as const, subject: data.key_id, data })),
    ])
    await recordOfJob(
      tx,
      keyring,
      orgId,
      'watch-reporting',
      held.map((data) => ({ action: 'key.held_at_cost', target: { kind: 'key', id: data.key_id }, after: data })),
    )
  })

const unreportedData = (row: UnreportedRow) => ({
  key_id: formatId('key', row.lineage_id),
  day: row.day,
  unreported_runs: Number(row.unreported_runs),
  unreported_usd: formatUsd(row.unreported_nano),
})

const heldAtCost = (row: RaisedRow) => ({
  key_id: formatId('key', row.lineage_id),
  day: row.day,
  overrun_usd: formatUsd(row.overrun_nano),
  max_overrun_usd: formatUsd(row.max_overrun_nano),
  held_at_usd: formatUsd(row.floor_nano),
})

export const watchReportingJob = (platform: Platform): Job => ({
  name: 'watch-reporting',
  schedule: '* * * * *',
  run: (_payload, signal) => watchReporting(platform, signal),
})
