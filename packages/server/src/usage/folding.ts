import { randomUUID } from 'node:crypto'
import { Counter, Gauge } from 'prom-client'
import type { Job } from '../infra/jobs.ts'
import type { Platform } from '../infra/platform.ts'
import type { Sql } from '../infra/sql.ts'
import { deltasWaiting, foldOldPage, foldPage, nobody, orgsWithDeltas, orgsWithOldUsage } from './folding-queries.ts'
import { utcMidnight } from './granules.ts'

const sweepEveryMs = 1_000
const perPage = 2_000
/** After so many pages the others have their turn. */
const pagesPerOrg = 10
const orgsAtOnce = 100

/**
 * Usage is told by quarters of an hour for 90 days. They are folded to days a day later than readers begin to see them so:
 * no difference of clocks can show.
 */
const fineDays = 90
export const daysBefore = (now: Date): Date => utcMidnight(now, -fineDays)
const foldedBefore = (now: Date): Date => utcMidnight(now, -fineDays - 1)

/** Folds what waits, from some organization on and around: workers that begin together part. */
export async function foldDeltas(sql: Sql, isStopping = () => false): Promise<number> {
  const start = randomUUID()
  let folded = 0
  const next = async (after: string, isBeyond: (orgId: string) => boolean) => {
    const orgs = await orgsWithDeltas(sql, after, orgsAtOnce)
    for (const orgId of orgs) {
      if (isStopping() || isBeyond(orgId)) return undefined
      folded += await foldPages(() => foldPage(sql, orgId, perPage))
    }
    return orgs.at(-1)
  }
  for (let after: string | undefined = start; after !== undefined; ) after = await next(after, () => false)
  for (let after: string | undefined = nobody; after !== undefined; ) after = await next(after, (id) => id > start)
  return folded
}

/** Folds quarters of an hour that have become old into days. */
export async function foldOldUsage(sql: Sql, now: Date, isStopping = () => false): Promise<number> {
  const before = foldedBefore(now)
  let folded = 0
  for (let after: string | undefined = nobody; after !== undefined; ) {
    const orgs = await orgsWithOldUsage(sql, before, after, orgsAtOnce)
    for (const { org_id } of orgs.filter(({ is_old }) => is_old)) {
      if (isStopping()) return folded
      folded += await foldPages(() => foldOldPage(sql, org_id, before, perPage), Number.POSITIVE_INFINITY)
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

export const foldOldUsageJob = ({ sql, clock }: Platform): Job => ({
  name: 'fold-old-usage',
  schedule: '41 * * * *',
  run: async (_payload, signal) => {
    await foldOldUsage(sql, clock.now(), () => signal?.aborted === true)
  },
})

/** Folds usage until it is closed. */
export function foldUsage({ sql, log, metrics }: Platform) {
  const waiting = new Gauge({
    name: 'svc_usage_deltas_waiting',
    help: 'Usage that was recorded and is not folded yet, about.',
    registers: [metrics],
  })
  const foldedSoFar = new Counter({
    name: 'svc_usage_deltas_folded_total',
    help: 'Usage deltas that were folded into rollups.',
    registers: [metrics],
  })
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let sweeping = Promise.resolve()

  async function sweep() {
    waiting.set(await deltasWaiting(sql))
    foldedSoFar.inc(await foldDeltas(sql, () => isClosed))
  }

  function again() {
    if (isClosed) return
    timer = setTimeout(() => {
      sweeping = sweep()
        .catch((error: unknown) => log.warn({ error }, 'folding usage failed; the next sweep tries again'))
        .then(again)
    }, sweepEveryMs)
  }
  again()
  return {
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await sweeping
    },
  }
}
