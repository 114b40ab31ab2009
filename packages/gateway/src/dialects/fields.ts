import { type JsonObject, RequestFault } from './dialect.ts'

/** Readings of fields whose form decides about money: anything that is not plainly right is refused. */

const largest = 100_000_000

export const isObject = (value: unknown): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

export const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null

/** Returns a member that must be an object where it is there at all. */
export function objectAt(body: JsonObject, field: string): JsonObject | undefined {
  const value = body[field]
  if (value === undefined || value === null) return undefined
  if (!isObject(value)) throw new RequestFault('invalid_request', `${field} must be an object`, field)
  return value
}

/** Returns a whole number that a request names; undefined where it names none. */
export function countAt(body: JsonObject, field: string, path = field, minimum = 1): number | undefined {
  const value = body[field]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !Number.isInteger(value) || value < minimum || value > largest)
    throw new RequestFault('invalid_request', `${path} must be a whole number from ${minimum} to ${largest}`, path)
  return value
}

export function flagAt(body: JsonObject, field: string): boolean {
  const value = body[field]
  if (value === undefined || value === null) return false
  if (typeof value !== 'boolean') throw new RequestFault('invalid_request', `${field} must be true or false`, field)
  return value
}

export function textAt(body: JsonObject, field: string): string | undefined {
  const value = body[field]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string' || value === '')
    throw new RequestFault('invalid_request', `${field} must be a text`, field)
  return value
}

export function modelAt(body: JsonObject): string {
  const model = textAt(body, 'model')
  if (model === undefined) throw new RequestFault('invalid_request', 'model is missing', 'model')
  return model
}

/** Returns the tier of service in the words of Weir; one that is not known may cost anything. */
export function tierAt(body: JsonObject, standard: readonly string[]): 'flex' | 'priority' | undefined {
  const tier = textAt(body, 'service_tier')
  if (tier === undefined || standard.includes(tier)) return undefined
  if (tier === 'flex' || tier === 'priority') return tier
  throw new RequestFault('unbounded', `service_tier ${tier} has no known price`, 'service_tier')
}

/** Fields by which a caller would choose another model, content of others, or work that is billed beside tokens, at a provider that has them. */
const choosing = new Set(
  `models route plugins provider transforms search_parameters enable_search search_options web_search best_of use_beam_search
  background deferred betas extra_body fallbacks data_sources datasources`.split(/\s+/),
)

/** Returns a field as those providers read it that do not tell letters by their case: for them also `ſ` is an s. */
const foldedName = (field: string) => field.toUpperCase().toLowerCase()

/** Returns the fields of a request that choose what has another price, whatever its dialect. */
export const choosingFields = (body: JsonObject, known: ReadonlySet<string>): string[] =>
  Object.keys(body).filter((field) => !known.has(field) && choosing.has(foldedName(field)) && isGiven(body[field]))

/**
 * Sorts the fields of a request: refuses those that are spelled almost like a known one, because some providers take them for it; returns
 * those that are not known, without those that choose another price.
 */
export function unknownFields(body: JsonObject, known: ReadonlySet<string>): string[] {
  return Object.keys(body).filter((field) => {
    if (known.has(field)) return false
    const folded = foldedName(field)
    if (known.has(folded)) throw new RequestFault('invalid_request', `${field} is not a field; ${folded} is`, field)
    return !choosing.has(folded)
  })
}

/** A string that is base64 and nothing else: no tokenizer sees it, so it may be left out of a count of bytes. */
export const isBase64 = (text: string) => /^[A-Za-z0-9+/_-]*={0,2}$/.test(text)

/** The base64 of an image that a `data:` address holds. */
export const isInlineImage = (url: string) => /^data:image\/[a-z0-9.+-]{1,40};base64,[A-Za-z0-9+/_-]*={0,2}$/i.test(url)

/** Adds up whole numbers of a usage object, where they are some. */
export const tokensAt = (usage: JsonObject | undefined, field: string): number | undefined => {
  const value = usage?.[field]
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined
}

/** Returns an object with some of the fields of another. */
export const pick = (body: JsonObject, fields: readonly string[]): JsonObject =>
  Object.fromEntries(fields.flatMap((field) => (body[field] === undefined ? [] : [[field, body[field]]])))

/** Parses a text of somebody else's; undefined where it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses the data of an event; undefined where it is no object. */
export function parseObject(data: string): JsonObject | undefined {
  const value = parseJson(data)
  return isObject(value) ? value : undefined
}
