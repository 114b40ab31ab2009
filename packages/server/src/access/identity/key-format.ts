import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Config } from '../../config.ts'
import { formatId, newUuid, requireId } from '../../values/id.ts'

/**
 * Format of API keys, `weir_<cell><id>_<secret><checksum>`: prefix and checksum let secret scanners recognize a leaked key and
 * let us refuse a mistyped one without asking the database; the cell tells an edge where the key lives. The token of a session,
 * `weirsession_<cell><id>_<secret><checksum>`, is kept by a browser; the token of a directory is `weirscim_<cell><id>_<secret><checksum>`.
 * Both name a cell only where there are several. The code of a link that signs in once is `weirlink_<id>_<secret><checksum>`.
 */

const secretBytes = 32
const secretLength = 43
const checksumLength = 6
const idLength = 26
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const tail = `([0-7][0-9a-hjkmnp-tv-z]{${idLength - 1}})_([0-9A-Za-z]{${secretLength}})([0-9A-Za-z]{${checksumLength}})$`
const shape = new RegExp(`^weir_([a-z0-9]{1,8})${tail}`)
const sessionShape = new RegExp(`^weirsession_([a-z0-9]{0,8})${tail}`)
const linkShape = new RegExp(`^weirlink_()${tail}`)
const directoryShape = new RegExp(`^weirscim_([a-z0-9]{0,8})${tail}`)

/** A presented token: a key (or support token), or the token of a session. */
export interface ParsedKey {
  readonly isSession: boolean
  /** True for a key of another gateway, which is known by its digest alone. */
  readonly isForeign?: boolean
  /** Id as it is written in the token; `idOf` returns the UUID. */
  readonly publicId: string
  readonly cell: string
  readonly secret: string
}

function toBase62(value: bigint, length: number): string {
  let left = value
  let text = ''
  for (let i = 0; i < length; i++) {
    text = base62[Number(left % 62n)] + text
    left /= 62n
  }
  return text
}

function checksumOf(text: string): string {
  let left = crc32(text)
  let checksum = ''
  for (let i = 0; i < checksumLength; i++) {
    checksum = base62[left % 62] + checksum
    left = Math.floor(left / 62)
  }
  return checksum
}

interface MintedToken extends ParsedKey {
  readonly id: string
  readonly text: string
}

function mintToken(prefix: string, cell: string, isSession: boolean): MintedToken {
  const id = newUuid()
  const secret = toBase62(BigInt(`0x${randomBytes(secretBytes).toString('hex')}`), secretLength)
  const publicId = formatId('key', id).slice('key_'.length)
  const head = `${prefix}_${cell}${publicId}_${secret}`
  return { isSession, id, publicId, cell, secret, text: head + checksumOf(head) }
}

/** Mints a new key. Its text is shown to its owner once and never stored. */
export const mintKey = (cell: string): MintedToken => mintToken('weir', cell, false)

type CellConfig = Pick<Config, 'cell' | 'cells'>
/** Returns the cell that a token other than a key names: none where there is only one, as in versions that knew no other. */
const cellOf = ({ cell, cells }: CellConfig) => (cells.length > 0 ? cell : '')

/** Mints the token of a new session. Its text is given to a browser and never stored. */
export const mintSessionToken = (config: CellConfig): MintedToken => mintToken('weirsession', cellOf(config), true)

/** Mints the code of a link that signs a browser in once. */
export const mintLinkCode = (): MintedToken => mintToken('weirlink', '', false)

/** Mints the token of a directory. Its text is shown once and never stored. */
export const mintDirectoryToken = (config: CellConfig): MintedToken => mintToken('weirscim', cellOf(config), false)

function parse(text: string, expected: RegExp, isSession: boolean): ParsedKey | undefined {
  const match = expected.exec(text)
  if (!match) return undefined
  const [, cell, publicId, secret, checksum] = match as unknown as [string, string, string, string, string]
  if (checksumOf(text.slice(0, -checksumLength)) !== checksum) return undefined
  return { isSession, publicId, cell, secret }
}

/** Parses a presented key; undefined for anything that we did not mint, to the last character. */
export const parseKey = (text: string): ParsedKey | undefined => parse(text, shape, false)

/** A key of another gateway: long enough that nobody guesses it, as those are that gateways make themselves. */
const foreignShape = /^sk-[0-9A-Za-z_-]{20,200}$/
const leastDistinct = 10

/** Parses a key of another gateway; undefined for what somebody could have thought up, such as `sk-1234`. */
export function parseForeignKey(text: string): ParsedKey | undefined {
  if (!foreignShape.test(text) || new Set(text).size < leastDistinct) return undefined
  return { isSession: false, isForeign: true, publicId: `sk-${hash('sha256', text)}`, cell: '', secret: text }
}

/** Returns the SHA-256 of a foreign key as it is registered. */
export const foreignDigestOf = ({ publicId }: ParsedKey): string => publicId.slice('sk-'.length)

/** Parses the token of a session; undefined for anything that we did not mint. */
export const parseSessionToken = (text: string): ParsedKey | undefined => parse(text, sessionShape, true)

/** Parses the code of a link; undefined for anything that we did not mint. */
export const parseLinkCode = (text: string): ParsedKey | undefined => parse(text, linkShape, false)

/** Parses the token of a directory; undefined for anything that we did not mint. */
export const parseDirectoryToken = (text: string): ParsedKey | undefined => parse(text, directoryShape, false)

export const idOf = ({ publicId }: ParsedKey): string => requireId('key', `key_${publicId}`)
