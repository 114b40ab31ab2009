/**
 * Arrays as parameters in PostgreSQL's binary form: it copies them, where it would have to read a text element by element. The driver
 * sends every buffer as binary; the statement says of which type the parameter is, and PostgreSQL refuses another one.
 */

/** Object ids of the types of elements. */
const oid = {
  boolean: 16,
  bigint: 20,
  smallint: 21,
  integer: 23,
  text: 25,
  tid: 27,
  timestamptz: 1184,
  uuid: 2950,
} as const

const headerBytes = 20
const emptyBytes = 12
const lengthBytes = 4

/** Begins an array of so many elements; they follow from `headerBytes` on. */
function begin(array: Buffer, elementOid: number, count: number, hasNull: boolean) {
  array.writeInt32BE(count === 0 ? 0 : 1, 0) // dimensions
  array.writeInt32BE(hasNull ? 1 : 0, 4)
  array.writeInt32BE(elementOid, 8)
  if (count === 0) return
  array.writeInt32BE(count, 12)
  array.writeInt32BE(1, 16) // the first index
}

const lengthOf = (count: number, elementBytes: number) => (count === 0 ? emptyBytes : headerBytes + elementBytes)

/** Builds an array whose elements, if they are not null, have one length. */
function fixed<T>(
  elementOid: number,
  bytes: number,
  values: readonly (T | null)[],
  write: (array: Buffer, value: T, at: number) => void,
): Buffer {
  let nulls = 0
  for (const value of values) if (value === null) nulls++
  const array = Buffer.allocUnsafe(
    lengthOf(values.length, values.length * lengthBytes + (values.length - nulls) * bytes),
  )
  begin(array, elementOid, values.length, nulls > 0)
  let at = headerBytes
  for (const value of values) {
    array.writeInt32BE(value === null ? -1 : bytes, at)
    at += lengthBytes
    if (value === null) continue
    write(array, value, at)
    at += bytes
  }
  return array
}

/** The value of each hexadecimal digit, by its character; -1 for any other. */
const digitValues = new Int8Array(128).fill(-1)
for (const [value, digit] of Array.from('0123456789abcdef').entries()) {
  digitValues[digit.charCodeAt(0)] = value
  digitValues[digit.toUpperCase().charCodeAt(0)] = value
}
const digitAt = (text: string, place: number) => digitValues[text.charCodeAt(place)] ?? -1
/** Places of the first digit of each byte in the text of a UUID, and of its hyphens. */
const bytePlaces = Uint8Array.of(0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34)
const hyphenPlaces = [8, 13, 18, 23] as const
const hyphen = 45

function writeUuid(array: Buffer, uuid: string, at: number) {
  // What is not a UUID must not become the bytes of another one.
  let isValid = uuid.length === 36
  for (const place of hyphenPlaces) isValid &&= uuid.charCodeAt(place) === hyphen
  for (let i = 0; i < bytePlaces.length; i++) {
    const place = bytePlaces[i] ?? 0
    const byte = (digitAt(uuid, place) << 4) | digitAt(uuid, place + 1)
    isValid &&= byte >= 0
    array[at + i] = byte
  }
  if (!isValid) throw new TypeError(`not a UUID: ${uuid}`)
}

export const uuidArray = (values: readonly (string | null)[]) => fixed(oid.uuid, 16, values, writeUuid)

export const bigintArray = (values: readonly (bigint | null)[]) =>
  fixed(oid.bigint, 8, values, (array, value, at) => array.writeBigInt64BE(value, at))

export const booleanArray = (values: readonly (boolean | null)[]) =>
  fixed(oid.boolean, 1, values, (array, value, at) => array.writeUInt8(value ? 1 : 0, at))

export const integerArray = (values: readonly (number | null)[]) =>
  fixed(oid.integer, 4, values, (array, value, at) => array.writeInt32BE(value, at))

export const smallintArray = (values: readonly (number | null)[]) =>
  fixed(oid.smallint, 2, values, (array, value, at) => array.writeInt16BE(value, at))

const postgresEpochMs = Date.UTC(2000, 0, 1)

/** Builds an array of `timestamptz` from milliseconds since 1970. */
export const timeArray = (values: readonly (number | null)[]) =>
  fixed(oid.timestamptz, 8, values, (array, ms, at) => {
    array.writeBigInt64BE(BigInt(Math.round((ms - postgresEpochMs) * 1_000)), at)
  })

/** Builds an array of places of rows from their text, `(block,offset)`. */
export const placeArray = (values: readonly string[]) =>
  fixed(oid.tid, 6, values, (array, place, at) => {
    const comma = place.indexOf(',')
    array.writeUInt32BE(Number(place.slice(1, comma)), at)
    array.writeUInt16BE(Number(place.slice(comma + 1, -1)), at + 4)
  })

export function textArray(values: readonly (string | null)[]): Buffer {
  let bytes = 0
  let hasNull = false
  for (const value of values) {
    bytes += lengthBytes
    if (value === null) hasNull = true
    else bytes += Buffer.byteLength(value)
  }
  const array = Buffer.allocUnsafe(lengthOf(values.length, bytes))
  begin(array, oid.text, values.length, hasNull)
  let at = headerBytes
  for (const value of values) {
    const length = value === null ? -1 : array.write(value, at + lengthBytes)
    array.writeInt32BE(length, at)
    at += lengthBytes + Math.max(0, length)
  }
  return array
}
