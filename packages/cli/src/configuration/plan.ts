import type { Client } from '../api/client.ts'
import { Fault } from '../faults.ts'
import { fieldOf, isRecord, type Json, recordsOf, textOf } from '../values.ts'
import { type Difference, differencesOf, merge } from './comparison.ts'
import type { Configuration } from './document.ts'
import { type Kind, type ListKind, labelOf, naturalKey, normalForm, type SingleKind } from './kind.ts'
import { kinds } from './kinds.ts'

export type Action = CreateAction | UpdateAction | RemoveAction

interface Planned {
  readonly kind: Kind
  readonly label: string
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below the organization's. */
  readonly path: string
}

export interface CreateAction extends Planned {
  readonly operation: 'create'
  readonly entry: Json
  readonly body: Json
  /** The state that was read, where there is one to compare with; else nothing must be there. */
  readonly etag?: string
}

export interface UpdateAction extends Planned {
  readonly operation: 'update'
  readonly differences: readonly Difference[]
  readonly body: Json
  readonly etag: string
}

export interface RemoveAction extends Planned {
  readonly operation: 'remove'
  readonly id: string
  readonly etag?: string
}

export interface Plan {
  readonly actions: readonly Action[]
  readonly unchanged: number
  /** Obstacles that need a person. */
  readonly problems: readonly string[]
}

export interface PlanOptions {
  readonly prune: boolean
  /** The key that calls, which is never revoked. */
  readonly ownKeyId: string
  readonly onProgress?: (line: string) => void
}

/** Reads what is there and compares: returns what has to be done so that the server says what the file says. */
export async function makePlan(
  client: Client,
  org: string,
  { sections }: Configuration,
  options: PlanOptions,
): Promise<Plan> {
  const actions: Action[] = []
  const problems: string[] = []
  let unchanged = 0
  for (const kind of kinds) {
    if (!Object.hasOwn(sections, kind.section)) continue
    options.onProgress?.(`reading ${kind.section}`)
    const reader = { client, org, options }
    const wanted = sections[kind.section]
    const part = await (kind.shape === 'single' ? planSingle(reader, kind, wanted) : planList(reader, kind, wanted))
    actions.push(...part.actions)
    problems.push(...part.problems)
    unchanged += part.unchanged
  }
  return { actions: [...actions.filter(isNoRemoval), ...removals(actions)], problems, unchanged }
}

const isNoRemoval = ({ operation }: Action) => operation !== 'remove'

/** Returns removals in the order that is the reverse of making: a route goes before its models. */
const removals = (actions: readonly Action[]) => actions.filter(({ operation }) => operation === 'remove').toReversed()

interface Reader {
  readonly client: Client
  readonly org: string
  readonly options: PlanOptions
}

async function planSingle({ client, org }: Reader, kind: SingleKind, wanted: unknown): Promise<Plan> {
  const { row, etag } = await readOne(client, org + kind.path)
  const isSet = !kind.optional || (kind.setField !== undefined && fieldOf(row, kind.setField) !== null)
  const planned = { kind, label: kind.noun, path: kind.path }
  if (!isRecord(wanted)) {
    if (!isSet) return { actions: [], problems: [], unchanged: 1 }
    return {
      actions: [{ ...planned, operation: 'remove', method: 'DELETE', id: '', etag }],
      problems: [],
      unchanged: 0,
    }
  }
  if (!isSet)
    return {
      actions: [{ ...planned, operation: 'create', method: 'PUT', entry: wanted, body: wanted, etag }],
      problems: [],
      unchanged: 0,
    }
  return planChange(planned, wanted, normalForm(kind, row), etag)
}

/** Returns the change of one that exists, if it differs. */
function planChange(planned: Omit<Planned, 'method'>, wanted: Json, found: Json, etag: string): Plan {
  const { kind } = planned
  const differences = differencesOf(wanted, found, kind.writeOnly)
  const fixed = (kind.shape === 'list' && kind.fixed) || []
  const stuck = differences.filter(({ field }) => fixed.includes(field))
  if (stuck.length > 0) {
    const fields = stuck.map(({ field }) => field).join(', ')
    const problem = `${planned.label}: ${fields} cannot be changed once it exists; give it another name, and \`--prune\` removes this one`
    return { actions: [], problems: [problem], unchanged: 0 }
  }
  if (differences.length === 0) return { actions: [], problems: [], unchanged: 1 }
  const isWhole = kind.shape === 'list' && kind.update === 'PUT'
  const body = isWhole
    ? wanted
    : Object.fromEntries(differences.map(({ field, to }) => [field, merge(field, to, fieldOf(found, field))]))
  const method = isWhole ? 'PUT' : 'PATCH'
  return { actions: [{ ...planned, operation: 'update', method, differences, body, etag }], problems: [], unchanged: 0 }
}

