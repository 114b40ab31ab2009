import { isRecord } from '../../values/records.ts'
import type { ScimResourceKind } from './attributes.ts'
import { parsePath, type ScimPath } from './filter.ts'
import { badPath, badSyntax, badValue, ScimError } from './refusals.ts'

/** Patches as directories send them, read into operations that each have one target. */

const maxOperations = 1_000

export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove'
  readonly path: ScimPath
  /** Undefined where there was none; null means nothing as well. */
  readonly value: unknown
}

/** Returns a field whose name may be spelled in any case. */
export const fieldOf = (fields: Readonly<Record<string, unknown>>, name: string): unknown => {
  if (Object.hasOwn(fields, name)) return fields[name]
  const wanted = name.toLowerCase()
  return Object.entries(fields).find(([each]) => each.toLowerCase() === wanted)?.[1]
}

const ops = new Map([
  ['add', 'add'],
  ['replace', 'replace'],
  ['remove', 'remove'],
] as const)

/**
 * Reads the body of a patch. Operations may be capitalized; one without a path has a value whose fields are paths. What concerns another
 * schema than the resource's own is left out: nothing of it is kept.
 */
export function readPatch(body: unknown, kind: ScimResourceKind): PatchOperation[] {
  if (!isRecord(body)) throw badSyntax('The body must be an object with Operations.')
  const listed = fieldOf(body, 'Operations')
  if (!Array.isArray(listed) || listed.length === 0) throw badSyntax('Operations must be a list that is not empty.')
  if (listed.length > maxOperations) throw badValue(`A patch has at most ${maxOperations} operations.`)
  const operations = listed.flatMap((each: unknown) => readOperation(each))
  if (operations.length > maxOperations) throw badValue(`A patch changes at most ${maxOperations} attributes.`)
  return operations.filter(({ path }) => isOwnSchema(path, kind))
}

function readOperation(operation: unknown): PatchOperation[] {
  if (!isRecord(operation)) throw badSyntax('An operation must be an object with op, path and value.')
  const named = fieldOf(operation, 'op')
  const op = typeof named === 'string' ? ops.get(named.toLowerCase() as 'add') : undefined
  if (!op) throw badSyntax('The op of an operation must be add, replace or remove.')
  const path = fieldOf(operation, 'path')
  const value = fieldOf(operation, 'value')
  if (typeof path === 'string' && path.trim() !== '') {
    if (op !== 'remove' && value === undefined) throw badValue(`An operation to ${op} needs a value.`)
    return [{ op, path: parsePath(path), value }]
  }
  if (path !== undefined && path !== null && path !== '') throw badPath('The path of an operation must be text.')
  if (op === 'remove') throw new ScimError(400, 'An operation to remove needs a path.', 'noTarget')
  if (!isRecord(value)) throw badValue('Without a path, the value of an operation must be an object.')
  return Object.entries(value).flatMap(([name, inner]) => readField(op, name, inner))
}

/** Reads a field of a value without a path: an attribute, a path, or a schema with attributes of its own. */
function readField(op: 'add' | 'replace', name: string, value: unknown): PatchOperation[] {
  if (ignored.has(name.toLowerCase()) || (/^urn:/i.test(name) && isRecord(value))) return []
  return [{ op, path: parsePath(name), value }]
}

/** Fields that a directory sends along and that cannot be changed. */
const ignored = new Set(['schemas', 'id', 'meta'])

const isOwnSchema = ({ schema }: ScimPath, kind: ScimResourceKind) =>
  schema === undefined || schema.toLowerCase() === kind.schema.toLowerCase()
