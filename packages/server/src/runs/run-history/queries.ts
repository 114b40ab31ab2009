import { type RawBuilder, sql as raw, type Selectable } from 'kysely'
import type { MakerColumns } from '../../access/identity/identity.ts'
import type { PageRequest, TimeWindow } from '../../contract/lists.ts'
import { partitionBounds } from '../../platform/infra/partitions.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import type { Runs } from '../../platform/infra/tables.ts'
import { namesOf } from '../../values/records.ts'
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
  'user_id',
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
  'usage_detail',
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
export const columns = raw.join(names.map((name) => raw.ref(name)))
export type RunRow = Pick<Selectable<Runs>, (typeof names)[number]>

/** Columns that a search can compare with a value. */
const comparable = [
  'model',
  'provider',
  'status',
  'workflow_id',
  'deployment_id',
  'department_id',
  'customer_id',
  'user_id',
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
  /** The only run that can match. */
  readonly id?: string
}

export interface RunSearch {
  readonly classes: readonly number[]
  readonly window: TimeWindow
  readonly page: PageRequest<RunSort>
  readonly filters: RunFilters
  /** True when all runs that the filter's index leads to are read and sorted by cost, because there are few. */
  readonly isSorted?: boolean
}

/**
 * Most runs that a page examines: a filter without an index may match one run in a million, so the page stops there and says
 * where.
 */
export const maxScanned = 50_000

type LeadColumn = 'chain_id' | 'customer_id'

/** Returns the filtered column whose own index leads to the runs; sorted by cost only where there are few enough to sort. */
function leadOf({ page, filters: { chain_id, customer_id }, isSorted }: RunSearch): LeadColumn | undefined {
  if (page.sort === 'cost_usd' && isSorted !== true) return undefined
  return chain_id !== undefined ? 'chain_id' : customer_id !== undefined ? 'customer_id' : undefined
}

type Condition = RawBuilder<unknown>
const all = (conditions: readonly Condition[]) => raw.join([...conditions], raw` and `)

const costRange = ({ minCostNano, maxCostNano }: RunFilters): Condition[] => [
  ...(minCostNano === undefined ? [] : [raw`cost_nano >= ${minCostNano}::bigint`]),
  ...(maxCostNano === undefined ? [] : [raw`cost_nano <= ${maxCostNano}::bigint`]),
]

/** The smallest id of a time; no id is from before 1970. */
const leastId = (at: Date) => partitionBounds.uuid(new Date(Math.max(0, at.getTime())))

const idRange = ({ window, filters }: RunSearch): Condition[] => [
  raw`id >= ${leastId(window.from)}::uuid`,
  raw`id < ${leastId(window.to)}::uuid`,
  ...(filters.id === undefined ? [] : [raw`id = ${filters.id}::uuid`]),
]

/**
 * Conditions that an index answers: the range of the page. Their values are inlined for the planner, so that only the partitions
 * it needs are touched.
 */
function pageConditions(orgId: string, search: RunSearch): Condition[] {
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
 * Conditions on runs with one value, in the order of time. Written as a range with a matching order, so that whatever the
 * statistics say, only the index that begins with the column will do.
 */
function leadRange(lead: LeadColumn, { window, page, filters, isSorted }: RunSearch): Condition[] {
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

/** Conditions that have to be checked for each run. */
function rowConditions(search: RunSearch): Condition[] {
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

function ordered({ page: { descending } }: RunSearch, first: LeadColumn | 'cost_nano' | undefined) {
  const direction = descending ? raw`desc` : raw`asc`
  return first === undefined ? raw`id ${direction}` : raw`${raw.ref(first)} ${direction}, id ${direction}`
}

/** Selects one page of ended runs, and one run more that tells whether there is another page. */
export function runsPage(orgId: string, search: RunSearch): RawBuilder<RunRow> {
  const most = search.page.limit + 1
  const sieve = rowConditions(search)
  const place = all(pageConditions(orgId, search))
  if (sieve.length === 0)
    return raw`select ${columns} from runs where ${place} order by ${byPage(search)} limit ${most}`
  const looking = search.isSorted ? byTime(search) : byPage(search)
  return raw`
    select ${columns} from (select ${columns} from runs where ${place} order by ${looking} limit ${maxScanned}) as looked_at
     where ${all(sieve)} order by ${byPage(search)} limit ${most}`
}

/** Returns the last run that a page with such conditions examines, unless it examines all. */
export async function lastScanned(tx: Tx, orgId: string, search: RunSearch) {
  if (search.isSorted || rowConditions(search).length === 0) return undefined
  const { rows } = await raw<Pick<RunRow, 'id' | 'cost_nano'>>`
    select id, cost_nano from runs where ${all(pageConditions(orgId, search))}
     order by ${byPage(search)} offset ${maxScanned - 1} limit 1`.execute(tx)
  return rows[0]
}

/** True when a search by cost is for a chain or customer with few enough runs to sort them all. */
export async function isSortable(tx: Tx, orgId: string, search: RunSearch): Promise<boolean> {
  const wanted = { ...search, isSorted: true }
  if (search.page.sort !== 'cost_usd' || leadOf(wanted) === undefined) return false
  const { rows } = await raw`
    select from runs where ${all(pageConditions(orgId, wanted))} order by ${byTime(wanted)} offset ${maxScanned} limit 1`.execute(
    tx,
  )
  return rows.length === 0
}

/** Makes the planner read a page along an index instead of sorting a whole table: what seems cheap by old statistics is not. */
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

export const heldColumns = raw`id, expires_at, amount_nano, inputs, key_id, grant_id`
export const isRunning = raw`state = 'open' and on_expiry = 'charge' and inputs -> 'run' is not null`

/** The part of a hold's JSON that has each field of its run. */
const heldIn: Readonly<Record<Exclude<Comparable, 'status' | keyof MakerColumns>, 'request' | 'run'>> = {
  model: 'request',
  provider: 'request',
  workflow_id: 'request',
  deployment_id: 'request',
  department_id: 'request',
  customer_id: 'request',
  user_id: 'request',
  chain_id: 'run',
  parent_run_id: 'run',
  external_id: 'run',
}

const makerColumnNames = ['key_id', 'grant_id'] as const

/** Selects one page of running runs. There are only as many as run at once, so that the other filters need no bound. */
export function runningPage(orgId: string, search: RunSearch): RawBuilder<RunningRow> {
  const { page, filters } = search
  const { limit, descending } = page
  const direction = descending ? raw`desc` : raw`asc`
  const held = namesOf(heldIn).flatMap((name) =>
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

/** Returns the run with a caller's external_id, as far back as these ids are stored. */
export async function findRunByExternalId(tx: Tx, orgId: string, externalId: string): Promise<string | undefined> {
  const found = await tx
    .selectFrom('run_keys')
    .select('run_id')
    .where('org_id', '=', orgId)
    .where('key', '=', `e:${externalId}`)
    .executeTakeFirst()
  return found?.run_id
}
