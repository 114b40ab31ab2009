import { hash } from 'node:crypto'
import { readOncePerPage } from '../../contract/page-reads.ts'
import { loadPriceBook, normalName } from '../../money/prices/prices.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { findOrg } from '../../tenants/orgs/orgs.ts'
import { normalForm } from '../../values/normal-form.ts'
import { present } from '../../values/present.ts'
import { dateAt, startOfDay, today } from './calendar.ts'
import type { ForecastThread } from './forecast-thread.ts'
import { readLimits } from './limits.ts'
import {
  type HistoryRead,
  readModels,
  readSeries,
  readTeamDays,
  readUsageState,
  type UsageDimension,
} from './queries.ts'
import type { ResponseCache } from './response-cache.ts'
import { modelUsage } from './scenarios/model-usage.ts'
import { scenariosOf } from './scenarios/scenario-input.ts'
import { formulaOf, type Scenario, type ScenarioBasis } from './scenarios/scenarios.ts'
import type { ForecastQuery } from './schema.ts'
import type { ForecastTask } from './task.ts'

const defaults = { metric: 'cost', horizon: 30, step: 'day', trainingDays: 365 } as const
/** The number of series beyond which all others are combined into one. */
const maxSeries = 20
/** The number of days that scenarios take their parameters from. */
const basisDays = 28
/** Usage is stored in 15-minute buckets for 90 days and a margin. */
const fineDays = 92

/** A forecast query with its defaults filled in. */
interface CompleteQuery extends Omit<HistoryRead, 'starts'> {
  readonly horizon: number
  readonly step: ForecastTask['step']
  readonly timezone: string
  readonly now: Date
  readonly format: ForecastTask['format']
  readonly scenarios: readonly Scenario[]
}

export interface ForecastDependencies {
  readonly platform: Platform
  readonly thread: ForecastThread
  readonly cache: ResponseCache
}

/** Returns the response to a query, from the cache until any of its inputs has changed. */
export async function forecast(
  { platform, thread, cache }: ForecastDependencies,
  orgId: string,
  query: ForecastQuery,
): Promise<Buffer> {
  const { sql, clock } = platform
  const now = clock.now()
  const { asked, limits, madeFrom } = await sql.asOrgs([orgId], async (tx) => {
    const org = await readOncePerPage(`organization ${orgId}`, () => findOrg(tx, orgId))
    const filled = withQueryDefaults(query, org?.timezone ?? 'UTC', now)
    const found = await readLimits(tx, orgId, now.getTime(), filled)
    const { usage, configVersion } = await readOncePerPage(`usage of ${orgId}`, () => readUsageState(tx, orgId))
    const facts = JSON.stringify([usage, configVersion, filled.today, filled.timezone, found])
    return { asked: filled, limits: found, madeFrom: hash('sha256', facts, 'base64') }
  })
  const key = hash('sha256', JSON.stringify([orgId, query]), 'base64')
  return cache.get(key, madeFrom, async () => {
    const { series, basis } = await sql.asOrgs([orgId], (tx) => readBasis(tx, orgId, asked), { isSnapshot: true })
    return thread.run(orgId, {
      metric: asked.metric,
      by: asked.by ?? null,
      horizon: asked.horizon,
      step: asked.step,
      timezone: asked.timezone,
      today: asked.today,
      nowMs: now.getTime(),
      trainingDays: asked.days,
      series,
      limits,
      scenarios: asked.scenarios.map((scenario) => ({ scenario, formula: formulaOf(scenario, present(basis)) })),
      format: asked.format,
    })
  })
}

const formOf = (name: string | undefined) => (name === undefined ? undefined : normalForm(name))

function withQueryDefaults(query: ForecastQuery, ownTimezone: string, now: Date): CompleteQuery {
  const timezone = query.timezone ?? ownTimezone
  const given: Partial<Record<UsageDimension, string | undefined>> = {
    model: query.model === undefined ? undefined : normalName(query.model),
    workflow: formOf(query.workflow_id),
    deployment: formOf(query.deployment_id),
    department: formOf(query.department_id),
  }
  return {
    metric: query.metric ?? defaults.metric,
    by: query.by,
    filters: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    days: query.training_days ?? defaults.trainingDays,
    horizon: query.horizon_days ?? defaults.horizon,
    step: query.step ?? defaults.step,
    format: query.format ?? 'json',
    scenarios: scenariosOf(query),
    timezone,
    now,
    today: today(timezone, now),
  }
}

/** Reads the inputs of the worker thread in one snapshot; the inputs of scenarios only when there are any. */
async function readBasis(tx: Tx, orgId: string, asked: CompleteQuery) {
  const starts = Array.from(
    { length: fineDays },
    (_, i) => new Date(startOfDay(asked.timezone, dateAt(asked.today, i + 1 - fineDays))),
  )
  const read = { ...asked, starts }
  const series = await readSeries(tx, orgId, read, maxSeries)
  if (asked.scenarios.length === 0) return { series, basis: undefined }
  const rows = await readModels(tx, orgId, read, basisDays)
  const book = await loadPriceBook(tx, orgId)
  const targets = asked.scenarios.flatMap((one) => (one.kind === 'model_switch' ? one.to : []))
  const isFitted = asked.scenarios.some((one) => one.kind === 'team_growth' && one.exponent === null)
  const basis: ScenarioBasis = {
    metric: asked.metric,
    ...modelUsage(rows, book, targets, asked.now.getTime()),
    teamDays: isFitted ? await readTeamDays(tx, orgId, read) : null,
  }
  return { series, basis }
}
