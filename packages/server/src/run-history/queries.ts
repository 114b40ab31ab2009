import { type RawBuilder, sql as raw, type Selectable } from 'kysely'
import type { PageRequest, Window } from '../contract/lists.ts'
import type { MakerColumns } from '../identity/identity.ts'
import { bounds } from '../infra/partitions.ts'
import type { Tx } from '../infra/sql.ts'
import type { Runs } from '../infra/tables.ts'
import type { RunSort } from './schema.ts'

const names = [
  'class',
  'id',
  'status',
  'model',
  'provider',
  'operation',
  'action',
  'workflow_id',
  'deployment_id',
  'department_id',
  'customer_id',
  'chain_id',
  'parent_run_id',
  'depth',
  'external_id',
  'hold_id',
  'key_id',
  'grant_id',
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'reasoning_output_tokens',
  'cost_nano',
  'cost_basis',
  'reserved_nano',
  'overrun_nano',
  'value_nano',
  'tags',
  'metadata',
  'started_at',
  'ended_at',
  'recorded_at',
  'updated_at',
] as const
const columns = raw.join(names.map((name) => raw.ref(name)))
export type RunRow = Pick<Selectable<Runs>, (typeof names)[number]>

/** Columns that a search can ask for by their value. */
const comparable = [
  'model',
  'provider',
  'status',
  'workflow_id',
  'deployment_id',
  'department_id',
  'customer_id',
  'chain_id',
  'parent_run_id',
  'external_id',
  'key_id',
  'grant_id',
] as const
type Comparable = (typeof comparable)[number]

export interface RunFilters extends Partial<Readonly<Record<Comparable, string>>> {
  readonly tag?: string
  readonly minCostNano?: bigint
  readonly maxCostNano?: bigint
  /** The one run that can be meant. */
  readonly id?: string
}

export interface RunSearch {
  readonly classes: readonly number[]
  readonly window: Window
  readonly page: PageRequest<RunSort>
  readonly filters: RunFilters
  /** All runs that the filter's index leads to are read and sorted by cost: there are few. */
  readonly isSorted?: boolean
}

/** A filter that no index knows may fit one run in a million: a page looks through so many and then says where it stopped. */
export const maxSifted = 50_000

type Lead = 'chain_id' | 'customer_id'

/** The column whose own index leads to the runs, if one is asked for; ordered by cost only where it leads to few enough to sort. */
function leadOf({ page, filters: { chain_id, customer_id }, isSorted }: RunSearch): Lead | undefined {
  if (page.sort === 'cost_usd' && isSorted !== true) return undefined
  return chain_id !== undefined ? 'chain_id' : customer_id !== undefined ? 'customer_id' : undefined
}

type Condition = RawBuilder<unknown>
const all = (conditions: readonly Condition[]) => raw.join([...conditions], raw` and `)

const costRange = ({ minCostNano, maxCostNano }: RunFilters): Condition[] => [
  ...(minCostNano === undefined ? [] : [raw`cost_nano >= ${minCostNano}::bigint`]),
  ...(maxCostNano === undefined ? [] : [raw`cost_nano <= ${maxCostNano}::bigint`]),
]

/** No id is from before 1970. */
const leastId = (at: Date) => bounds.uuid(new Date(Math.max(0, at.getTime())))

const idRange = ({ window, filters }: RunSearch): Condition[] => [
  raw`id >= ${leastId(window.from)}::uuid`,
  raw`id < ${leastId(window.to)}::uuid`,
  ...(filters.id === undefined ? [] : [raw`id = ${filters.id}::uuid`]),
]

/** What an index answers: where the page lies. Its values are planned for, so that only the tables are touched that it needs. */
function placeOf(orgId: string, search: RunSearch): Condition[] {
  const { classes, page, filters, isSorted } = search
  const lead = leadOf(search)
  return [
    raw`org_id = ${orgId}::uuid`,
    raw`class = any(${classes}::smallint[])`,
    ...idRange(search),
    ...(lead ? leadRange(lead, search) : []),
    ...(isSorted ? [] : positionOf(page)),
    ...(page.sort === 'cost_usd' && !isSorted ? costRange(filters) : []),
  ]
}

