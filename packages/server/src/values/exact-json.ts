/** JSON texts whose numbers stay as they are written: as a float, an amount would not be what the text says. */

/** A number of a JSON text as it is written there. */
export class ExactNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Revive = (key: string, value: unknown, context: { readonly source?: string }) => unknown
const parse = JSON.parse as (text: string, revive: Revive) => unknown

/** Parses a JSON text and keeps its numbers exact; throws where it is none. */
export const parseExact = (text: string): unknown =>
  parse(text, (_key, value, { source }) => (typeof value === 'number' ? new ExactNumber(source ?? '') : value))
