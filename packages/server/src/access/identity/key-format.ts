import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { formatId, newUuid, requireId } from '../../values/id.ts'

/**
 * Format of API keys, `weir_<cell><id>_<secret><checksum>`: prefix and checksum let secret scanners recognize a leaked key and
 * let us refuse a mistyped one without asking the database; the cell tells an edge where the key lives.
 */

const secretBytes = 32
const secretLength = 43
const checksumLength = 6
const idLength = 26
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const shape = new RegExp(
  `^weir_([a-z0-9]{1,8})([0-7][0-9a-hjkmnp-tv-z]{${idLength - 1}})_([0-9A-Za-z]{${secretLength}})([0-9A-Za-z]{${checksumLength}})$`,
)

export interface ParsedKey {
  /** Id as it is written in the key; `idOf` returns the UUID. */
  readonly publicId: string
  readonly cell: string
  readonly secret: string
}

function toBase62(value: bigint, length: number): string {
  let rest = value
  let text = ''
  for (let i = 0; i < length; i++) {
    text = base62[Number(rest % 62n)] + text
    rest /= 62n
  }
  return text
}

function checksumOf(text: string): string {
  let rest = crc32(text)
  let checksum = ''
  for (let i = 0; i < checksumLength; i++) {
    checksum = base62[rest % 62] + checksum
    rest = Math.floor(rest / 62)
  }
  return checksum
}

/** Mints a new key. Its text is shown to its owner once and never stored. */
export function mintKey(cell: string): ParsedKey & { readonly id: string; readonly text: string } {
  const id = newUuid()
  const secret = toBase62(BigInt(`0x${randomBytes(secretBytes).toString('hex')}`), secretLength)
  const publicId = formatId('key', id).slice('key_'.length)
  const head = `weir_${cell}${publicId}_${secret}`
  return { id, publicId, cell, secret, text: head + checksumOf(head) }
}

/** Parses a presented token; undefined for anything that we did not mint, to the last character. */
export function parseKey(text: string): ParsedKey | undefined {
  const match = shape.exec(text)
  if (!match) return undefined
  const [, cell, publicId, secret, checksum] = match as unknown as [string, string, string, string, string]
  if (checksumOf(text.slice(0, -checksumLength)) !== checksum) return undefined
  return { publicId, cell, secret }
}

export const idOf = ({ publicId }: ParsedKey): string => requireId('key', `key_${publicId}`)
