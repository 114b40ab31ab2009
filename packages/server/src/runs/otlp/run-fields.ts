import { dimensionFields, maxRunAgeDays, Tags } from '../../records/run-log/run-log.ts'
import { formatDollars, formatUsd, maxChargeNano } from '../../values/money.ts'
import { elementAt, present } from '../../values/present.ts'
import { dayMs } from '../../values/time.ts'
import type { AttributeValue } from './attribute-value.ts'
import { type attribute, firstText, type SpanAttributes, textAttribute } from './attributes.ts'
import { nanoOfDollars } from './decimal.ts'
import type { Mapping } from './mapping.ts'
import { builtInAttributes, type MappedDimension, type Name, names, ownAttribute } from './names.ts'

/** Fields of runs, read from attributes and held to the bounds that the API has for them. */

/** The reason why a span, an event or a data point cannot become a run. */
export class Unrecordable extends Error {}

export const text = (name: Name, schema: object, ...places: readonly SpanAttributes[]) => {
  const found = textAttribute(name, ...places)
  return found === undefined ? undefined : checkBounds(names[name][0], found, schema)
}

/**
 * Returns a dimension of a run: from our own attribute first, then from the mapped ones, else from the built-in ones. Nobody has
 * asked for the last, so a value that cannot be a name is dropped there, and rejects the run elsewhere.
 */
export function dimensionOf(
  dimension: MappedDimension,
  mapping: Mapping,
  places: readonly SpanAttributes[],
): string | undefined {
  const schema = dimensionFields[dimension]
  for (const keys of [[ownAttribute(dimension)], mapping[dimension] ?? []]) {
    const found = firstText(keys, places)
    if (found !== undefined) return checkBounds(keys.length === 1 ? elementAt(keys, 0) : dimension, found, schema)
  }
  if (mapping[dimension]) return undefined
  const known = firstText(builtInAttributes[dimension], places)
  return known === undefined || misfitOf(known, schema) !== undefined ? undefined : known
}

/** Checks a value against the bounds that the API has for the same field. */
export function checkBounds(name: string, value: string, schema: object): string {
  const misfit = misfitOf(value, schema)
  if (misfit !== undefined) throw new Unrecordable(`${name} ${misfit}`)
  return value
}

export function misfitOf(value: string, schema: object): string | undefined {
  const { maxLength, pattern } = schema as { maxLength: number; pattern: string }
  // In code points, as JSON Schema counts, of which there are never more than code units.
  if (value.length > maxLength && Array.from(value).length > maxLength) return `has more than ${maxLength} characters`
  return new RegExp(pattern).test(value) && value.isWellFormed() ? undefined : 'has a character that is no text'
}

/** Returns the name of a service; one that an SDK made up for lack of a name is the same for all programs, and is ignored. */
export function serviceOf(resource: SpanAttributes, mapping: Mapping): string | undefined {
  if (mapping.deployment_id) return undefined
  const name = text('service', dimensionFields.deployment_id, resource)
  return name?.startsWith('unknown_service') ? undefined : name
}

const nanoPerMs = 1_000_000n

/** Converts a time to milliseconds; 0 means unknown, as everywhere in OTLP. */
export function msOf(name: string, nano: unknown): number | undefined {
  if (nano === undefined || nano === null || nano === '') return undefined
  let ms: number
  // A number in JSON has lost its last digits, so that a whole millisecond may have become a little less than one.
  if (typeof nano === 'number' && Number.isInteger(nano)) ms = Math.floor(Math.round(nano / 1_000) / 1_000)
  else if (typeof nano === 'string' && /^\d{1,20}$/.test(nano)) ms = Number(BigInt(nano) / nanoPerMs)
  else throw new Unrecordable(`${name} is not a number of nanoseconds`)
  return ms === 0 ? undefined : ms
}

/** Furthest that the clock of a caller may be ahead. */
const maxAheadMs = 5 * 60_000

/** Refuses the times of what cannot have happened, or not lately. */
export function checkTimes(startMs: number, endMs: number | undefined, nowMs: number) {
  if (startMs < nowMs - maxRunAgeDays * dayMs) throw new Unrecordable(`it started more than ${maxRunAgeDays} days ago`)
  if (Math.max(startMs, endMs ?? 0) > nowMs + maxAheadMs) throw new Unrecordable('its time is in the future')
  if (endMs !== undefined && endMs < startMs) throw new Unrecordable('it ends before it starts')
}

/** Reads a number of tokens as exporters spell it. */
export function tokenCount(name: string, value: AttributeValue | undefined): number | undefined {
  if (value === undefined) return undefined
  const count = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0)
    throw new Unrecordable(`${name} is not a number of tokens`)
  return count
}

/** Reads an amount of dollars as exporters spell it. */
export function dollarsOf(value: AttributeValue | undefined): string | undefined {
  if (value === undefined) return undefined
  const nano = typeof value === 'object' ? undefined : nanoOfDollars(value)
  if (nano === undefined || nano > maxChargeNano)
    throw new Unrecordable(`cost_usd is not an amount of dollars up to ${formatDollars(maxChargeNano)}`)
  return formatUsd(nano)
}

/** Returns tags. Resource attributes that come from the environment cannot be lists, so one text may name several. */
export function tagsOf(value: ReturnType<typeof attribute>): string[] | undefined {
  if (value === undefined) return undefined
  const given = typeof value === 'object' ? value : String(value).split(',')
  const tags = [...new Set(given.map((tag) => tag.trim()).filter((tag) => tag !== ''))]
  const { maxItems } = Tags as { maxItems?: number }
  if (tags.length > present(maxItems)) throw new Unrecordable(`weir.tags has more than ${maxItems} tags`)
  return tags.map((tag) => checkBounds('weir.tags', tag, Tags.items))
}
