import type { RawBuilder } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'
import { newUuid } from '../../values/id.ts'
import { deriveKeyring, type Keyring, type MasterKeys } from '../../values/keyring.ts'
import { type Actor, auditPurpose, type SealedEntry, sealOf } from './chain.ts'
import { appendEntries, lockHead, nextTime } from './queries.ts'

/** An action as its code describes it; the chain adds the rest. */
export interface AuditRecord {
  readonly actor: Actor
  readonly action: string
  readonly target: { readonly kind: string; readonly id: string }
  readonly outcome?: 'allowed' | 'denied'
  readonly before?: unknown
  readonly after?: unknown
  readonly address: string | null
  readonly traceId: string
  readonly count?: number
  /** Reason that the caller gave. */
  readonly reason?: string | null
}

export const auditKeyring = (masterKeys: MasterKeys): Keyring => deriveKeyring(masterKeys, auditPurpose)

/**
 * Appends an entry to an organization's chain in the transaction of the change, last of all: the chain's head is its last lock.
 */
export const record = (tx: Tx, keyring: Keyring, orgId: string, record: AuditRecord) =>
  recordAll(tx, keyring, orgId, [record])

/** Appends what a job of the worker has changed by itself. */
export const recordOfJob = (
  tx: Tx,
  keyring: Keyring,
  orgId: string,
  job: string,
  changes: readonly Pick<AuditRecord, 'action' | 'target' | 'after'>[],
) =>
  recordAll(
    tx,
    keyring,
    orgId,
    changes.map((change) => ({
      ...change,
      actor: { kind: 'system', id: job, role: 'worker' },
      address: null,
      traceId: '',
    })),
  )

/** Appends several entries, in their order. */
export async function recordAll(tx: Tx, keyring: Keyring, orgId: string, records: readonly AuditRecord[]) {
  await recordAlongside(tx, keyring, orgId, records)
}

/**
 * Appends entries, and returns the value of an expression as it is under the lock of the chain: whatever other changes of the organization
 * have put on record is seen. Undefined without entries.
 */
export async function recordAlongside<T = null>(
  tx: Tx,
  keyring: Keyring,
  orgId: string,
  records: readonly AuditRecord[],
  alongside?: RawBuilder<T>,
): Promise<T | undefined> {
  if (records.length === 0) return undefined
  let head = await lockHead(tx, orgId)
  const { at, found } = await nextTime(tx, orgId, head.seq, alongside)
  const { id: macKeyId, bytes } = keyring.current
  const entries = records.map((record): SealedEntry => {
    const entry = {
      org_id: orgId,
      seq: head.seq + 1n,
      id: newUuid(),
      at,
      actor: record.actor,
      action: record.action,
      target: record.target,
      outcome: record.outcome ?? 'allowed',
      before: toStoredValue(record.before),
      after: toStoredValue(record.after),
      address: record.address,
      trace_id: record.traceId,
      count: record.count ?? 1,
      reason: record.reason ?? null,
    }
    const mac = sealOf(bytes, head.mac, entry)
    head = { seq: entry.seq, mac }
    return { ...entry, mac, mac_key_id: macKeyId }
  })
  await appendEntries(tx, entries)
  return found
}

/** Returns the value as it will be read back: a `Date` sealed as such could never be verified from its text. */
const toStoredValue = (value: unknown): unknown =>
  value === undefined || value === null ? null : JSON.parse(JSON.stringify(value))
