import { parseId } from '../../values/id.ts'
import type { Keyring } from '../../values/keyring.ts'
import { type AuditEntry, type ChainVerification, createChainVerifier, type SealedEntry } from './chain.ts'
import { type KnownHead, readExportedHeads } from './heads.ts'
import { type Restore, restoreOf } from './restores.ts'

interface ExportedLine extends Omit<AuditEntry, 'seq' | 'at'> {
  readonly seq: string
  readonly created_at: string
  readonly previous_mac: string | null
  readonly mac: string
  readonly mac_key_id: string
}

/** A restore of the database that the chain has on record, with what it took back. */
interface RecordedRestore {
  readonly seq: string
  readonly restored_to: string
  readonly recorded_at: string
  /** Exported heads that the chain no longer has because of it, and the number of the last of them. */
  readonly lost_heads: number
  readonly lost_up_to_seq: string | null
}

interface ExportVerification extends ChainVerification {
  /** Left out where the export has none. */
  readonly restores?: readonly RecordedRestore[]
}

/**
 * Verifies an NDJSON export without the database: with the master keys and, if given, the heads from the log. The export of a
 * window may begin anywhere in the chain; `to` is the window's end, after which heads say nothing about it.
 *
 * A head that the chain does not have is a fault, unless it was exported in a time that a restore on record has taken back.
 */
export async function verifyExport(
  lines: AsyncIterable<string>,
  keyring: Keyring,
  heads?: AsyncIterable<string>,
  to?: Date,
): Promise<ExportVerification> {
  let chain = createChainVerifier(keyring)
  let org: string | undefined
  let known: ReadonlyMap<bigint, readonly KnownHead[]> = new Map()
  const restores: (Restore & { readonly lost: KnownHead[] })[] = []
  /** Heads that differ from the chain, each with what was sound up to there. */
  let unexplained: { readonly head: KnownHead; readonly found: ChainVerification }[] = []
  let number = 0
  for await (const text of lines) {
    number += 1
    if (text.trim() === '') continue
    const line = parse(text, number)
    if (org === undefined) {
      org = line.org_id
      if (heads) known = Map.groupBy(await readExportedHeads(heads, keyring, org, to), ({ seq }) => seq)
      const seq = BigInt(line.seq) - 1n
      if (seq > 0n) chain = createChainVerifier(keyring, { seq, mac: Buffer.from(line.previous_mac ?? '', 'hex') })
    }
    const entry = entryOf(line)
    if (line.org_id !== org) chain.fail(entry.seq, 'bad_seal')
    if (!chain.accept(entry)) break
    for (const head of (known.get(entry.seq) ?? []).filter(({ mac }) => mac !== line.mac)) {
      const restore = restores.find(({ hasTakenBack }) => hasTakenBack(head))
      if (restore) restore.lost.push(head)
      else unexplained.push({ head, found: mismatchAt(chain.result(), entry.seq) })
    }
    const restore = restoreOf(entry)
    if (restore) {
      const lost = unexplained.map(({ head }) => head).filter(restore.hasTakenBack)
      restores.push({ ...restore, lost })
      unexplained = unexplained.filter(({ head }) => !lost.includes(head))
    }
  }
  const mismatch = unexplained[0]?.found
  if (mismatch) return mismatch
  const { seq: last } = chain.last()
  for (const head of [...known.values()].flat()) {
    if (head.seq <= last) continue
    const restore = restores.find(({ hasTakenBack }) => hasTakenBack(head))
    if (restore) restore.lost.push(head)
    else chain.fail(last + 1n, 'truncated')
  }
  return { ...chain.result(), ...(restores.length > 0 && { restores: restores.map(viewOf) }) }
}

const mismatchAt = (sound: ChainVerification, seq: bigint): ChainVerification => ({
  ...sound,
  valid: false,
  first_bad: { seq: seq.toString(), reason: 'head_mismatch' },
})

const viewOf = ({ seq, restoredTo, recordedAt, lost }: Restore & { lost: readonly KnownHead[] }): RecordedRestore => ({
  seq: seq.toString(),
  restored_to: restoredTo,
  recorded_at: recordedAt,
  lost_heads: lost.length,
  lost_up_to_seq:
    lost.length === 0
      ? null
      : lost
          .map((head) => head.seq)
          .reduce((a, b) => (a > b ? a : b))
          .toString(),
})

function parse(text: string, number: number): ExportedLine {
  try {
    const line = JSON.parse(text) as ExportedLine
    const texts = [line.seq, line.org_id, line.id, line.mac].every((value: unknown) => typeof value === 'string')
    if (texts && /^[1-9]\d{0,17}$/.test(line.seq)) return line
  } catch {
    // Reported below, with the same message.
  }
  throw new Error(`line ${number} is not a line of an NDJSON export`)
}

const entryOf = ({ seq, created_at, mac, ...line }: ExportedLine): SealedEntry => ({
  ...line,
  // Exports of earlier versions have no such field.
  reason: line.reason ?? null,
  // An identifier that is not ours was not sealed by us either; the seal will show it.
  org_id: parseId('org', line.org_id) ?? '',
  id: parseId('audit', line.id) ?? '',
  seq: BigInt(seq),
  at: created_at,
  mac: Buffer.from(mac, 'hex'),
})
