import { randomUUID } from 'node:crypto'
import { Counter, Gauge } from 'prom-client'
import type { Config } from '../../config.ts'
import type { Job } from '../../platform/infra/jobs.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { repeat } from '../../platform/infra/repeat.ts'
import { attributeNew, attributeOld } from './attribution-store.ts'
import { utcMidnight } from './granules.ts'
import {
  deltasWaiting,
  foldOldRows,
  foldRows,
  nobody,
  orgsWithDeltas,
  orgsWithOldUsage,
  readDeltas,
  readOldBuckets,
  tryFoldingLock,
} from './rollup-queries.ts'

const sweepEveryMs = 1_000
const perPage = 2_000
/** Pages of one organization before the others have their turn. */
const pagesPerOrg = 10
const orgsAtOnce = 100

/**
 * Days for which usage is shown by quarters of an hour. They are folded to days one day later than readers begin to see them so:
 * no difference of clocks can show.
 */
const fineDays = 90
export const daysBefore = (now: Date): Date => utcMidnight(now, -fineDays)
const foldedBefore = (now: Date): Date => utcMidnight(now, -fineDays - 1)

/** The parts of the process that folding needs. */
export type FoldContext = Pick<Platform, 'sql' | 'clock'> & { readonly config: Pick<Config, 'maxNewValuesPerDay'> }

const rulesOf = ({ clock, config }: FoldContext) => ({
  today: clock.now().toISOString().slice(0, 10),
  newValuesPerDay: config.maxNewValuesPerDay,
})

/** Moves some deltas into the rollups, in one transaction; returns how many there were. */
const foldPage = (folder: FoldContext, orgId: string): Promise<number> =>
  folder.sql.asOrgs([orgId], async (tx) => {
    if (!(await tryFoldingLock(tx, orgId))) return 0
    const rows = await readDeltas(tx, orgId, perPage)
    if (rows.length > 0) await foldRows(tx, orgId, await attributeNew(tx, orgId, rows, rulesOf(folder)))
    return rows.length
  })

/** Moves some quarters of an hour into their UTC days, in one transaction; returns how many there were. */
const foldOldPage = (folder: FoldContext, orgId: string, before: Date): Promise<number> =>
  folder.sql.asOrgs([orgId], async (tx) => {
    if (!(await tryFoldingLock(tx, orgId))) return 0
    const rows = await readOldBuckets(tx, orgId, before, perPage)
    if (rows.length > 0) await foldOldRows(tx, orgId, await attributeOld(tx, orgId, rows, rulesOf(folder)))
    return rows.length
  })

/** Folds waiting deltas of all organizations, beginning at a random one, so that workers which start together do not meet. */
export async function foldDeltas(folder: FoldContext, isStopping = () => false): Promise<number> {
  const { sql } = folder
  const start = randomUUID()
  let folded = 0
  const next = async (after: string, isBeyond: (orgId: string) => boolean) => {
    const orgs = await orgsWithDeltas(sql, after, orgsAtOnce)
    for (const orgId of orgs) {
      if (isStopping() || isBeyond(orgId)) return undefined
      folded += await foldPages(() => foldPage(folder, orgId))
    }
    return orgs.at(-1)
  }
  for (let after: string | undefined = start; after !== undefined; ) after = await next(after, () => false)
  for (let after: string | undefined = nobody; after !== undefined; ) after = await next(after, (id) => id > start)
  return folded
}

/** Folds old quarters of an hour into days. */
export async function foldOldUsage(folder: FoldContext, isStopping = () => false): Promise<number> {
  const { sql, clock } = folder
  const before = foldedBefore(clock.now())
  let folded = 0
  for (let after: string | undefined = nobody; after !== undefined; ) {
    const orgs = await orgsWithOldUsage(sql, before, after, orgsAtOnce)
    for (const { org_id } of orgs.filter(({ is_old }) => is_old)) {
      if (isStopping()) return folded
      folded += await foldPages(() => foldOldPage(folder, org_id, before), Number.POSITIVE_INFINITY)
    }
    after = orgs.at(-1)?.org_id
  }
  return folded
}

async function foldPages(foldOne: () => Promise<number>, most = pagesPerOrg): Promise<number> {
  let folded = 0
  for (let pages = 0; pages < most; pages++) {
    const taken = await foldOne()
    folded += taken
    if (taken < perPage) break
  }
  return folded
}

export const foldOldUsageJob = (platform: Platform): Job => ({
  name: 'fold-old-usage',
  schedule: '41 * * * *',
  run: async (_payload, signal) => {
    await foldOldUsage(platform, () => signal?.aborted === true)
  },
})

/** Folds usage until it is closed. */
export function startFolding(platform: Platform) {
  const { sql, log, metrics } = platform
  const waiting = new Gauge({
    name: 'svc_usage_deltas_waiting',
    help: 'Approximate number of usage deltas that are recorded and not folded yet.',
    registers: [metrics],
  })
  const foldedSoFar = new Counter({
    name: 'svc_usage_deltas_folded_total',
    help: 'Usage deltas that were folded into rollups.',
    registers: [metrics],
  })
  async function sweep(closed: AbortSignal) {
    waiting.set(await deltasWaiting(sql))
    foldedSoFar.inc(await foldDeltas(platform, () => closed.aborted))
  }
  return repeat(sweep, {
    everyMs: sweepEveryMs,
    onError: (error) => log.warn({ error }, 'folding usage failed; the next sweep tries again'),
  })
}
