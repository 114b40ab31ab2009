import type { Sql } from '../../platform/infra/sql.ts'
import { newTraceId } from '../../platform/infra/trace.ts'
import { formatId } from '../../values/id.ts'
import type { Keyring } from '../../values/keyring.ts'
import type { AuditEntry } from './chain.ts'
import { record } from './entries.ts'
import type { KnownHead } from './heads.ts'
import { readHeadsPage } from './queries.ts'

/**
 * Restores of the database to an earlier moment. A restored chain is sound and shorter than heads that were exported before say, exactly as
 * one that somebody has rewound. What tells them apart is an entry that only a holder of the master keys can seal, and that every reader of
 * the chain sees.
 */

const restoreAction = 'database.restored'
const pageSize = 100

export interface Restore {
  readonly seq: bigint
  readonly restoredTo: string
  readonly recordedAt: string
  /** True for a head that was exported after the moment to which the database went back, and before that was recorded. */
  readonly hasTakenBack: (head: KnownHead) => boolean
}

/** Returns the restore that an entry records; undefined for any other entry. */
export function restoreOf({ action, after, seq, at }: AuditEntry): Restore | undefined {
  if (action !== restoreAction) return undefined
  const restoredTo = String((after as { restored_to?: string } | null)?.restored_to)
  const [fromMs, toMs] = [Date.parse(restoredTo), Date.parse(at)]
  return { seq, restoredTo, recordedAt: at, hasTakenBack: ({ atMs }) => atMs > fromMs && atMs < toMs }
}

/** Records in every chain that the database was restored to a moment; returns how many chains there are. */
export async function recordRestore(sql: Sql, keyring: Keyring, moment: Date): Promise<number> {
  let chains = 0
  let after: string | undefined
  do {
    const page = await readHeadsPage(sql, after, pageSize)
    after = page.lastOrg
    for (const { org_id: orgId } of page.heads) {
      await sql.asOrgs([orgId], (tx) =>
        record(tx, keyring, orgId, {
          actor: { kind: 'system', id: 'record-restore', role: 'operator' },
          action: restoreAction,
          target: { kind: 'org', id: formatId('org', orgId) },
          after: { restored_to: moment.toISOString() },
          address: null,
          traceId: newTraceId(),
        }),
      )
      chains++
    }
  } while (after !== undefined)
  return chains
}
