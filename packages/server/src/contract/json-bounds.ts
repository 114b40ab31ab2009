import type { FieldFault } from './errors.ts'

/**
 * Bounds on the structure of JSON. Parsing costs by value and by name, not by byte, so the size of a body does not bound it.
 */
export interface JsonBounds {
  readonly maxDepth: number
  /** Brackets, braces, commas and colons outside strings. */
  readonly maxStructure: number
}

export const maxJsonDepth = 32

/** Limits above what the largest valid body of each class has; a test computes that from the schemas. */
const maxStructure = { normal: 150_000, bulk: 2_000_000, foreign: 3_000_000 }

/** Returns the bounds of a route. OpenTelemetry spells one attribute with nine structural characters. */
export const jsonBoundsOf = ({ bulk, foreignBody }: { bulk?: true; foreignBody?: true }): JsonBounds => ({
  maxDepth: maxJsonDepth,
  maxStructure: maxStructure[foreignBody ? 'foreign' : bulk ? 'bulk' : 'normal'],
})

export type JsonExcess = 'depth' | 'structure'

/**
 * Counts the structure of one or several texts and returns the bound that they exceed. It does not check that they are JSON.
 */
export class JsonStructure {
  private readonly bounds: JsonBounds
  private counted = 0

  constructor(bounds: JsonBounds) {
    this.bounds = bounds
  }

  /** Scans part of the bytes as a separate text: depth starts at 0, structure adds up over all calls. */
  excessIn(bytes: Uint8Array, start = 0, end = bytes.length): JsonExcess | undefined {
    const { maxDepth, maxStructure } = this.bounds
    let depth = 0
    let count = this.counted
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!
      if (byte === quote) {
        at = endOfString(bytes, at + 1, end)
        continue
      }
      if (byte === comma || byte === colon) count++
      // A brace differs from its bracket in this single bit.
      else if ((byte | 0x20) === 0x7b) {
        count++
        if (++depth > maxDepth) return 'depth'
      } else if ((byte | 0x20) === 0x7d) {
        count++
        depth--
      } else continue
      if (count > maxStructure) return 'structure'
    }
    this.counted = count
    return undefined
  }
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a

/** Returns the index of the quote that ends a string. In UTF-8 no ASCII byte occurs inside another character. */
function endOfString(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  for (; at < end; at++) {
    const byte = bytes[at]
    if (byte === quote) break
    if (byte === backslash) at++
  }
  return at
}

export const excessFault = (excess: JsonExcess, { maxDepth, maxStructure }: JsonBounds, field: string): FieldFault =>
  excess === 'depth'
    ? { field, code: 'invalid_json', message: `JSON may be nested at most ${maxDepth} levels deep.` }
    : {
        field: 'body',
        code: 'too_many',
        message: `The body may have at most ${maxStructure} brackets, braces, commas and colons outside strings.`,
      }
