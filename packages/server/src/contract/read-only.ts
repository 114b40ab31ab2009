import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../values/records.ts'
import type { FieldFault } from './errors.ts'
import type { JsonSchema } from './strict-schema.ts'

/**
 * Read-only fields. PUT and PATCH accept what GET returns: a field that a body cannot set is ignored when it equals the current
 * value, and refused otherwise. The fields follow from the two schemas, as deep as objects and lists of objects go.
 */
export interface ReadOnlyFields {
  readonly own: ReadonlyMap<string, 'fixed' | 'computed'>
  readonly inside: ReadonlyMap<string, ReadOnlyFields>
}

/** Returns the schema of the objects in a property: its own, that of its elements, or that of its non-null variant. */
function objectSchemaIn(schema: JsonSchema | undefined): JsonSchema | undefined {
  if (schema === undefined || schema.properties) return schema
  if (schema['type'] === 'array') return objectSchemaIn(schema.items)
  const choices = schema.anyOf?.filter(({ type }) => type !== 'null') ?? []
  return choices.length === 1 ? objectSchemaIn(choices[0]) : undefined
}

/** Returns every field of `view` that `body` lacks; undefined when there is none. */
export function readOnlyFields(body: JsonSchema, view: JsonSchema): ReadOnlyFields | undefined {
  const own = new Map<string, 'fixed' | 'computed'>()
  const inside = new Map<string, ReadOnlyFields>()
  for (const [name, shown] of Object.entries(view.properties ?? {})) {
    const settable = body.properties?.[name]
    if (settable === undefined) own.set(name, shown['x-computed'] === true ? 'computed' : 'fixed')
    else {
      const [settableObject, shownObject] = [objectSchemaIn(settable), objectSchemaIn(shown)]
      const deeper = settableObject && shownObject && readOnlyFields(settableObject, shownObject)
      if (deeper) inside.set(name, deeper)
    }
  }
  return own.size + inside.size > 0 ? { own, inside } : undefined
}

/** Adds the read-only fields to the schema of a body, for the documentation. */
export function addReadOnly(body: JsonSchema, view: JsonSchema, fields = readOnlyFields(body, view)) {
  if (!fields) return
  for (const [name, kind] of fields.own)
    body.properties![name] = {
      title: kind === 'computed' ? 'IgnoredField' : 'ReadOnlyField',
      readOnly: true,
      description: kind === 'computed' ? 'Ignored.' : 'Read-only: omit it, or send its current value.',
      ...(kind === 'computed' && { 'x-computed': true }),
    }
  for (const [name, inside] of fields.inside)
    addReadOnly(objectSchemaIn(body.properties![name])!, objectSchemaIn(view.properties![name])!, inside)
}

/** Returns a value without its read-only fields; the very same value when it has none. */
export function withoutReadOnly<T>(value: T, fields: ReadOnlyFields): T {
  if (Array.isArray(value)) {
    const elements = value.map((element: unknown) => withoutReadOnly(element, fields))
    return elements.some((element, i) => element !== value[i]) ? (elements as T) : value
  }
  if (!isRecord(value)) return value
  let isChanged = false
  const kept: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(value)) {
    if (fields.own.has(name)) {
      isChanged = true
      continue
    }
    const deeper = fields.inside.get(name)
    kept[name] = deeper ? withoutReadOnly(inner, deeper) : inner
    isChanged ||= kept[name] !== inner
  }
  return isChanged ? (kept as T) : value
}

/** Returns the faults of read-only fields that differ from the current value. Computed fields are not compared. */
export function readOnlyFaults(value: unknown, current: unknown, fields: ReadOnlyFields, path = ''): FieldFault[] {
  if (!isRecord(value)) return []
  const stands = isRecord(current) ? current : {}
  const faults: FieldFault[] = []
  for (const [name, inner] of Object.entries(value)) {
    if (fields.own.get(name) === 'fixed' && !isDeepStrictEqual(inner, stands[name]))
      faults.push({
        field: `${path}${name}`,
        code: 'read_only',
        message: 'Must be omitted or equal the current value: the field is read-only.',
      })
    const deeper = fields.inside.get(name)
    if (deeper) faults.push(...faultsInside(inner, stands[name], deeper, `${path}${name}.`))
  }
  return faults
}

/** Compares elements by id where they have one, otherwise by position. */
function faultsInside(value: unknown, current: unknown, fields: ReadOnlyFields, path: string): FieldFault[] {
  if (!Array.isArray(value)) return readOnlyFaults(value, current, fields, path)
  const elements: unknown[] = Array.isArray(current) ? current : []
  return value.flatMap((element: unknown, i) => {
    const id = isRecord(element) && fields.own.has('id') ? element['id'] : undefined
    const same = id === undefined ? elements[i] : elements.find((other) => isRecord(other) && other['id'] === id)
    const found = readOnlyFaults(element, same, fields, `${path}${i}.`)
    // For an element that does not exist, only the id is at fault.
    return id !== undefined && same === undefined ? found.slice(0, 1) : found
  })
}
