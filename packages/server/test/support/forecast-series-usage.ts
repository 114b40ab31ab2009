import { sql as raw } from 'kysely'
import { usageDeltas } from '../../src/records/run-log/usage-deltas.ts'
import { requireId } from '../../src/values/id.ts'
import type { ServerUnderTest } from './harness.ts'
import { recordedRun } from './recorded-runs.ts'

/** What was used on a day, by one combination of model, workflow and department. */
export interface FilledDay {
  readonly daysAgo: number
  readonly usd: number
  readonly runs: number
  readonly input: number
  readonly output: number
  readonly model: string
  readonly workflow: string
  readonly department: string
  /** Of the day in UTC. */
  readonly hour: number
}

const dayMs = 86_400_000

/** Usage as ingest leaves it, not folded yet. */
export async function fillUsage(
  { platform }: Pick<ServerUnderTest, 'platform'>,
  org: string,
  todayMs: number,
  days: readonly (Partial<FilledDay> & { daysAgo: number })[],
) {
  const orgId = requireId('org', org)
  const midnight = Math.floor(todayMs / dayMs) * dayMs
  const counted = days.map((day) => ({
    orgId,
    sign: 1n as const,
    run: recordedRun({
      startedAtMs: midnight - day.daysAgo * dayMs + (day.hour ?? 12) * 3_600_000,
      costNano: BigInt(Math.round((day.usd ?? 0) * 1e9)),
      usage: { input_tokens: day.input ?? 0, output_tokens: day.output ?? 0 },
      about: { model: day.model ?? 'gpt-4o', workflow_id: day.workflow, department_id: day.department },
    }),
  }))
  const deltas = counted.flatMap((one, i) => usageDeltas([one]).map((row) => ({ ...row, runs: days[i]!.runs ?? 1 })))
  await platform.sql.asOrgs([orgId], (tx) =>
    raw`insert into usage_deltas select * from json_populate_recordset(null::usage_deltas, ${JSON.stringify(deltas)})`.execute(
      tx,
    ),
  )
}
