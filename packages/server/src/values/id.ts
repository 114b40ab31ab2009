import { v7 as uuidv7 } from 'uuid'
import { randomIdBytes } from './entropy.ts'

/**
 * Public identifiers: a prefix that names the kind, and a UUIDv7 in base32 (TypeID). Only the canonical spelling is accepted: a
 * second spelling of one id would mean two cache keys, two log lines and two responses for one thing.
 */

export const prefixes = {
  org: 'org',
  key: 'key',
  foreignKey: 'fgk',
  grant: 'sgr',
  session: 'ses',
  member: 'mbr',
  person: 'per',
  passkey: 'pky',
  connection: 'sso',
  scimToken: 'sct',
  scimGroup: 'sgp',
  domain: 'dom',
  audit: 'aud',
  ratePolicy: 'rlp',
  decision: 'dec',
  refusal: 'rfs',
  reservation: 'rsv',
  spendCap: 'cap',
  budget: 'bud',
  concurrencyLimit: 'ccl',
  freeze: 'frz',
  customerLimit: 'clm',
  creditPack: 'crp',
  topUp: 'top',
  plan: 'pln',
  price: 'prc',
  run: 'run',
  chain: 'chn',
  event: 'evt',
  subscription: 'sub',
  delivery: 'dlv',
  replay: 'rpl',
  rule: 'rul',
  policyMatch: 'pmt',
  approval: 'apr',
  proposal: 'prp',
  slackApp: 'sla',
  slackLink: 'skl',
  model: 'mdl',
  evalResult: 'evl',
  modelRoute: 'rte',
  cohort: 'coh',
  reconciliation: 'rcn',
} as const
export type IdKind = keyof typeof prefixes

/** The organization that owns the operators' keys; created by the migration that creates organizations. */
export const operatorsOrgId = '00000000-0000-0000-0000-000000000000'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const hexDigits = '0123456789abcdef'
const digits = 26
const values = new Map(Array.from(alphabet, (letter, value) => [letter, value]))

const uuidBytes = 16
let last = { ms: 0, sequence: 0 }

/** Returns a UUIDv7 of now. Those of one process ascend, also within a millisecond and when the clock is set back. */
export function newUuid(): string {
  const random = randomIdBytes(uuidBytes)
  const ms = Date.now()
  if (ms > last.ms) last = { ms, sequence: random.readUInt32BE(6) >>> 1 }
  else last.sequence += 1
  return uuidv7({ msecs: last.ms, seq: last.sequence, random })
}

/** Returns a UUIDv7 for a given time. */
export const newUuidAt = (ms: number): string => uuidv7({ msecs: ms, random: randomIdBytes(uuidBytes) })

/** Returns the UUIDv7 of a time and 16 bytes that stand for everything else: the same input gives the same id. */
export const uuidAt = (ms: number, bytes: Uint8Array): string => uuidv7({ msecs: ms, random: bytes })

/** Returns the creation time of a UUIDv7, by the clock of its maker. */
export const timeOfUuid = (uuid: string): number => Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)

/** Positions of the hexadecimal digits in a UUID's text. */
const hexPositions = Array.from({ length: 36 }, (_, place) => place).filter((place) => ![8, 13, 18, 23].includes(place))

export function formatId(kind: IdKind, uuid: string): string {
  // 26 digits of five bits hold two bits more than a UUID: the leading two, which are zero.
  let text = `${prefixes[kind]}_`
  let bits = 0
  let count = 2
  for (const place of hexPositions) {
    bits = (bits << 4) | hexDigit(uuid.charCodeAt(place))
    count += 4
    if (count >= 5) {
      count -= 5
      text += alphabet[(bits >> count) & 31]
    }
  }
  return text
}

/** Decodes one hexadecimal digit: `0`–`9` are 48–57, `a`–`f` 97–102. */
const hexDigit = (code: number) => (code < 58 ? code - 48 : code - 87)

/** Returns the UUID of an identifier of this kind; undefined when the text is not one. */
export function parseId(kind: IdKind, id: string): string | undefined {
  const prefix = `${prefixes[kind]}_`
  if (!id.startsWith(prefix) || id.length !== prefix.length + digits) return undefined
  let hex = ''
  let bits = 0
  let count = -2
  for (let i = prefix.length; i < id.length; i++) {
    const digit = values.get(id[i]!)
    // The first digit carries only three bits of the UUID.
    if (digit === undefined || (i === prefix.length && digit > 7)) return undefined
    bits = ((bits << 5) | digit) & 0x1ff
    count += 5
    while (count >= 4) {
      count -= 4
      hex += hexDigits[(bits >> count) & 15]
    }
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The UUID of an id that was validated before; anything else is a programmer's mistake. */
export function requireId(kind: IdKind, id: string): string {
  const uuid = parseId(kind, id)
  if (uuid === undefined) throw new TypeError(`not an id of kind ${kind}: ${id}`)
  return uuid
}

export const idPattern = (kind: IdKind) => `^${prefixes[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`
