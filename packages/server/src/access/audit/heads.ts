import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Job } from '../../platform/infra/jobs.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { formatId } from '../../values/id.ts'
import type { Keyring } from '../../values/keyring.ts'
import { canonical } from './chain.ts'
import { auditKeyring } from './entries.ts'
import { readHeadsPage } from './queries.ts'

const message = 'audit heads'
/** Heads per log line, since collectors cut long ones. */
const headsPerLine = 100

interface ExportedHead {
  readonly org: string
  readonly seq: string
  readonly mac: string
}

interface Heads {
  /** Time at which they were current. */
  readonly at: string
  readonly heads: readonly ExportedHead[]
}

const sealHeads = (key: Buffer, { at, heads }: Heads) =>
  createHmac('sha256', key)
    .update(`${message}\n${canonical({ at, heads })}`)
    .digest()

/**
 * Writes the sealed head of every chain to the log: stored outside PostgreSQL, heads prove when entries and head were rewound
 * together. The field is not called "signature", because the log redacts that name.
 */
export const exportAuditHeadsJob = ({ sql, log, config }: Platform): Job => ({
  name: 'export-audit-heads',
  schedule: '41 * * * *',
  run: async (_payload, signal) => {
    const { current } = auditKeyring(config.masterKeys())
    let after: string | undefined
    do {
      signal?.throwIfAborted()
      const page = await readHeadsPage(sql, after, headsPerLine)
      after = page.lastOrg
      const heads = page.heads.map(({ org_id, seq, mac }) => ({
        org: formatId('org', org_id),
        seq: seq.toString(),
        mac: mac.toString('hex'),
      }))
      if (heads.length === 0) continue
      const seal = sealHeads(current.bytes, { at: page.at, heads }).toString('hex')
      log.info({ at: page.at, heads, seal, seal_key_id: current.id }, message)
    } while (after !== undefined)
  },
})

/** A head that the chain of an organization had at a time. */
export interface KnownHead {
  readonly seq: bigint
  readonly mac: string
  readonly atMs: number
}

/**
 * Reads one organization's exported heads from the lines of a log, skipping others. Two heads of one number are both evidence: a chain
 * that was rewound and went on has them. Throws on a forged line, which is none.
 */
export async function readExportedHeads(
  lines: AsyncIterable<string>,
  keyring: Keyring,
  org: string,
  before?: Date,
): Promise<KnownHead[]> {
  const found: KnownHead[] = []
  let number = 0
  for await (const line of lines) {
    number += 1
    if (!line.includes(message)) continue
    const parsed = parse(line)
    if (!parsed) continue
    const key = keyring.find(parsed.seal_key_id)
    const seal = Buffer.from(parsed.seal, 'hex')
    const expected = key && sealHeads(key.bytes, parsed)
    if (!expected || seal.length !== expected.length || !timingSafeEqual(seal, expected))
      throw new Error(`line ${number} of the heads has an invalid seal`)
    const atMs = Date.parse(parsed.at)
    if (before && atMs >= before.getTime()) continue
    for (const { org: of, seq, mac } of parsed.heads) if (of === org) found.push({ seq: BigInt(seq), mac, atMs })
  }
  return found
}

function parse(line: string): (Heads & { seal: string; seal_key_id: string }) | undefined {
  try {
    const value = JSON.parse(line) as Partial<Heads & { message: string; seal: string; seal_key_id: string }>
    const { at, heads, seal, seal_key_id } = value
    if (value.message !== message || !Array.isArray(heads)) return undefined
    return { at: String(at), heads: heads as ExportedHead[], seal: String(seal), seal_key_id: String(seal_key_id) }
  } catch {
    return undefined
  }
}
