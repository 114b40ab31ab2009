import type { Schema } from './document.ts'

/** Whose promise a schema is: the server accepts all that a request allows, and answers nothing but what a response allows. */
export type Direction = 'request' | 'response'

/**
 * How the current schema breaks the released one, both in canonical spelling. It reads every keyword that the contract
 * uses, wherever the schema stands: oasdiff looks at some keywords only in some places, and at none inside maps,
 * parameters of objects and response headers.
 */
export function narrowings(released: Schema, current: Schema, direction: Direction, at: string): string[] {
  if ('$ref' in Object(released) || '$ref' in Object(current)) return []
  const before = variantsOf(released)
  const after = variantsOf(current)
  if (before.length === 1 && after.length === 1) return variantNarrowings(before[0]!, after[0]!, direction, at)

  const [promised, kept] = direction === 'request' ? [before, after] : [after, before]
  const pair = (one: Schema, other: Schema) =>
    direction === 'request'
      ? variantNarrowings(one, other, direction, at)
      : variantNarrowings(other, one, direction, at)
  const broken = promised.flatMap((variant) => {
    const attempts = kept.map((candidate) => ({ candidate, faults: pair(variant, candidate) }))
    if (attempts.some(({ faults }) => faults.length === 0)) return []
    const namesake = attempts.find(({ candidate }) => nameOf(candidate) === nameOf(variant))
    if (namesake) return namesake.faults
    return [`${at} ${direction === 'request' ? 'no longer accepts' : 'may now be'} ${nameOf(variant)}`]
  })
  return direction === 'request' ? broken : [...broken, ...lostShapes(before, after, at)]
}

/** A shape of a response is a value with fields: like those, it never goes, though no reader would trip. */
function lostShapes(before: readonly Schema[], after: readonly Schema[], at: string): string[] {
  const isKept = (shape: Schema) =>
    after.some(
      (other) => nameOf(other) === nameOf(shape) || variantNarrowings(shape, other, 'response', at).length === 0,
    )
  return before
    .filter((variant) => 'properties' in variant && !isKept(variant))
    .map((shape) => `${at} can no longer be ${nameOf(shape)}`)
}

const typeName = (schema: Schema) => (schema['type'] as string | undefined) ?? 'anything'

const nameOf = (variant: Schema) => (variant['title'] as string | undefined) ?? typeName(variant)

/** The alternatives that a schema allows, one type each. */
function variantsOf(schema: Schema): Schema[] {
  if (typeof schema !== 'object') return [schema ? {} : { not: {} }]
  for (const keyword of ['anyOf', 'oneOf']) {
    const variants = schema[keyword] as Schema[] | undefined
    if (!variants) continue
    const { [keyword]: _, ...rest } = schema
    return variants.flatMap((variant) => variantsOf({ ...rest, ...variant }))
  }
  const { type } = schema
  if (!Array.isArray(type)) return [schema]
  const values = valuesOf(schema)?.filter((value) => value !== null)
  return type.map((one: string) =>
    one === 'null' ? { type: one } : { ...schema, type: one, ...(values && { enum: values }) },
  )
}

const valuesOf = (schema: Schema) => schema['enum'] as unknown[] | undefined

function variantNarrowings(released: Schema, current: Schema, direction: Direction, at: string): string[] {
  const [narrow, wide] = direction === 'request' ? [released, current] : [current, released]
  if (!covers(wide['type'], narrow['type'])) {
    return [`${at} changed its type from ${typeName(released)} to ${typeName(current)}`]
  }
  return [
    ...enumNarrowings(released, current, direction, at),
    ...boundNarrowings(released, current, direction, at),
    ...fixedNarrowings(released, current, direction, at),
    ...objectNarrowings(released, current, direction, at),
    ...mapNarrowings(released, current, direction, at),
    ...itemNarrowings(released, current, direction, at),
  ]
}

const covers = (wide: unknown, narrow: unknown) =>
  wide === undefined || wide === narrow || (wide === 'number' && narrow === 'integer')

function enumNarrowings(released: Schema, current: Schema, direction: Direction, at: string): string[] {
  const before = valuesOf(released)
  const after = valuesOf(current)
  if (!before) return after && direction === 'request' ? [`${at} became an enum`] : []
  if (!after) return direction === 'response' ? [`${at} is no enum any more`] : []
  return before
    .filter((value) => !after.includes(value))
    .map((value) => `${at} lost the value ${JSON.stringify(value)}`)
}

const upperBounds = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'])
const lowerBounds = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const countsFromZero = new Set(['minLength', 'minItems', 'minProperties'])

