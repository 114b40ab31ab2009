import { parseMaker } from '../../access/identity/identity.ts'
import { pageRequest, pageResponse, readWindow, type TimeWindow } from '../../contract/lists.ts'
import { readOncePerPage } from '../../contract/page-reads.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { loadRetention, type Retention } from '../../records/retention/retention.ts'
import { maxRunAgeDays, type Run, runningRun, runningView } from '../../records/run-log/run-log.ts'
import { parseId, timeOfUuid } from '../../values/id.ts'
import { parseUsd } from '../../values/money.ts'
import { withoutUndefined } from '../../values/records.ts'
import { dayMs } from '../../values/time.ts'
import {
  findRunByExternalId,
  isSortable,
  lastScanned,
  listRunningRows,
  listRunRows,
  type RunFilters,
  type RunSearch,
  readAlongIndexes,
} from './queries.ts'
import { holdOf, viewOf } from './records.ts'
import { newestFirst, type RunListQuery, type RunSort } from './schema.ts'
import { findEitherRow, findRunningRow, findRunRow } from './single-queries.ts'

const maxWindowMs = 90 * dayMs
/** Largest difference between the clocks of callers and of processes. */
export const clockSkewMs = 5 * 60_000

/** Finds a run, running or ended. In this order: a run that ends in between has its row before its hold is gone. */
export async function findRun(tx: Tx, orgId: string, id: string): Promise<Run | undefined> {
  const held = await findRunningRow(tx, orgId, id)
  if (held) return runningView(runningRun(holdOf(held)))
  const row = await findRunRow(tx, orgId, id)
  return row && viewOf(row)
}

/** Time since which ended runs are shown; their partitions may exist a little longer. */
export const shownFrom = ({ rawDays }: Retention, now: Date): Date => new Date(now.getTime() - rawDays * dayMs)

/** Returns a run, running or ended, as far back as runs are shown. */
export async function getRun(tx: Tx, orgId: string, id: string, now: Date): Promise<Run | undefined> {
  const { held, ended } = await findEitherRow(tx, orgId, id)
  if (held) return runningView(runningRun(holdOf(held)))
  if (!ended) return undefined
  const retention = await readOncePerPage(`retention of ${orgId}`, () => loadRetention(tx, orgId))
  const oldest = shownFrom(retention, now)
  return timeOfUuid(id) < oldest.getTime() ? undefined : viewOf(ended)
}

/** The window of a query: with only a start, everything since; with only an end, the 90 days before it. */
function defaultWindow({ from, to }: RunListQuery, now: Date): TimeWindow {
  const nowMs = now.getTime()
  const latest = nowMs + clockSkewMs
  const longest = from === undefined ? latest : Date.parse(from) + maxWindowMs
  const endMs = to !== undefined ? Date.parse(to) : longest < nowMs - clockSkewMs ? latest : Math.min(latest, longest)
  return { from: new Date(endMs - maxWindowMs), to: new Date(endMs) }
}

/**
 * Returns one page of runs; running ones are sorted among the others by their start. From one snapshot, so that none is missed as
 * it ends.
 */
export function listRuns({ sql, clock }: Platform, orgId: string, query: RunListQuery) {
  const now = clock.now()
  const asked = pageRequest<RunSort>({ sort: newestFirst, ...query }, 'started_at')
  const window = readWindow(query, defaultWindow(query, now))
  return sql.asOrgs(
    [orgId],
    async (tx) => {
      const retention = await loadRetention(tx, orgId)
      const filters = await filtersOf(tx, orgId, query, window, now)
      if (!filters) return { data: [], next_cursor: null }
      const search: RunSearch = { classes: retention.classes, window, page: asked, filters }
      await readAlongIndexes(tx)
      const running = wantsRunning(query) ? await listRunningRows(tx, orgId, search) : []
      const oldest = shownFrom(retention, now)
      const shown = { ...search, window: { from: later(window.from, oldest), to: window.to } }
      const ended = wantsEnded(query) && shown.window.from < window.to ? await endedRuns(tx, orgId, shown) : noRuns
      return merged(
        search,
        ended,
        running.map((row) => placed(row.id, runningView(runningRun(holdOf(row))))),
      )
    },
    { isSnapshot: true },
  )
}

