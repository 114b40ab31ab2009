/**
 * Reads and writes the wire format of protobuf, as far as it is needed here: a field has a number and one of four wire types, and
 * a field that is not wanted is skipped by its type. See docs/adr/0009-otlp-decoding.md.
 */

export class MalformedMessage extends Error {}

const malformed = (): never => {
  throw new MalformedMessage()
}

export const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

/** Reads a message, field after field: `next()`, then either one of the reading methods that fits `form`, or `skip()`. */
export class MessageReader {
  field = 0
  form = 0
  readonly #bytes: Buffer
  readonly #end: number
  #at: number

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.#bytes = bytes
    this.#at = at
    this.#end = end
  }

  /** Returns the size of the current field in bytes, without reading it. */
  size(): number {
    return new MessageReader(this.#bytes, this.#at, this.#end).#number()
  }

  next(): boolean {
    if (this.#at >= this.#end) return false
    const tag = this.#number()
    this.field = Math.floor(tag / 8)
    this.form = tag % 8
    if (this.field < 1 || this.field > 536_870_911) malformed()
    return true
  }

  /** True when the current field is this one, in the wire type that it must have; in any other type it is an unknown field. */
  is(field: number, form: number): boolean {
    return this.field === field && this.form === form
  }

  message(): MessageReader {
    const start = this.#take(this.#number())
    return new MessageReader(this.#bytes, start, this.#at)
  }

  text(encoding: 'utf8' | 'hex' = 'utf8'): string {
    const start = this.#take(this.#number())
    return this.#bytes.toString(encoding, start, this.#at)
  }

  /** Reads a signed integer, as `int64` and enumerations are. */
  integer(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#take(1)]!
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asIntN(64, value)
    }
    return malformed()
  }

  fixed64(): bigint {
    return this.#bytes.readBigUInt64LE(this.#take(8))
  }

  double(): number {
    return this.#bytes.readDoubleLE(this.#take(8))
  }

  skip() {
    if (this.form === wire.varint) this.#number()
    else if (this.form === wire.fixed64) this.#take(8)
    else if (this.form === wire.bytes) this.#take(this.#number())
    else if (this.form === wire.fixed32) this.#take(4)
    else malformed()
  }

  /** Skips this many bytes, if there are as many, and returns where they begin. */
  #take(count: number): number {
    const start = this.#at
    if (count > this.#end - start) malformed()
    this.#at = start + count
    return start
  }

  /** Reads a tag or a length, or skips a number: beyond 53 bits no tag or length is valid, so it need not be exact there. */
  #number(): number {
    let value = 0
    for (let factor = 1; factor <= 2 ** 63; factor *= 128) {
      const byte = this.#bytes[this.#take(1)]!
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
    return malformed()
  }
}

const varint = (value: number): number[] =>
  value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))]

export const integerField = (field: number, value: number): Buffer =>
  Buffer.from([...varint(field * 8 + wire.varint), ...varint(value)])

export const bytesField = (field: number, value: Buffer): Buffer =>
  Buffer.concat([Buffer.from([...varint(field * 8 + wire.bytes), ...varint(value.length)]), value])
