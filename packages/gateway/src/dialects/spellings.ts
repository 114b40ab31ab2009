import { type JsonObject, RequestFault } from './dialect.ts'
import { isObject } from './fields.ts'

/**
 * Objects of requests to Google, which takes each field under two names: `maxOutputTokens` and `max_output_tokens`. Whoever looks for one of
 * them only can be told another number than the provider.
 */
export interface Spelled {
  /** Returns the value of a field, whichever its spelling; undefined where it is null. */
  at(name: string): unknown
  /** Returns the key under which a field stands, or is to stand. */
  keyOf(name: string): string
  /** Keys that are no spelling of a known field. */
  readonly unknown: readonly string[]
}

/** Known fields of one object, by their letters alone. */
export type FieldNames = ReadonlyMap<string, string>

const lettersOf = (key: string) => key.replaceAll('_', '').toLowerCase()

const withUnderscores = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Reads a list of fields, in camel case. */
export const fieldNames = (list: string): FieldNames =>
  new Map(list.split(/\s+/).map((name) => [lettersOf(name), name] as const))

/** Reads an object. A field that is there in two spellings is refused, and so is a key that is spelled almost like a field. */
export function spelled(object: JsonObject, names: FieldNames, place = ''): Spelled {
  const keys = new Map<string, string>()
  for (const key of Object.keys(object)) {
    const letters = lettersOf(key)
    const twin = keys.get(letters)
    if (twin !== undefined)
      throw new RequestFault('invalid_request', `${place}${key} is ${twin} in another spelling`, `${place}${key}`)
    const name = names.get(letters)
    if (name !== undefined && key !== name && key !== withUnderscores(name))
      throw new RequestFault('invalid_request', `${place}${key} is not a field; ${name} is`, `${place}${key}`)
    keys.set(letters, key)
  }
  const found = (name: string) => keys.get(lettersOf(name))
  return {
    at(name) {
      const key = found(name)
      return key === undefined ? undefined : (object[key] ?? undefined)
    },
    keyOf: (name) => found(name) ?? name,
    unknown: [...keys].flatMap(([letters, key]) => (names.has(letters) ? [] : [`${place}${key}`])),
  }
}

/** Reads a field that must be an object; one that is missing is an empty one. */
export function spelledAt(outer: Spelled, name: string, names: FieldNames, place = ''): Spelled {
  const value = outer.at(name) ?? {}
  const here = place + outer.keyOf(name)
  if (!isObject(value)) throw new RequestFault('invalid_request', `${here} must be an object`, here)
  return spelled(value, names, `${here}.`)
}

/** Returns the elements of a field that must be an array of objects. */
export function objectsAt(outer: Spelled, name: string, place = ''): JsonObject[] {
  const value = outer.at(name) ?? []
  const here = place + outer.keyOf(name)
  if (!Array.isArray(value)) throw new RequestFault('invalid_request', `${here} must be an array`, here)
  return value.map((element: unknown, i) => {
    if (isObject(element)) return element
    throw new RequestFault('invalid_request', `${here}.${i} must be an object`, `${here}.${i}`)
  })
}
