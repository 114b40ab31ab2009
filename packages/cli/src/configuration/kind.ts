import { fieldOf, isRecord, type Json, textOf } from '../values.ts'
import { instantOf } from './comparison.ts'

/**
 * Kinds of resources that a file can have. All of `/v1` is read and changed in one way, so a kind is only data: where it is, what names one of it,
 * and what cannot be changed.
 */
interface Common {
  readonly section: string
  /** The name of one of it in a plan. */
  readonly noun: string
  /** The schema in openapi.json of a body that makes or changes one. */
  readonly schema: string
  readonly description: string
  /** Fields that can be set and never read: they are sent when one is made, and not compared. */
  readonly writeOnly?: readonly string[]
  /** Fields of the schema that a file cannot have, because they are secrets in the clear or belong to a single request. */
  readonly without?: readonly string[]
}

export interface SingleKind extends Common {
  readonly shape: 'single'
  /** The path below the organization's. */
  readonly path: string
  /** True where it can be not set at all: then it is made by PUT and removed by DELETE. */
  readonly optional: boolean
  /** The field that is null while it is not set. */
  readonly setField?: string
}

export interface ListKind extends Common {
  readonly shape: 'list'
  /** The list below the organization's path, and the field of the answer that has the rows. */
  readonly collection: string
  readonly rows?: string
  /** Says which rows count; others (a revoked key) do not exist for a file. */
  readonly counts?: (row: Json) => boolean
  /** Fields that name one of it. They are part of every entry and never change. */
  readonly key: readonly string[]
  /** Further fields that cannot be changed once it exists. */
  readonly fixed?: readonly string[]
  /** The way to make one: POST to the collection, or PUT to a path of its own, which can be repeated. */
  readonly create: 'post' | { readonly path: (entry: Json) => string; readonly without: readonly string[] }
  /** PUT where an entry is complete in itself, so that what the file leaves out follows from the rest; else PATCH. */
  readonly update?: 'PUT'
  /** The path of one that exists. */
  readonly item: (row: Json) => string
  /** True where the server itself refuses a second one of the same name. */
  readonly unique: boolean
  readonly remove: 'delete' | 'revoke'
  /** The field of the answer to its creation that holds a secret, shown once. */
  readonly secret?: string
}

export type Kind = SingleKind | ListKind

/** Returns the natural key of an entry of the file or of a row of the server: equal ones are one resource. */
export function naturalKey(kind: ListKind, entry: Json): string {
  return JSON.stringify(kind.key.map((field) => instantOf(field, fieldOf(entry, field)) ?? textOf(entry, field)))
}

/** Returns a resource as a plan names it. */
export function labelOf(kind: Kind, entry: Json): string {
  if (kind.shape === 'single') return kind.noun
  const parts = kind.key.map((field) => textOf(entry, field)).filter((text) => text !== '')
  return `${kind.noun} ${parts.join(' ')}`
}

/** The beginning of a price that was set without one. */
const always = '1970-01-01T00:00:00.000Z'

/** Returns a row as a file would say it: with the schedule that is to come, and with names for what the API says in another way. */
export function normalForm(kind: Kind, row: Json): Json {
  const next = fieldOf(row, 'next_schedule')
  const { from: _from, ...schedule } = isRecord(next) ? next : {}
  const signing = fieldOf(row, 'signing_version') === 2 ? 'subscription' : 'organization'
  const { effective_from: from, ...rest } = row
  const isDated = from !== undefined && instantOf('effective_from', from) !== always
  return {
    ...rest,
    ...(isDated && { effective_from: from }),
    ...schedule,
    ...(kind.section === 'webhooks' && { signing }),
  }
}