const later = (a: Date, b: Date) => (a > b ? a : b)

/** True when running runs can match; their cost is known only when they end. */
const wantsRunning = ({ status = 'running', sort, min_cost_usd, max_cost_usd }: RunListQuery) =>
  status === 'running' &&
  sort?.endsWith('cost_usd') !== true &&
  min_cost_usd === undefined &&
  max_cost_usd === undefined
const wantsEnded = ({ status }: RunListQuery) => status !== 'running'

/** Returns the filters of a query, or undefined where nothing can match. */
async function filtersOf(
  tx: Tx,
  orgId: string,
  query: RunListQuery,
  window: TimeWindow,
  now: Date,
): Promise<RunFilters | undefined> {
  const { model, provider, status, workflow_id, deployment_id, department_id, customer_id, user_id, chain_id } = query
  const { external_id, tag, key_id, parent_run_id, min_cost_usd, max_cost_usd } = query
  const maker = key_id === undefined ? undefined : parseMaker(key_id)
  if (key_id !== undefined && maker === undefined) return undefined
  const parent = parent_run_id === undefined ? undefined : parseId('run', parent_run_id)
  if (parent_run_id !== undefined && parent === undefined) return undefined
  // As far back as these ids are stored they lead to the one run; beyond that, runs are scanned.
  const isKept = external_id !== undefined && window.from.getTime() >= now.getTime() - maxRunAgeDays * dayMs
  const id = isKept ? await findRunByExternalId(tx, orgId, external_id) : undefined
  if (isKept && id === undefined) return undefined
  const given = {
    model,
    provider,
    status,
    workflow_id,
    deployment_id,
    department_id,
    customer_id,
    user_id,
    chain_id,
    external_id,
    tag,
  }
  return {
    ...withoutUndefined<RunFilters>(given),
    ...(maker && (maker.kind === 'key' ? { key_id: maker.id } : { grant_id: maker.id })),
    ...(parent !== undefined && { parent_run_id: parent }),
    ...(id !== undefined && { id }),
    ...(min_cost_usd !== undefined && { minCostNano: parseUsd(min_cost_usd) }),
    ...(max_cost_usd !== undefined && { maxCostNano: parseUsd(max_cost_usd) }),
  }
}

interface PlacedRun {
  readonly value: string
  readonly id: string
  readonly run: Run
}
const placed = (id: string, run: Run, value = id): PlacedRun => ({ value, id, run })

interface EndedRuns {
  readonly runs: readonly PlacedRun[]
  /** The last run that was examined, where that is not the end. */
  readonly stoppedAt?: { readonly value: string; readonly id: string } | undefined
}
const noRuns: EndedRuns = { runs: [] }

async function endedRuns(tx: Tx, orgId: string, asked: RunSearch): Promise<EndedRuns> {
  const search = { ...asked, isSorted: await isSortable(tx, orgId, asked) }
  const valueOf = ({ id, cost_nano }: { id: string; cost_nano: bigint }) =>
    search.page.sort === 'cost_usd' ? cost_nano.toString() : id
  const rows = await listRunRows(tx, orgId, search)
  const runs = rows.map((row) => placed(row.id, viewOf(row), valueOf(row)))
  if (rows.length > search.page.limit) return { runs }
  const last = await lastScanned(tx, orgId, search)
  return { runs, stoppedAt: last && { value: valueOf(last), id: last.id } }
}

function merged({ page: asked }: RunSearch, { runs, stoppedAt }: EndedRuns, running: readonly PlacedRun[]) {
  const isBefore = (a: string, b: string) => (asked.descending ? a > b : a < b)
  // Running runs beyond the last examined ended run belong to the next page.
  const within = stoppedAt ? running.filter(({ id }) => !isBefore(stoppedAt.id, id)) : running
  const rows = within.length === 0 ? runs : [...runs, ...within].sort((a, b) => (isBefore(a.id, b.id) ? -1 : 1))
  const { data, next_cursor } = pageResponse(rows, asked, ({ value, id }) => ({ value, id }))
  const cursor =
    next_cursor ?? (stoppedAt && pageResponse([stoppedAt, stoppedAt], { ...asked, limit: 1 }, (at) => at).next_cursor)
  return { data: data.map(({ run }) => run), next_cursor: cursor ?? null }
}
