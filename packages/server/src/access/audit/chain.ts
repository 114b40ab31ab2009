import { createHmac } from 'node:crypto'
import type { Keyring } from '../../values/keyring.ts'
import { cachedKeyObject } from '../../values/prepared-key.ts'

/** The acting key or person, the operator behind a support grant, the directory behind a provisioning token, or the service itself. */
export interface Actor {
  readonly kind: 'key' | 'support' | 'person' | 'directory' | 'system'
  readonly id: string
  readonly role: string
  /** The operator's own key behind a support grant. */
  readonly operator_key_id?: string
  /** The address of a person, as their organization knew it. */
  readonly email?: string
  /** The connection to an identity provider through which a person signed in. */
  readonly connection_id?: string
  /** The session through which it acted. */
  readonly session_id?: string
  /** The Slack user as whom a member acted, in place of a session. */
  readonly slack_user_id?: string
}

/** An entry as it is chained: everything but its seal. */
export interface AuditEntry {
  readonly org_id: string
  readonly seq: bigint
  readonly id: string
  readonly at: string
  readonly actor: Actor
  readonly action: string
  readonly target: { readonly kind: string; readonly id: string }
  readonly outcome: 'allowed' | 'denied'
  readonly before: unknown
  readonly after: unknown
  readonly address: string | null
  readonly trace_id: string
  readonly count: number
  /** The reason that the caller gave; sealed only where there is one, as entries from before have none. */
  readonly reason: string | null
}

export interface SealedEntry extends AuditEntry {
  readonly mac: Buffer
  readonly mac_key_id: string
}

/** The head of an empty chain. */
export const genesis = Buffer.alloc(32)

/** Serializes a value canonically, whatever the order of its fields: PostgreSQL returns jsonb in an order of its own. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value !== null && typeof value === 'object') {
    const fields = Object.entries(value).filter(([, inner]) => inner !== undefined)
    return `{${fields
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`)
      .join(',')}}`
  }
  return JSON.stringify(value ?? null)
}

/**
 * Computes the seal of an entry. It covers the entry and the seal before it, with a key that PostgreSQL never sees: a writer of
 * the table can break the chain, but not repair it.
 */
export function sealOf(key: Buffer, previous: Buffer, entry: AuditEntry): Buffer {
  const { org_id, id, at, actor, action, target, outcome, before, after, address, trace_id, count, reason } = entry
  const seq = entry.seq.toString()
  const always = { org_id, seq, id, at, actor, action, target, outcome, before, after, address, trace_id, count }
  const sealed = reason === null ? always : { ...always, reason }
  return createHmac('sha256', cachedKeyObject(key)).update(previous).update(canonical(sealed)).digest()
}

export const auditPurpose = 'audit chain'

/** Action of the entry that hands a chain over to a newer master key; it lists the older ones as `retired`. */
export const handOverAction = 'master_key.handed_over'

const retiredBy = ({ action, after }: AuditEntry): readonly string[] =>
  action === handOverAction ? ((after as { retired?: string[] } | null)?.retired ?? []) : []

/** Reasons why a chain cannot be trusted from an entry on. */
export const chainFaults = {
  bad_seal: 'The entry, or the one before it, differs from what was sealed.',
  missing: 'The entry is missing.',
  repeated: 'A second entry has this number, or entries are out of order.',
  unknown_key: 'The entry names a master key that is not configured.',
  truncated: 'Entries after this one are missing: a stored head lies beyond it.',
  retired_key:
    'The entry is sealed with a master key after its chain was handed over to a newer one, and nothing hands it over again.',
  head_mismatch: 'The stored head is not the seal of this entry.',
} as const
export type ChainFault = keyof typeof chainFaults

export interface FirstBad {
  readonly seq: string
  readonly reason: ChainFault
}

export interface ChainVerification {
  readonly entries: number
  /** Sequence number at which verification began; null when there was nothing to verify. */
  readonly first_seq: string | null
  /** Last sound entry. */
  readonly head: { readonly seq: string; readonly mac: string } | null
  readonly valid: boolean
  readonly first_bad?: FirstBad
}

/** Verifies a chain entry by entry and stops at the first that does not follow. */
export function createChainVerifier(
  keyring: Keyring & { readonly isRetired?: (id: string) => boolean },
  start: { seq: bigint; mac: Buffer } = { seq: 0n, mac: genesis },
) {
  let last = start
  /** First entries under retired keys, until an entry hands their chain over. */
  const notHandedOver = new Map<string, bigint>()
  let entries = 0
  let firstSeq: bigint | undefined
  let firstBad: FirstBad | undefined
  const fail = (seq: bigint, reason: ChainFault) => {
    firstBad ??= { seq: seq.toString(), reason }
    return false
  }

  return {
    last: () => last,
    fail,
    /** Returns true when the entry continues the chain. */
    accept(entry: SealedEntry): boolean {
      if (firstBad) return false
      const expected = last.seq + 1n
      if (entry.seq > expected) return fail(expected, 'missing')
      if (entry.seq < expected) return fail(entry.seq, 'repeated')
      const key = keyring.find(entry.mac_key_id)
      if (!key) return fail(entry.seq, 'unknown_key')
      if (!sealOf(key.bytes, last.mac, entry).equals(entry.mac)) return fail(entry.seq, 'bad_seal')
      // No key can vouch for itself; a key that was retired later vouches only as far as another vouches for it.
      for (const id of retiredBy(entry)) if (id !== key.id) notHandedOver.delete(id)
      if (keyring.isRetired?.(key.id) && !notHandedOver.has(key.id)) notHandedOver.set(key.id, entry.seq)
      last = { seq: entry.seq, mac: entry.mac }
      firstSeq ??= entry.seq
      entries += 1
      return true
    },
    /** Ends the verification: a holder of a key retired since could have written whatever was not handed over. */
    end() {
      for (const seq of notHandedOver.values()) fail(seq, 'retired_key')
    },
    result: (): ChainVerification => ({
      entries,
      first_seq: firstSeq?.toString() ?? null,
      head: last.seq === 0n ? null : { seq: last.seq.toString(), mac: last.mac.toString('hex') },
      valid: firstBad === undefined,
      ...(firstBad && { first_bad: firstBad }),
    }),
  }
}
