import { pageRequest, pageResponse, type TimeWindow } from '../../contract/lists.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { formatUsd } from '../../values/money.ts'
import { dayMs } from '../../values/time.ts'
import { timestamp } from '../../values/timestamp.ts'
import { type ReturnRow, readReturns } from './linear-queries.ts'
import type { DeploymentReturn, LinearForecast, LinearQuery } from './linear-schema.ts'

/** The deprecated dry run: the return of the last days, spread evenly over the teams and multiplied by a number of teams. */

const windowDays = 30
const defaultTeamCounts = Array.from({ length: 10 }, (_, i) => i + 1)

/** Returns the last days in UTC including the current one, so that runs recorded a moment ago count, as in usage. */
export function linearWindow(now: Date): TimeWindow {
  const toMs = (Math.floor(now.getTime() / dayMs) + 1) * dayMs
  return { from: new Date(toMs - windowDays * dayMs), to: new Date(toMs) }
}

/**
 * Projects a return. Multiplies before dividing and rounds once, half away from zero, so that for the current number of teams the
 * result is exact.
 */
export function projectReturn(returnNano: bigint, teams: bigint, teamCount: bigint): bigint {
  const total = returnNano * teamCount
  const half = total < 0n ? -teams : teams
  return (2n * total + half) / (2n * teams)
}

/** Returns the return of each deployment with runs, and its projections for other numbers of teams. */
export async function projectReturns(
  { sql, clock }: Platform,
  orgId: string,
  query: LinearQuery,
): Promise<LinearForecast> {
  const window = linearWindow(clock.now())
  const asked = pageRequest(query, 'deployment_id')
  const rows = await sql.asOrgs([orgId], (tx) =>
    readReturns(tx, orgId, {
      window,
      deploymentId: query.deployment_id,
      limit: asked.limit,
      descending: asked.descending,
      after: asked.after?.value,
    }),
  )
  const { data, next_cursor } = pageResponse(rows, asked, ({ deploymentId }) => ({ value: deploymentId, id: '' }))
  const teamCounts = query.team_count === undefined ? defaultTeamCounts : [query.team_count]
  return {
    data: data.map((row) => returnView(row, teamCounts)),
    next_cursor,
    method: 'linear',
    from: timestamp(window.from),
    to: timestamp(window.to),
  }
}

function returnView(row: ReturnRow, teamCounts: readonly number[]): DeploymentReturn {
  const returnNano = row.valueNano - row.costNano
  const teams = row.departments > 0n ? row.departments : 1n
  return {
    deployment_id: row.deploymentId === '' ? null : row.deploymentId,
    runs: Number(row.runs),
    team_count: Number(teams),
    value_usd: formatUsd(row.valueNano),
    cost_usd: formatUsd(row.costNano),
    return_usd: formatUsd(returnNano),
    return_per_team_usd: formatUsd(projectReturn(returnNano, teams, 1n)),
    projections: teamCounts.map((teamCount) => ({
      team_count: teamCount,
      return_usd: formatUsd(projectReturn(returnNano, teams, BigInt(teamCount))),
    })),
  }
}
