import { parseId } from '../../values/id.ts'
import type { Keyring } from '../../values/keyring.ts'
import { type AuditEntry, type ChainVerification, createChainVerifier, type SealedEntry } from './chain.ts'
import { readExportedHeads } from './heads.ts'

interface ExportedLine extends Omit<AuditEntry, 'seq' | 'at'> {
  readonly seq: string
  readonly created_at: string
  readonly previous_mac: string | null
  readonly mac: string
  readonly mac_key_id: string
}

/**
 * Verifies an NDJSON export without the database: with the master keys and, if given, the heads from the log. The export of a
 * window may begin anywhere in the chain; `to` is the window's end, after which heads say nothing about it.
 */
export async function verifyExport(
  lines: AsyncIterable<string>,
  keyring: Keyring,
  heads?: AsyncIterable<string>,
  to?: Date,
): Promise<ChainVerification> {
  let chain = createChainVerifier(keyring)
  let org: string | undefined
  let known = new Map<bigint, string>()
  let number = 0
  for await (const text of lines) {
    number += 1
    if (text.trim() === '') continue
    const line = parse(text, number)
    if (org === undefined) {
      org = line.org_id
      if (heads) known = await readExportedHeads(heads, keyring, org, to)
      const seq = BigInt(line.seq) - 1n
      if (seq > 0n) chain = createChainVerifier(keyring, { seq, mac: Buffer.from(line.previous_mac ?? '', 'hex') })
    }
    const entry = entryOf(line)
    if (line.org_id !== org) chain.fail(entry.seq, 'bad_seal')
    if (!chain.accept(entry)) return chain.result()
    const mac = known.get(entry.seq)
    if (mac !== undefined && mac !== line.mac) {
      chain.fail(entry.seq, 'head_mismatch')
      return chain.result()
    }
  }
  const { seq } = chain.last()
  if ([...known.keys()].some((kept) => kept > seq)) chain.fail(seq + 1n, 'truncated')
  return chain.result()
}

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
