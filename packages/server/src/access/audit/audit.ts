import { type PageRequest, pageResponse } from '../../contract/lists.ts'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { formatId } from '../../values/id.ts'
import type { Keyring } from '../../values/keyring.ts'
import { lastOf } from '../../values/present.ts'
import { type ChainVerification, createChainVerifier, genesis } from './chain.ts'
import {
  type AuditFilters,
  type AuditPosition,
  type EntryRow,
  findSeal,
  type Head,
  listEntries,
  readChainPage,
} from './queries.ts'

export type { Actor } from './chain.ts'
export { type AuditRecord, auditKeyring, record, recordAll, recordAlongside, recordOfJob } from './entries.ts'
export { exportAudit } from './export.ts'
export { exportAuditHeadsJob } from './heads.ts'
export { verifyExport } from './offline.ts'
export { ensureAuditPartitions, maintainAuditPartitionsJob } from './partitions.ts'
export { createDeniedRecorder, createImpersonationRecorder } from './recorders.ts'
export { recordRestore } from './restores.ts'
export { handOverChains, loadVerifyingKeyring, retireAuditKeys } from './retired-keys.ts'

/** Truncates microseconds, over which the chain is computed, to the milliseconds of all other responses. */
const toMilliseconds = (at: string) => at.replace(/(?<=\.\d{3})\d{3}/, '')

const entryView = ({ id, seq, at, ...row }: EntryRow) => ({
  id: formatId('audit', id),
  seq: seq.toString(),
  created_at: toMilliseconds(at),
  actor: row.actor,
  action: row.action,
  target: row.target,
  outcome: row.outcome,
  before: row.before,
  after: row.after,
  address: row.address,
  trace_id: row.trace_id,
  count: row.count,
  reason: row.reason,
})

export async function listAudit(tx: Tx, orgId: string, request: PageRequest, filters: AuditFilters) {
  const rows = await listEntries(tx, orgId, request, filters)
  const answer = pageResponse(rows, request, ({ at, seq }) => ({ value: at, id: seq.toString() }))
  return { ...answer, data: answer.data.map(entryView) }
}

const verifyPageRows = 500

export interface VerifyOptions {
  /** Place to continue after: an entry that an earlier call found sound. */
  readonly after?: AuditPosition | undefined
  /** Checked between pages; when true, the rest is left to the next call. */
  readonly isTimeUp?: () => boolean
}

/**
 * Recomputes an organization's chain from its first entry, in short transactions, and compares its end with the head that the
 * database stores. Rewinding both to an earlier state is detected by the exported heads.
 */
export async function verifyAudit(
  sql: Sql,
  keyring: Keyring,
  orgId: string,
  { after, isTimeUp = () => false }: VerifyOptions = {},
): Promise<ChainVerification & { next: AuditPosition | null }> {
  const mac = after && (await findSeal(sql, orgId, after))
  const chain = createChainVerifier(keyring, after && mac && { seq: after.seq, mac })
  const end = (next: AuditPosition | null = null) => ({ ...chain.result(), next })
  if (after && !mac) {
    chain.fail(after.seq, 'missing')
    return end()
  }
  let place = after
  for (;;) {
    const { head, entries } = await readChainPage(sql, orgId, place, verifyPageRows)
    for (const entry of entries) if (!chain.accept(entry)) return end()
    if (entries.length < verifyPageRows) {
      compareWithHead(chain, head)
      chain.end()
      return end()
    }
    place = lastOf(entries)
    if (isTimeUp()) return end({ seq: place.seq, at: place.at })
  }
}

function compareWithHead(chain: ReturnType<typeof createChainVerifier>, head: Head | undefined) {
  const last = chain.last()
  const storedHead = head ?? { seq: 0n, mac: genesis }
  if (storedHead.seq > last.seq) chain.fail(last.seq + 1n, 'truncated')
  else if (storedHead.seq < last.seq || !storedHead.mac.equals(last.mac)) chain.fail(last.seq, 'head_mismatch')
}
