/** Values that authenticators write as CBOR. */
export type CborValue = number | string | Uint8Array | readonly CborValue[] | ReadonlyMap<number | string, CborValue>

const kinds = { unsigned: 0, negative: 1, bytes: 2, text: 3, list: 4, map: 5 } as const

function head(kind: keyof typeof kinds, value: number): Buffer {
  const major = kinds[kind] << 5
  if (value < 24) return Buffer.from([major | value])
  if (value < 0x100) return Buffer.from([major | 24, value])
  if (value < 0x10000) return Buffer.from([major | 25, value >> 8, value & 0xff])
  throw new RangeError(`too long for an authenticator: ${value}`)
}

/** Writes a value as CBOR, as an authenticator does: written here, so that the reader under test is not its own judge. */
export function cbor(value: CborValue): Buffer {
  if (typeof value === 'number') return value < 0 ? head('negative', -1 - value) : head('unsigned', value)
  if (typeof value === 'string') return Buffer.concat([head('text', Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head('bytes', value.length), value])
  if (value instanceof Map)
    return Buffer.concat([head('map', value.size), ...[...value].flatMap(([key, item]) => [cbor(key), cbor(item)])])
  const items = value as readonly CborValue[]
  return Buffer.concat([head('list', items.length), ...items.map(cbor)])
}