function positionOf({ sort, descending, after }: PageRequest<RunSort>): Condition[] {
  if (!after) return []
  const beyond = descending ? raw`<` : raw`>`
  return sort === 'cost_usd'
    ? [raw`(cost_nano, id) ${beyond} (${after.value}::bigint, ${after.id}::uuid)`]
    : [raw`id ${beyond} ${after.id}::uuid`]
}

/**
 * Runs with one value in the order of time. Said as a range, with an order to match, so that by whatever statistics no other
 * index will do than the one that begins with the column.
 */
function leadRange(lead: Lead, { window, page, filters, isSorted }: RunSearch): Condition[] {
  const column = raw.ref(lead)
  const value = raw`${filters[lead]}::text`
  const afterId = isSorted ? undefined : page.after?.id
  const [least, most] = [leastId(window.from), leastId(window.to)]
  return [
    raw`${column} >= ${value} and ${column} <= ${value}`,
    raw`(${column}, id) >= (${value}, ${page.descending ? least : (afterId ?? least)}::uuid)`,
    raw`(${column}, id) <= (${value}, ${page.descending ? (afterId ?? most) : most}::uuid)`,
  ]
}

/** What has to be asked of each run. */
function sieveOf(search: RunSearch): Condition[] {
  const { page, filters, isSorted } = search
  const lead = leadOf(search)
  return [
    ...comparable.flatMap((name) =>
      name === lead || filters[name] === undefined ? [] : [raw`${raw.ref(name)} = ${filters[name]}`],
    ),
    ...(filters.tag === undefined ? [] : [raw`tags @> array[${filters.tag}]::text[]`]),
    ...(page.sort === 'cost_usd' && !isSorted ? [] : costRange(filters)),
    ...(isSorted ? [raw`true`, ...positionOf(page)] : []),
  ]
}

const byTime = (search: RunSearch) => ordered(search, leadOf(search))
const byPage = (search: RunSearch) => (search.page.sort === 'cost_usd' ? ordered(search, 'cost_nano') : byTime(search))

function ordered({ page: { descending } }: RunSearch, first: Lead | 'cost_nano' | undefined) {
  const direction = descending ? raw`desc` : raw`asc`
  return first === undefined ? raw`id ${direction}` : raw`${raw.ref(first)} ${direction}, id ${direction}`
}

/** One page of ended runs, and one run more that says whether there is another page. */
export function runsPage(orgId: string, search: RunSearch): RawBuilder<RunRow> {
  const most = search.page.limit + 1
  const sieve = sieveOf(search)
  const place = all(placeOf(orgId, search))
  if (sieve.length === 0)
    return raw`select ${columns} from runs where ${place} order by ${byPage(search)} limit ${most}`
  const looking = search.isSorted ? byTime(search) : byPage(search)
  return raw`
    select ${columns} from (select ${columns} from runs where ${place} order by ${looking} limit ${maxSifted}) as looked_at
     where ${all(sieve)} order by ${byPage(search)} limit ${most}`
}

/** The last run that a page with a sieve looks at, unless it looks at all. */
export async function lastSifted(tx: Tx, orgId: string, search: RunSearch) {
  if (search.isSorted || sieveOf(search).length === 0) return undefined
  const { rows } = await raw<Pick<RunRow, 'id' | 'cost_nano'>>`
    select id, cost_nano from runs where ${all(placeOf(orgId, search))}
     order by ${byPage(search)} offset ${maxSifted - 1} limit 1`.execute(tx)
  return rows[0]
}

/** Whether a search by cost is for a chain or customer with few enough runs to sort them all. */
export async function isSortable(tx: Tx, orgId: string, search: RunSearch): Promise<boolean> {
  const wanted = { ...search, isSorted: true }
  if (search.page.sort !== 'cost_usd' || leadOf(wanted) === undefined) return false
  const { rows } = await raw`
    select from runs where ${all(placeOf(orgId, wanted))} order by ${byTime(wanted)} offset ${maxSifted} limit 1`.execute(
    tx,
  )
  return rows.length === 0
}

