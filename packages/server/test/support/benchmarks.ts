import { beforeAll } from 'vitest'
import type { PeriodSums } from '../../src/insight/benchmarks/metrics.ts'
import { benchmarkPeriodAt } from '../../src/insight/benchmarks/periods.ts'
import { publishSealed } from '../../src/insight/benchmarks/publication.ts'
import { parseId, requireId } from '../../src/values/id.ts'
import type { Period } from '../../src/values/period.ts'
import { useServer } from './harness.ts'
import { useSuperuser } from './money.ts'
import { type Answer, call, operatorOf, type Tenant, tenantOf } from './tenants.ts'

/** Organizations in cohorts, what they have used, and a clock that reaches the end of a month at once. */

const periodCount = 6
const graceMs = 3 * 86_400_000

export interface Cohort {
  readonly id: string
  /** The running month, and those after it. */
  readonly periods: readonly [Period, ...Period[]] & { readonly 1: Period }
}

export function useCohorts(environment: Record<string, string>) {
  const server = useServer({ environment })
  const superuser = useSuperuser(server.database)
  let operator = ''
  beforeAll(async () => {
    operator = (await operatorOf(server)).key
  })

  const as = (org: Tenant, method: string, path: string, body?: unknown): Promise<Answer> =>
    call(server.url, method, path, { key: org.key, ...(body !== undefined && { body }) })
  const admin = (method: string, path: string, body?: unknown): Promise<Answer> =>
    call(server.url, method, `/v1/admin/benchmarks/cohorts${path}`, {
      key: operator,
      ...(body !== undefined && { body }),
    })
  const uuid = (org: Tenant) => requireId('org', org.id)
  const setMembership = (org: Tenant, ids: readonly string[]) =>
    as(org, 'PUT', `/v1/orgs/${org.id}/benchmark-membership`, { cohort_ids: ids })
  const membership = async (org: Tenant) =>
    ((await as(org, 'GET', `/v1/orgs/${org.id}/benchmark-membership`)).json['cohorts'] as { cohort_id: string }[]).map(
      ({ cohort_id }) => cohort_id,
    )

  async function cohort(): Promise<Cohort> {
    const { json } = await admin('POST', '', { name: 'A cohort', period: 'month' })
    const periods = [benchmarkPeriodAt('month', Date.parse(json['created_at'] as string))]
    while (periods.length < periodCount) periods.push(benchmarkPeriodAt('month', periods.at(-1)!.endMs))
    return { id: json['id'] as string, periods: periods as unknown as Cohort['periods'] }
  }

  async function join(members: readonly Tenant[], { id }: Cohort) {
    for (const org of members) {
      const { status, text } = await setMembership(org, [...new Set([...(await membership(org)), id])])
      if (status !== 200) throw new Error(text)
    }
  }

  /** What was used, recorded past everything that records it. */
  const use = (org: Tenant, { startMs }: Period, sums: Partial<PeriodSums>) => {
    const { refusals: _refusals, ...counted } = sums
    const row = { ...nothing, ...counted, org_id: uuid(org), bucket: new Date(startMs + 3_600_000) }
    return superuser.client.query(
      `insert into usage_15m select * from json_populate_record(null::usage_15m, $1)
       on conflict (org_id, bucket, model, provider, workflow_id, deployment_id, department_id, key_id, user_id)
       do update set runs = usage_15m.runs + excluded.runs, cost_nano = usage_15m.cost_nano + excluded.cost_nano`,
      [JSON.stringify(row)],
    )
  }

  const publish = (nowMs: number) => publishSealed({ ...server.platform, clock: { now: () => new Date(nowMs) } })

  const setsIn = async ({ id }: Cohort, startMs?: number) => {
    const { rows } = await superuser.client.query<{ metric: string; set_id: string; org_id: string }>(
      `select r.period_start, r.metric, r.set_id, o.org_id from benchmark_results r join benchmark_set_orgs o using (set_id)
        where r.cohort_id = $1 and ($2::timestamptz is null or r.period_start = $2) order by r.period_start, r.metric`,
      [parseId('cohort', id), startMs === undefined ? null : new Date(startMs)],
    )
    return [...Map.groupBy(rows, ({ metric }) => metric)].map(
      ([metric, members]) => [metric, new Set(members.map(({ org_id }) => org_id))] as const,
    )
  }

  return {
    server,
    superuser,
    /** Organizations that no other test has published anything of. */
    orgs: (count: number): Promise<Tenant[]> =>
      Promise.all(Array.from({ length: count }, (_, i) => tenantOf(server, operator, `Org ${i}`))),
    as,
    admin,
    setMembership,
    cohort,
    cohortOf: async (members: readonly Tenant[]) => {
      const made = await cohort()
      await join(members, made)
      return made
    },
    leave: async (org: Tenant, { id }: Cohort) =>
      setMembership(
        org,
        (await membership(org)).filter((other) => other !== id),
      ),
    /** Joins as if it were then. */
    joinAt: async (members: readonly Tenant[], of: Cohort, atMs: number) => {
      const news = []
      for (const org of members) if (!(await membership(org)).includes(of.id)) news.push(org)
      await join(news, of)
      await superuser.client.query(
        'update benchmark_members set joined_at = $3 where cohort_id = $1 and org_id = any ($2)',
        [parseId('cohort', of.id), news.map(uuid), new Date(atMs)],
      )
    },
    read: (org: Tenant, { id }: Cohort, query = '') => as(org, 'GET', `/v1/benchmarks/cohorts/${id}${query}`),
    use,
    useAll: async (members: readonly Tenant[], period: Period) => {
      for (const org of members) await use(org, period, { runs: 100, input_tokens: 5_000, cost_nano: 1_000_000_000 })
    },
    publish,
    publishAfter: ({ endMs }: Period) => publish(endMs + graceMs),
    setsIn,
    /** The organizations behind the cost of each period, in order. */
    setsOf: async (of: Cohort): Promise<Set<string>[]> => {
      const found: Set<string>[] = []
      for (const { startMs } of of.periods)
        for (const [metric, set] of await setsIn(of, startMs)) if (metric === 'cost_per_run_usd') found.push(set)
      return found
    },
  }
}

const nothing = {
  model: 'gpt-4o',
  provider: '',
  workflow_id: '',
  deployment_id: '',
  department_id: '',
  user_id: '',
  key_id: '',
  runs: 0,
  failed_runs: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  reasoning_output_tokens: 0,
  cost_nano: 0,
  estimated_nano: 0,
  overrun_nano: 0,
  value_nano: 0,
  duration_ms: 0,
  timed_runs: 0,
}
