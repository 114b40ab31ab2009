import { isRecord } from '../../values/records.ts'
import { attributeNamed, type ScimAttribute } from './attributes.ts'
import type { ScimFilter, ScimName, ScimOperator, ScimValue } from './filter.ts'
import { badFilter } from './refusals.ts'

/** A resource, or one value of an attribute, by attribute name. */
type Fields = Readonly<Record<string, unknown>>

/** True when a filter holds for a resource, or for one value of an attribute with these parts. */
export function matchesFilter(filter: ScimFilter, fields: Fields, attributes: readonly ScimAttribute[]): boolean {
  if ('filters' in filter)
    return filter.filters[filter.kind === 'and' ? 'every' : 'some']((each) => matchesFilter(each, fields, attributes))
  if (filter.kind === 'not') return !matchesFilter(filter.filter, fields, attributes)
  if (filter.kind === 'has') {
    const { parts = [], name } = requireAttribute(attributes, filter.name)
    return listOf(fields[name]).some((value) => isRecord(value) && matchesFilter(filter.filter, value, parts))
  }
  const { values, attribute } = valuesOf(fields, attributes, filter.name)
  if (filter.kind === 'present') return values.length > 0
  const { operator, value: wanted } = filter
  if (operator === 'ne') return !values.some((value) => compare('eq', value, wanted, attribute))
  if (operator === 'eq' && wanted === null) return values.length === 0
  return values.some((value) => compare(operator, value, wanted, attribute))
}

/** Returns the attribute that a filter names, or throws: nothing else can be asked for. */
export function requireAttribute(attributes: readonly ScimAttribute[], { name }: ScimName): ScimAttribute {
  const attribute = attributeNamed(attributes, name)
  if (!attribute) throw badFilter(`Nothing can be found by ${name}.`)
  return attribute
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value == null ? [] : [value])

/** Returns the values of an attribute or of one of its parts; those of an attribute with parts are in its part `value`. */
function valuesOf(fields: Fields, attributes: readonly ScimAttribute[], name: ScimName) {
  const attribute = requireAttribute(attributes, name)
  const values = listOf(fields[attribute.name])
  if (!attribute.parts) return { attribute, values }
  const part = requireAttribute(attribute.parts, { ...name, name: name.part ?? 'value' })
  return {
    attribute: part,
    values: values.flatMap((value) => (isRecord(value) ? listOf(value[part.name]) : [])),
  }
}

/** Returns a text as it is compared. */
export const comparable = (text: string, { isCaseExact }: ScimAttribute) =>
  isCaseExact ? text : text.normalize('NFKC').trim().toLowerCase()

/** Returns what a filter compares a boolean with; directories also write it as text. */
export const booleanIn = (value: unknown): boolean | undefined => {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value.trim().toLowerCase() : ''
  return text === 'true' ? true : text === 'false' ? false : undefined
}

function compare(operator: ScimOperator, value: unknown, wanted: ScimValue, attribute: ScimAttribute): boolean {
  if (attribute.type === 'boolean') return operator === 'eq' && booleanIn(value) === booleanIn(wanted)
  if (typeof value !== 'string' || typeof wanted !== 'string') return operator === 'eq' && value === wanted
  return comparisons[operator](comparable(value, attribute), comparable(wanted, attribute))
}

const comparisons: Readonly<Record<ScimOperator, (value: string, wanted: string) => boolean>> = {
  eq: (value, wanted) => value === wanted,
  ne: (value, wanted) => value !== wanted,
  co: (value, wanted) => value.includes(wanted),
  sw: (value, wanted) => value.startsWith(wanted),
  ew: (value, wanted) => value.endsWith(wanted),
  gt: (value, wanted) => value > wanted,
  ge: (value, wanted) => value >= wanted,
  lt: (value, wanted) => value < wanted,
  le: (value, wanted) => value <= wanted,
}
