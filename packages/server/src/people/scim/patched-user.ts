import { isRecord } from '../../values/records.ts'
import { attributeNamed, type ScimAttribute, userKind } from './attributes.ts'
import type { ScimFilter } from './filter.ts'
import { matchesFilter } from './filter-match.ts'
import { fieldOf, type PatchOperation } from './patch.ts'
import { badValue, ScimError } from './refusals.ts'
import { readUser, type UserDocument } from './user-document.ts'

/**
 * Applies the operations of a patch to a user, one after another. Attributes that are not kept are left alone. Applying the same patch
 * again changes nothing more.
 */
export function patchUser(user: UserDocument, operations: readonly PatchOperation[]): UserDocument {
  const fields: Fields = { ...user, name: { ...user.name }, emails: user.emails.map((email) => ({ ...email })) }
  for (const operation of operations) {
    const attribute = attributeNamed(userKind.attributes, operation.path.name)
    if (!attribute) continue
    if (attribute.isReadOnly) throw new ScimError(400, `${attribute.name} cannot be changed.`, 'mutability')
    if (attribute.isMultiple) fields[attribute.name] = patchedValues(attribute, fields[attribute.name], operation)
    else if (attribute.parts) fields[attribute.name] = patchedParts(attribute, fields[attribute.name], operation)
    else patchPlain(fields, attribute, operation)
  }
  return readUser(fields)
}

type Fields = Record<string, unknown>

/** Returns a single value, also one that is wrapped as a list of one, as old versions of Entra send it. */
function plainValue(value: unknown): unknown {
  const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
  return isRecord(only) && Object.hasOwn(only, 'value') ? only['value'] : only
}

function patchPlain(fields: Fields, attribute: ScimAttribute, { op, value }: PatchOperation) {
  const wanted = op === 'remove' ? undefined : (plainValue(value) ?? undefined)
  if (wanted === undefined && attribute.isRequired)
    throw new ScimError(400, `${attribute.name} cannot be removed.`, 'mutability')
  fields[attribute.name] = wanted
}

/** Returns the parts of a value that is given, by the names that they have here. */
function partsOf({ name, parts = [] }: ScimAttribute, value: unknown): Fields {
  if (!isRecord(value)) throw badValue(`${name} must be an object.`)
  return Object.fromEntries(
    parts.flatMap((part) => {
      const given = fieldOf(value, part.name)
      return given === undefined ? [] : [[part.name, given]]
    }),
  )
}

function patchedParts(attribute: ScimAttribute, current: unknown, { op, path, value }: PatchOperation): Fields {
  const before = isRecord(current) ? current : {}
  if (path.part === undefined)
    return op === 'remove' || value === null ? {} : { ...before, ...partsOf(attribute, value) }
  const part = attributeNamed(attribute.parts ?? [], path.part)
  return part ? { ...before, [part.name]: op === 'remove' ? undefined : (plainValue(value) ?? undefined) } : before
}

function patchedValues(attribute: ScimAttribute, current: unknown, operation: PatchOperation): Fields[] {
  const before = Array.isArray(current) ? current.filter(isRecord) : []
  const { path } = operation
  return path.filter || path.part !== undefined
    ? patchedSelection(attribute, before, operation)
    : patchedList(attribute, before, operation)
}

const sameValue = (a: Fields, b: Fields) => String(a['value']).toLowerCase() === String(b['value']).toLowerCase()

/** Changes the list as a whole. */
function patchedList(attribute: ScimAttribute, before: Fields[], { op, value }: PatchOperation): Fields[] {
  const given = (Array.isArray(value) ? value : value == null ? [] : [value]).map((each: unknown) =>
    partsOf(attribute, typeof each === 'string' ? { value: each } : each),
  )
  if (op === 'replace') return given
  if (op === 'remove')
    return given.length === 0 ? [] : before.filter((old) => !given.some((one) => sameValue(one, old)))
  return given.reduce(added, before)
}

/** Adds a value to a list; one that is there already takes its new parts, and a new primary one makes the others none. */
function added(list: readonly Fields[], value: Fields): Fields[] {
  const others: Fields[] = isTrue(value['primary']) ? list.map((old) => ({ ...old, primary: false })) : [...list]
  const at = others.findIndex((old) => sameValue(old, value))
  return at < 0 ? [...others, value] : others.with(at, { ...others[at], ...value })
}

const isTrue = (value: unknown) => String(value).toLowerCase() === 'true'

/** Changes the values that a path selects, all of them where it only names a part. */
function patchedSelection(attribute: ScimAttribute, before: Fields[], { op, path, value }: PatchOperation): Fields[] {
  const { parts = [] } = attribute
  const { filter } = path
  const isSelected = (each: Fields) => filter === undefined || matchesFilter(filter, each, parts)
  const part = path.part === undefined ? undefined : attributeNamed(parts, path.part)
  if (path.part !== undefined && !part) return before
  if (op === 'remove')
    return part
      ? before.map((each) => (isSelected(each) ? { ...each, [part.name]: undefined } : each))
      : before.filter((each) => !isSelected(each))
  const wanted = part ? { [part.name]: plainValue(value) ?? undefined } : partsOf(attribute, unwrapped(value))
  if (before.some(isSelected)) {
    const others = isTrue(wanted['primary']) ? before.map((each) => ({ ...each, primary: false })) : before
    return others.map((each, i) => (isSelected(before[i] ?? each) ? { ...each, ...wanted } : each))
  }
  // Entra replaces the address of a user who has none yet: what its filter says becomes a new value.
  return added(before, { ...equalities(filter), ...wanted })
}

const unwrapped = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value)

/** Returns the parts that a value has for which a filter of equalities is true; throws where others are needed. */
function equalities(filter: ScimFilter | undefined): Fields {
  if (filter === undefined) return {}
  if (filter.kind === 'and') return Object.assign({}, ...filter.filters.map(equalities)) as Fields
  const part =
    filter.kind === 'compare' && filter.operator === 'eq'
      ? attributeNamed(attributeNamed(userKind.attributes, 'emails')?.parts ?? [], filter.name.name)
      : undefined
  if (!part || filter.kind !== 'compare')
    throw new ScimError(400, 'The path selects no value of the attribute.', 'noTarget')
  return { [part.name]: filter.value }
}