function boundNarrowings(released: Schema, current: Schema, direction: Direction, at: string): string[] {
  const room = (schema: Schema, keyword: string) => {
    const bound = schema[keyword] as number | undefined
    if (upperBounds.has(keyword)) return bound ?? Number.POSITIVE_INFINITY
    return -(bound ?? (countsFromZero.has(keyword) ? 0 : Number.NEGATIVE_INFINITY))
  }
  const breaks = (keyword: string) =>
    direction === 'request'
      ? room(current, keyword) < room(released, keyword)
      : room(current, keyword) > room(released, keyword)
  return [...upperBounds, ...lowerBounds].filter(breaks).map((keyword) => changed(released, current, keyword, at))
}

/**
 * Constraints of which no one can say whether a new one allows more or less than the old: requests may only lose them,
 * responses may only gain them.
 */
const fixed = ['pattern', 'format', 'multipleOf', 'uniqueItems', 'not', 'contentEncoding', 'contentMediaType']

function fixedNarrowings(released: Schema, current: Schema, direction: Direction, at: string): string[] {
  const text = (schema: Schema, keyword: string) => JSON.stringify(schema[keyword] || undefined)
  const binding = direction === 'request' ? current : released
  return fixed
    .filter((keyword) => text(binding, keyword) !== undefined && text(released, keyword) !== text(current, keyword))
    .map((keyword) => changed(released, current, keyword, at))
}

const changed = (released: Schema, current: Schema, keyword: string, at: string) =>
  `${at} changed ${keyword} from ${JSON.stringify(released[keyword]) ?? 'none'} to ${JSON.stringify(current[keyword]) ?? 'none'}`

function objectNarrowings(released: Schema, current: Schema, direction: Direction, at: string): string[] {
  const required = (schema: Schema) => (schema['required'] as string[] | undefined) ?? []
  const missing = (from: Schema, names: string[]) => names.filter((name) => !required(from).includes(name))
  const hidden = direction === 'request' ? 'readOnly' : 'writeOnly'
  return [
    ...(direction === 'request'
      ? missing(released, required(current)).map((name) => `${at}.${name} became required`)
      : missing(current, required(released)).map((name) => `${at}.${name} became optional`)),
    ...['properties', 'patternProperties'].flatMap((keyword) => {
      const after = (current[keyword] ?? {}) as Record<string, Schema>
      return Object.entries((released[keyword] ?? {}) as Record<string, Schema>).flatMap(([name, schema]) => {
        const now = after[name]
        if (now === undefined) return [`${at}.${name} was removed`]
        if (now[hidden] === true && schema[hidden] !== true) return [`${at}.${name} became ${hidden}`]
        return narrowings(schema, now, direction, `${at}.${name}`)
      })
    }),
  ]
}

function mapNarrowings(released: Schema, current: Schema, direction: Direction, at: string): string[] {
  const [before, after] = [otherFieldsOf(released, direction), otherFieldsOf(current, direction)]
  const isTyped = (value: unknown) => typeof value === 'object'
  if (isTyped(before) && isTyped(after)) return narrowings(before as Schema, after as Schema, direction, `${at}.*`)
  if (direction === 'request') {
    if (before === false || after === true || before === after) return []
    return [`${at} no longer accepts every field that it did`]
  }
  return isTyped(before) ? [`${at}.* lost its type`] : []
}

/**
 * What holds for fields without a name of their own: `true` lets everything in. Requests never took fields beside those that
 * are named, also when their schemas did not say so.
 */
function otherFieldsOf(schema: Schema, direction: Direction): unknown {
  const others = schema['additionalProperties'] ?? !(direction === 'request' && 'properties' in schema)
  return typeof others === 'object' && Object.keys(others).length === 0 ? true : others
}

function itemNarrowings(released: Schema, current: Schema, direction: Direction, at: string): string[] {
  const pairs = [
    { before: released['items'], after: current['items'], place: `${at}[]` },
    ...Array.from({ length: Math.max(prefixOf(released).length, prefixOf(current).length) }, (_, i) => ({
      before: prefixOf(released)[i],
      after: prefixOf(current)[i],
      place: `${at}[${i}]`,
    })),
  ]
  return pairs.flatMap(({ before, after, place }) =>
    before === undefined && after === undefined
      ? []
      : narrowings((before ?? {}) as Schema, (after ?? {}) as Schema, direction, place),
  )
}

const prefixOf = (schema: Schema) => (schema['prefixItems'] ?? []) as Schema[]
