import { Document, isMap, isScalar, isSeq, Scalar, visit, YAMLMap } from 'yaml'
import type { Client } from '../api/client.ts'
import { cleanText } from '../output/clean.ts'
import { fieldOf, isRecord, type Json } from '../values.ts'
import { type Kind, type ListKind, labelOf, normalForm } from './kind.ts'
import { kinds } from './kinds.ts'
import { readOne, readRows } from './plan.ts'
import schema from './weir.schema.json' with { type: 'json' }

export interface Exported {
  readonly text: string
  readonly sections: Json
  /** Resources that the file cannot say, and why. */
  readonly notes: readonly string[]
}

/** Reads what is there and says it as a file that, applied, changes nothing. */
export async function exportConfiguration(
  client: Client,
  org: string,
  only: readonly string[],
  onProgress: (line: string) => void,
): Promise<Exported> {
  const sections: Record<string, unknown> = {}
  const notes: string[] = []
  for (const kind of kinds) {
    if (only.length > 0 && !only.includes(kind.section)) continue
    onProgress(`reading ${kind.section}`)
    const value = kind.shape === 'single' ? await single(client, org, kind) : await list(client, org, kind, notes)
    if (value !== undefined) sections[kind.section] = value
  }
  return { text: yamlOf(sections, notes), sections, notes }
}

async function single(client: Client, org: string, kind: Kind & { shape: 'single' }): Promise<unknown> {
  const { row } = await readOne(client, org + kind.path)
  if (kind.setField !== undefined && fieldOf(row, kind.setField) === null) return undefined
  const entry = entryOf(kind, normalForm(kind, row))
  return Object.keys(entry).length === 0 ? undefined : entry
}

async function list(client: Client, org: string, kind: ListKind, notes: string[]): Promise<Json[] | undefined> {
  const entries = [...(await readRows(client, org, kind)).values()].flatMap(([row, ...more]) => {
    if (!row) return []
    if (more.length === 0) return [entryOf(kind, normalForm(kind, row))]
    notes.push(`${labelOf(kind, row)}: there are ${more.length + 1} of it, so that no file can name one`)
    return []
  })
  return entries.length === 0 ? undefined : entries
}

/** Returns the fields of a resource that a file can say; what is null or empty need not be said. */
function entryOf(kind: Kind, row: Json): Json {
  const definition: unknown = fieldOf(schema.$defs, `${kind.section}_entry`)
  const named = kind.shape === 'list' ? kind.key : []
  return selectFields(row, definition, named)
}

function selectFields(value: Json, definition: unknown, named: readonly string[] = []): Json {
  const properties = fieldOf(definition, 'properties')
  if (!isRecord(properties)) return value
  const required = fieldOf(definition, 'required')
  const isRequired = (name: string) => named.includes(name) || (Array.isArray(required) && required.includes(name))
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, shape]) => {
      const field = fieldOf(value, name)
      const isSaid = field !== undefined && (isFilled(field) || (isRequired(name) && field !== null) || isBar(name))
      return isSaid ? [[name, isRecord(field) ? selectFields(field, target(shape)) : field]] : []
    }),
  )
}

/** A bar of null is a decision, and required. */
const isBar = (name: string) => name === 'bar' || name === 'limit_usd'

const isFilled = (field: unknown) =>
  field !== null &&
  !(Array.isArray(field) && field.length === 0) &&
  !(isRecord(field) && Object.keys(field).length === 0)

/** Returns the definition that a property refers to, in one of its alternatives too. */
function target(shape: unknown): unknown {
  const alternatives = fieldOf(shape, 'anyOf')
  const candidates = [shape, ...(Array.isArray(alternatives) ? (alternatives as unknown[]) : [])]
  const reference = candidates.map((candidate) => fieldOf(candidate, '$ref')).find((one) => typeof one === 'string')
  return reference === undefined ? shape : fieldOf(schema.$defs, reference.split('/').at(-1) ?? '')
}

function yamlOf(sections: Json, notes: readonly string[]): string {
  const document = new Document({ version: 1, ...sections })
  document.commentBefore = [
    ' yaml-language-server: $schema=./weir.schema.json',
    ' Written by `weir export`; `weir apply -f` this file changes nothing.',
    ...notes.map((note) => ` Left out: ${cleanText(note).replaceAll('\n', ' ')}`),
  ].join('\n')
  visit(document, {
    Scalar: (_key, node) => {
      // In double quotes every character can be written as an escape.
      if (isScalar(node) && typeof node.value === 'string' && cleanText(node.value) !== node.value)
        node.type = Scalar.QUOTE_DOUBLE
    },
  })
  if (isMap(document.contents)) for (const { value } of document.contents.items) spread(value)
  return cleanText(document.toString({ lineWidth: 0 }))
}

/** Leaves a line between the entries of a list. */
function spread(value: unknown) {
  if (!isSeq(value)) return
  for (const [i, entry] of value.items.entries()) if (i > 0 && entry instanceof YAMLMap) entry.spaceBefore = true
}
