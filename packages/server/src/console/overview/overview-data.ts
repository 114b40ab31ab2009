import { setTimeout as sleep } from 'node:timers/promises'
import { shareInPage } from '../../contract/page-reads.ts'
import { dayMs, isoOf } from '../../values/time.ts'
import type { Schemas } from '../api/api.ts'
import { type Part, part, type Visit } from '../frame/frame.ts'
import { type ReadUsage, readPages, thisMonth, type UsageWindow } from '../series/series.ts'

/** Something that a page would rather be without than wait for. */
export type Awaited<T> = Part<T> | 'late' | undefined

/** All that the overview shows; undefined for what the reader may not see. */
export interface OverviewData {
  readonly month: UsageWindow
  readonly models: Part<ReadUsage> | undefined
  readonly teams: Part<ReadUsage> | undefined
  /** Sums of today, where so much was used this month that the rows of the models are cut. */
  readonly today: Part<Schemas['Usage']> | undefined
  readonly cap: Part<Schemas['SpendCapOrNotSet']> | undefined
  readonly budgets: Part<Schemas['BudgetList']> | undefined
  readonly quota: Part<Schemas['Quota']> | undefined
  readonly refusals: Part<Schemas['DailyRefusals']> | undefined
  readonly prices: Part<Schemas['Prices']> | undefined
  readonly webhooks: Part<Schemas['SubscriptionList']> | undefined
  readonly keys: Part<Schemas['KeyList']> | undefined
  /** Forecast of the rest of the month. */
  readonly forecast: Awaited<Schemas['Forecasts']>
  /** Forecasts by team and by workflow, for the days on which their budgets are used up. */
  readonly byLimit: readonly Awaited<Schemas['Forecasts']>[]
}

/** A forecast that is not in the cache takes a second; a page of a busy organization does not wait longer. */
const forecastWaitMs = 2_500
const limitHorizonDays = 60

async function inTime<T>(promise: Promise<T>): Promise<T | 'late'> {
  promise.catch(() => undefined)
  return Promise.race([promise, sleep(forecastWaitMs, 'late' as const, { ref: false })])
}

/** Reads everything at once; each part may fail alone. */
export async function readOverview(visit: Visit): Promise<OverviewData> {
  // The spend cap, the budgets and the forecasts of their ends all ask for limits and what is used of them.
  shareInPage('limits')
  const { api, times, may, org } = visit
  const nowMs = times.now.getTime()
  const month = thisMonth(times)
  const window = { from: isoOf(month.fromMs), to: isoOf(month.toMs), timezone: org.timezone }
  const unless = <T>(isAllowed: boolean, read: () => Promise<T>) => (isAllowed ? part(read()) : undefined)
  const usageOf = (group: string, granularity: 'day' | 'month') =>
    readPages((page) => api.get('/v1/orgs/{id}/usage', { query: { ...window, granularity, group_by: group, ...page } }))
  const forecastOf = (query: object) =>
    may('forecasts:read') ? part(api.get('/v1/capacity/forecasts', { query })) : undefined
  const [seesUsage, seesLimits] = [may('usage:read'), may('limits:read')]
  const usage = Promise.all([
    unless(seesUsage, () => usageOf('model', 'day')),
    unless(seesUsage, () => usageOf('department_id', 'month')),
  ])
  const cutToday = usage.then(([read]) =>
    read?.value?.isWhole === false ? part(api.get('/v1/orgs/{id}/usage', { query: todayOnly(visit) })) : undefined,
  )
  const budgets = Promise.resolve(unless(seesLimits, () => api.get('/v1/orgs/{id}/budgets', { query: { limit: 200 } })))
  // Forecasts share the database time of expensive reads with usage, which the page needs more.
  const forecasts = usage.then(async () => {
    const covered = new Set((await budgets)?.value?.data.map(({ scope_kind: kind }) => kind))
    return Promise.all([
      forecastOf({ horizon_days: Math.max(1, Math.ceil((month.toMs - nowMs) / dayMs)) }),
      ...(['department', 'workflow'] as const)
        .filter((by) => covered.has(by))
        .map((by) => forecastOf({ by, horizon_days: limitHorizonDays })),
    ])
  })
  const [[models, teams], today, foreseen, ...others] = await Promise.all([
    usage,
    cutToday,
    usage.then(() => inTime(forecasts)),
    unless(seesLimits, () => api.get('/v1/orgs/{id}/spend-cap')),
    budgets,
    unless(seesLimits, () => api.get('/v1/orgs/{id}/quota')),
    unless(seesLimits, () =>
      api.get('/v1/orgs/{id}/refusals/daily', { query: { from: isoOf(nowMs - dayMs).slice(0, 10) } }),
    ),
    unless(seesLimits, () => api.get('/v1/orgs/{id}/prices')),
    unless(may('webhooks:read', 'admin'), () => api.get('/v1/orgs/{id}/webhooks', { query: { limit: 200 } })),
    unless(may('keys:read', 'admin'), () => api.get('/v1/orgs/{id}/keys', { query: { status: 'active', limit: 200 } })),
  ])
  const [cap, budgetList, quota, refusals, prices, webhooks, keys] = others
  const [forecast, ...byLimit] = foreseen === 'late' ? (['late'] as const) : foreseen
  return {
    month,
    models,
    teams,
    today,
    cap,
    budgets: budgetList,
    quota,
    refusals,
    prices,
    webhooks,
    keys,
    forecast,
    byLimit,
  }
}

/** Returns the query of which only the sums are wanted: those of today. */
const todayOnly = ({ times, org }: Visit) => ({
  from: times.startOfDay(times.date(times.now)) ?? isoOf(times.now.getTime()),
  to: isoOf(thisMonth(times).toMs),
  timezone: org.timezone,
  granularity: 'day' as const,
  limit: 1,
})

/** Returns what came; nothing where it failed or is late. */
export const valueOf = <T>(awaited: Awaited<T>): T | undefined =>
  awaited === undefined || awaited === 'late' ? undefined : awaited.value

/** Returns when limits would be used up, by their ids. */
export const exhaustionOf = ({ forecast, byLimit }: OverviewData): ReadonlyMap<string, Schemas['Exhaustion']> =>
  new Map(
    [forecast, ...byLimit]
      .flatMap((awaited) => {
        const value = valueOf(awaited)
        return value === undefined ? [] : [value.total, ...value.series]
      })
      .flatMap(({ exhaustion }) => exhaustion.map((limit) => [limit.limit_id, limit] as const)),
  )