/** A page is read along an index, never by reading a whole table and sorting it: what seems cheap by old statistics is not. */
export async function readAlongIndexes(tx: Tx) {
  await raw`select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
                   set_config('enable_sort', 'off', true), set_config('jit', 'off', true)`.execute(tx)
}

export const listRunRows = async (tx: Tx, orgId: string, search: RunSearch): Promise<RunRow[]> =>
  (await runsPage(orgId, search).execute(tx)).rows

export interface RunningRow extends MakerColumns {
  readonly id: string
  readonly expires_at: Date
  readonly amount_nano: bigint
  readonly inputs: unknown
}

const heldColumns = raw`id, expires_at, amount_nano, inputs, key_id, grant_id`
const isRunning = raw`state = 'open' and on_expiry = 'charge' and inputs -> 'run' is not null`

/** Where a hold keeps what is said of its run. */
const heldIn: Readonly<Record<Exclude<Comparable, 'status' | keyof MakerColumns>, 'request' | 'run'>> = {
  model: 'request',
  provider: 'request',
  workflow_id: 'request',
  deployment_id: 'request',
  department_id: 'request',
  customer_id: 'request',
  chain_id: 'run',
  parent_run_id: 'run',
  external_id: 'run',
}

const makerColumnNames = ['key_id', 'grant_id'] as const

/** One page of running runs. There are only as many as run at once, so that the rest of their filters needs no bound. */
export function runningPage(orgId: string, search: RunSearch): RawBuilder<RunningRow> {
  const { page, filters } = search
  const { limit, descending } = page
  const direction = descending ? raw`desc` : raw`asc`
  const held = (Object.keys(heldIn) as (keyof typeof heldIn)[]).flatMap((name) =>
    filters[name] === undefined
      ? []
      : [raw`inputs -> ${raw.lit(heldIn[name])} ->> ${raw.lit(name)} = ${filters[name]}`],
  )
  const where = [
    raw`org_id = ${orgId}::uuid`,
    isRunning,
    ...idRange(search),
    ...held,
    ...makerColumnNames.flatMap((name) =>
      filters[name] === undefined ? [] : [raw`${raw.ref(name)} = ${filters[name]}::uuid`],
    ),
    ...(filters.tag === undefined ? [] : [raw`jsonb_exists((inputs -> 'run' -> 'tags')::jsonb, ${filters.tag})`]),
    ...positionOf(page),
  ]
  return raw`select ${heldColumns} from holds where ${all(where)} order by id ${direction} limit ${limit + 1}`
}

export const listRunningRows = async (tx: Tx, orgId: string, search: RunSearch): Promise<RunningRow[]> =>
  (await runningPage(orgId, search).execute(tx)).rows

export async function findRunningRow(tx: Tx, orgId: string, id: string): Promise<RunningRow | undefined> {
  const { rows } = await raw<RunningRow>`
    select ${heldColumns} from holds where org_id = ${orgId}::uuid and id = ${id}::uuid and ${isRunning}`.execute(tx)
  return rows[0]
}

/** In whichever class it stands: of each, the id names one table. */
export async function findRunRow(tx: Tx, orgId: string, id: string): Promise<RunRow | undefined> {
  const { rows } = await raw<RunRow>`
    select ${columns} from runs where org_id = ${orgId}::uuid and id = ${id}::uuid`.execute(tx)
  return rows[0]
}

/** The run that a caller's id stands for, so far back as ids are kept. */
export async function findRunByExternalId(tx: Tx, orgId: string, externalId: string): Promise<string | undefined> {
  const found = await tx
    .selectFrom('run_keys')
    .select('run_id')
    .where('org_id', '=', orgId)
    .where('key', '=', `e:${externalId}`)
    .executeTakeFirst()
  return found?.run_id
}