async function planList(reader: Reader, kind: ListKind, wanted: unknown): Promise<Plan> {
  const { client, org, options } = reader
  const rows = await readRows(client, org, kind)
  const actions: Action[] = []
  const problems: string[] = []
  let unchanged = 0
  const entries = recordsOf(wanted)
  for (const entry of entries) {
    const [row, ...more] = rows.get(naturalKey(kind, entry)) ?? []
    const label = labelOf(kind, entry)
    if (more.length > 0) problems.push(`${label}: there are ${more.length + 1} of it; rename or remove the others`)
    else if (!row) actions.push(await creation(reader, kind, entry, label))
    else {
      const part = await planExisting(reader, kind, entry, row)
      actions.push(...part.actions)
      problems.push(...part.problems)
      unchanged += part.unchanged
    }
  }
  if (options.prune) {
    const named = new Set(entries.map((entry) => naturalKey(kind, entry)))
    for (const [key, others] of rows)
      if (!named.has(key))
        for (const row of others) if (isPrunable(kind, row, options)) actions.push(await removal(reader, kind, row))
  }
  return { actions, problems, unchanged }
}

/** The key that calls would lock the caller out, and that of an owner everybody. */
const isPrunable = (kind: ListKind, row: Json, { ownKeyId }: PlanOptions) =>
  kind.remove === 'delete' || (textOf(row, 'id') !== ownKeyId && textOf(row, 'role') !== 'owner')

async function creation({ client, org }: Reader, kind: ListKind, entry: Json, label: string): Promise<CreateAction> {
  const planned = { kind, label, operation: 'create', entry } as const
  if (kind.create === 'post') return { ...planned, method: 'POST', path: kind.collection, body: entry }
  const { path, without } = kind.create
  const body = Object.fromEntries(Object.entries(entry).filter(([field]) => !without.includes(field)))
  // What is not set may have a state all the same, which the change is then compared with.
  const unset = await client.send('GET', org + path(entry), { accepts: [404] })
  const etag = unset.status === 200 ? unset.headers.get('etag') : null
  if (etag !== null && textOf(unset.json, 'created_at') !== '')
    throw new Fault('overtaken', `${label} was made while the plan was made`, 'Run the command again.')
  return { ...planned, method: 'PUT', path: path(entry), body, ...(etag !== null && { etag }) }
}

/** Compares with the row of the list first: only what differs is read once more, alone, for its tag. */
async function planExisting({ client, org }: Reader, kind: ListKind, entry: Json, row: Json): Promise<Plan> {
  const planned = { kind, label: labelOf(kind, entry), path: kind.item(row) }
  const wanted = Object.fromEntries(Object.entries(entry).filter(([field]) => !kind.key.includes(field)))
  const first = planChange(planned, wanted, normalForm(kind, row), '')
  if (first.actions.length === 0) return first
  const { row: current, etag } = await readOne(client, org + planned.path)
  const complete = kind.update === 'PUT' ? entry : wanted
  return planChange(planned, complete, normalForm(kind, current), etag)
}

async function removal({ client, org }: Reader, kind: ListKind, row: Json): Promise<RemoveAction> {
  const planned = { kind, label: labelOf(kind, row), operation: 'remove', id: textOf(row, 'id') } as const
  const path = kind.item(row)
  if (kind.remove === 'revoke') return { ...planned, method: 'POST', path: `${path}/revoke` }
  return { ...planned, method: 'DELETE', path, etag: (await readOne(client, org + path)).etag }
}

export async function readOne(client: Client, path: string): Promise<{ row: Json; etag: string }> {
  const { json, headers } = await client.send('GET', path)
  const etag = headers.get('etag')
  if (!isRecord(json) || etag === null) throw new Fault('unreachable', `${path} was answered without an ETag`)
  return { row: json, etag }
}

/** Returns the rows of a list that count, by their natural keys. */
export async function readRows(client: Client, org: string, kind: ListKind): Promise<Map<string, Json[]>> {
  const all =
    kind.rows === undefined
      ? await client.all(org + kind.collection, hasPages(kind) ? {} : { limit: undefined })
      : recordsOf(fieldOf(await client.get(org + kind.collection), kind.rows))
  const counted = kind.counts ? all.filter(kind.counts) : all
  return Map.groupBy(counted, (row) => naturalKey(kind, normalForm(kind, row)))
}

/** Lists of which there is one row per kind of scope have no pages. */
const hasPages = ({ section }: ListKind) => !/_defaults$|^dimensions$/.test(section)
