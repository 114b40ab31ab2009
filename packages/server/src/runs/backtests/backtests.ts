import type { TimeWindow } from '../../contract/lists.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { loadRetention } from '../../records/retention/retention.ts'
import { formatId, parseId, timeOfUuid } from '../../values/id.ts'
import { elementAt, lastOf, present } from '../../values/present.ts'
import { timestamp } from '../../values/timestamp.ts'
import { shownFrom } from '../run-history/run-history.ts'
import { createJudge, type ReplayedOutcome, type TestSubject } from './judge.ts'
import { forEachSlice, prefetchPages } from './pages.ts'
import type { Progress } from './progress.ts'
import {
  estimateRefusals,
  estimateRuns,
  findKeys,
  forceKeyScans,
  parseRefusal,
  parseRun,
  type RecordedRefusal,
  type RunRange,
  readRefusals,
  readRuns,
} from './queries.ts'
import { BacktestReport } from './report.ts'
import type { BacktestView } from './schema.ts'
import type { KnownKeys } from './stored-runs.ts'

const pageRows = 1_000

export interface BacktestRequest {
  readonly window: TimeWindow
  readonly tested: TestSubject
}

/**
 * Evaluates every run that ended in a window, and every recorded refusal, with the same pure functions that decide live. Reads
 * page by page in short transactions, so that only a page is held in memory, and works in time slices, so that other requests are
 * not delayed.
 */
export async function backtest(
  { sql, clock }: Pick<Platform, 'sql' | 'clock'>,
  orgId: string,
  { window, tested }: BacktestRequest,
  progress: Progress,
  signal: AbortSignal,
): Promise<BacktestView> {
  const judge = createJudge(tested)
  const report = new BacktestReport(judge.ruleRefOf)
  const { refusal: judgeRefusal } = judge
  const range = await sql.asOrgs([orgId], async (tx) => {
    const shown = await rangeOf(tx, orgId, window, clock.now())
    const refusals = judgeRefusal ? await estimateRefusals(tx, orgId, window) : 0
    progress.begin(window, [await estimateRuns(tx, orgId, shown), refusals])
    return shown
  })
  for await (const { rows, keys } of runPages(sql, orgId, range)) {
    signal.throwIfAborted()
    await forEachSlice(rows, judge.step, signal, (texts) => {
      const some = texts.map(parseRun)
      for (const [i, judgement] of judge.runs(some, keys).entries()) report.add(elementAt(some, i), judgement)
      progress.advance('runs', some.length, timeOfUuid(lastOf(some).id))
    })
  }
  const refusals = judgeRefusal && (await countRefusals(sql, orgId, window, judgeRefusal, progress, signal))
  progress.end()
  return {
    window: { from: timestamp(range.window.from), to: timestamp(range.window.to) },
    tested: testedView(tested),
    ...report.view(),
    recorded_refusals: refusals ?? null,
    agreement: judge.agreement?.view() ?? null,
  }
}

/** Returns the range of runs to test. Runs that are no longer shown are not tested either. */
async function rangeOf(tx: Tx, orgId: string, { from, to }: TimeWindow, now: Date): Promise<RunRange> {
  const retention = await loadRetention(tx, orgId)
  const oldest = shownFrom(retention, now)
  const shownSince = from < oldest ? oldest : from
  return { classes: retention.classes, window: { from: shownSince < to ? shownSince : to, to } }
}

const runPages = (sql: Sql, orgId: string, range: RunRange) =>
  prefetchPages(
    (after) =>
      sql.asOrgs([orgId], async (tx) => {
        await forceKeyScans(tx)
        const { rows, key_ids } = await readRuns(tx, orgId, range, after, pageRows)
        return { rows, keys: await keysOf(tx, orgId, key_ids ?? []) }
      }),
    pageRows,
  )

/** Returns the roles and scopes of the keys that started these runs. They never change. */
async function keysOf(tx: Tx, orgId: string, ids: readonly string[]): Promise<KnownKeys> {
  const uuids = ids.flatMap((id) => parseId('key', id) ?? [])
  const rows = uuids.length === 0 ? [] : await findKeys(tx, orgId, uuids)
  return new Map(rows.map(({ id, role, scopes }) => [formatId('key', id), { role, scopes }]))
}

async function countRefusals(
  sql: Sql,
  orgId: string,
  window: TimeWindow,
  judge: (refusal: RecordedRefusal) => ReplayedOutcome,
  progress: Progress,
  signal: AbortSignal,
): Promise<NonNullable<BacktestView['recorded_refusals']>> {
  const counts = { considered: 0, allowed: 0, refused: 0, failed: 0 }
  const pages = prefetchPages(
    (after) =>
      sql.asOrgs([orgId], async (tx) => {
        await forceKeyScans(tx)
        return readRefusals(tx, orgId, window, after, pageRows)
      }),
    pageRows,
  )
  for await (const { rows } of pages) {
    signal.throwIfAborted()
    await forEachSlice(rows, 1, signal, ([text]) => {
      const refusal = parseRefusal(present(text))
      counts.considered += refusal.count
      counts[judge(refusal)] += refusal.count
      progress.advance('refusals', 1, Date.parse(refusal.minute))
    })
  }
  return counts
}

function testedView(tested: TestSubject): BacktestView['tested'] {
  if (tested.kind === 'limit') {
    const { scope_kind, scope_id, limit_usd, period, timezone, anchor } = tested.limit
    const limit = { scope_kind, scope_id: scope_id ?? null, limit_usd, period, timezone: timezone ?? 'UTC' }
    return { kind: 'limit', set_version: null, rules: null, limit: { ...limit, anchor: anchor ?? null } }
  }
  const { kind, set } = tested
  return { kind, set_version: kind === 'live' ? Number(set.version) : null, rules: set.rules.length, limit: null }
}
