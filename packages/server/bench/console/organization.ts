import type pg from 'pg'
import type { Platform } from '../../src/platform/infra/platform.ts'
import { foldDeltas } from '../../src/records/usage/rollup.ts'
import { parseId } from '../../src/values/id.ts'
import { present } from '../../src/values/present.ts'
import { fillOrganization } from '../../test/support/console-organization.ts'
import type { ServerUnderTest } from '../../test/support/harness.ts'
import { fillRuns } from '../../test/support/recorded-runs.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../../test/support/tenants.ts'

/** Numbers of what an organization has. */
export interface Size {
  readonly runs: number
  readonly budgets: number
  readonly keys: number
  readonly customers: number
}

export const fullSize: Size = { runs: 10_000_000, budgets: 1_000, keys: 500, customers: 10_000 }
/** As many rows of usage, limits, keys and customers as the full size has, in a twentieth of the time. */
export const mediumSize: Size = { ...fullSize, runs: 500_000 }
export const smallSize: Size = { runs: 5_000, budgets: 10, keys: 5, customers: 100 }

/** The organization of the benchmark, and whoever runs the installation. */
export interface LargeOrganization {
  readonly operator: string
  readonly tenant: Tenant
  readonly size: Size
  /** Ids by kind of what was made, for addresses that no page links to. */
  readonly ids: Readonly<Record<string, string>>
}

const dayMs = 86_400_000
const days = 89
const perBulk = 100
const callsAtOnce = 4
/** Budgets that `fillOrganization` makes; a thousand is the most that an organization may have. */
const madeBudgets = 5
/** Combinations of model, workflow, team and key in which runs are made: as many as `fillRuns` makes of the first three. */
const combinations = 60

/**
 * Fills an organization. Something of every kind, budgets, keys and a run of each customer come through the API; the past runs and the
 * rollups that follow from them are made in the database, as the server would have made them.
 */
export async function makeOrganization(
  url: string,
  { platform, owner, size }: { platform: Platform; owner: pg.Client; size: Size },
): Promise<LargeOrganization> {
  const { key: operator } = await operatorOf({ platform } as ServerUnderTest)
  const tenant = await tenantOf({ url } as ServerUnderTest, operator, 'Northwind')
  const nowMs = platform.clock.now().getTime()
  const { ids } = await fillOrganization(url, { operator, tenant, nowMs }, (plain) => plain)
  const send = async (method: string, path: string, body: unknown) => {
    const { status, text, json } = await call(url, method, path, { key: tenant.key, body })
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    return json
  }
  await inTurns(size.budgets - madeBudgets, (i) => send('POST', `/v1/orgs/${tenant.id}/budgets`, budgetOf(i)))
  const keyIds: string[] = []
  await inTurns(size.keys, async (i) => {
    const body = { name: `Agent ${i}`, role: 'service', scopes: ['edge:decide', 'runs:write'] }
    keyIds.push(String((await send('POST', `/v1/orgs/${tenant.id}/keys`, body))['id']))
  })
  const orgId = present(parseId('org', tenant.id))
  await limitCustomers(owner, orgId, size.customers)
  await inTurns(Math.ceil(size.customers / perBulk), (page) => send('POST', '/v1/runs/bulk', { runs: runsOf(page) }))
  await fillPast(owner, { orgId, nowMs, size, keyIds: keyIds.slice(0, combinations) })
  // As a worker does every second.
  await foldDeltas(platform)
  // Nothing depends on it in a small one, and it visits every partition.
  if (size.runs > smallSize.runs) await owner.query('vacuum (analyze)')
  return { operator, tenant, size, ids }
}

async function inTurns(count: number, work: (index: number) => Promise<unknown>) {
  let next = 0
  const worker = async () => {
    for (let i = next++; i < count; i = next++) await work(i)
  }
  await Promise.all(Array.from({ length: callsAtOnce }, worker))
}

const budgetOf = (i: number) => {
  const [scope_kind, scope_id] =
    i < 5 ? ['department', `department-${i}`] : i < 35 ? ['workflow', `workflow-${i - 5}`] : ['user', `user-${i}`]
  return {
    name: `Budget ${i}`,
    scope_kind,
    scope_id,
    limit_usd: String(100 + i),
    period: 'month',
    thresholds: [50, 80],
  }
}

/** Runs of a page of customers, each by a user with a budget. */
const runsOf = (page: number) =>
  Array.from({ length: perBulk }, (_, i) => ({
    model: `model-${i % 20}`,
    external_id: `of-customer-${page}-${i}`,
    department_id: `department-${i % 5}`,
    workflow_id: `workflow-${i % 30}`,
    user_id: `user-${(page * perBulk + i) % 1_000}`,
    customer_id: `customer-${page * perBulk + i}`,
    input_tokens: 1_200,
    output_tokens: 300,
    cost_usd: '0.01',
    status: 'succeeded',
  }))

const limitCustomers = (owner: pg.Client, orgId: string, count: number) =>
  owner.query(
    `insert into customer_limits (org_id, customer_id, id, amount, period, timezone)
     select $1, 'customer-' || i, gen_random_uuid(), 50000000000, 'month', 'UTC' from generate_series(0, $2::integer - 1) i
     on conflict do nothing`,
    [orgId, count],
  )

const counters = `count(*), count(*) filter (where status = 'failed'), sum(input_tokens), sum(output_tokens), 0, 0, 0, sum(cost_nano),
  0, 0, 0, sum((extract(epoch from ended_at - started_at) * 1000)::bigint), count(ended_at)`
const counted = `runs, failed_runs, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens,
  reasoning_output_tokens, cost_nano, estimated_nano, overrun_nano, value_nano, duration_ms, timed_runs`

interface Past {
  readonly orgId: string
  readonly nowMs: number
  readonly size: Size
  readonly keyIds: readonly string[]
}

/** Makes past runs, evenly in 89 days, and folds them as the worker folds deltas. */
async function fillPast(owner: pg.Client, { orgId, nowMs, size, keyIds }: Past) {
  const uuids = keyIds.map((id) => present(parseId('key', id)))
  // Days that `fillOrganization` has written to are left to it: a rollup has one row for each period.
  const [from, to] = [new Date(nowMs - days * dayMs), new Date(nowMs - 60_000)]
  await owner.query("set work_mem = '256MB'")
  await fillRuns(owner, {
    orgId,
    count: size.runs,
    retentionClass: 90,
    from,
    to,
    customers: size.customers,
    keyIds: uuids,
  })
  await owner.query(
    `insert into usage_15m (org_id, bucket, model, provider, workflow_id, deployment_id, department_id, key_id, user_id, ${counted})
     select $1, date_bin('15 minutes', started_at, 'epoch'), model, provider, workflow_id, '', department_id, k.name, '', ${counters}
       from runs join unnest($2::uuid[], $3::text[]) as k (id, name) on k.id = key_id
      where org_id = $1 group by 2, 3, 4, 5, 7, 8`,
    [orgId, uuids, keyIds],
  )
  await owner.query(
    `insert into usage_customer_days (org_id, day, customer_id, ${counted})
     select $1, (started_at at time zone 'UTC')::date, customer_id, ${counters}
       from runs where org_id = $1 and key_id = any ($2::uuid[]) group by 2, 3`,
    [orgId, uuids],
  )
  await owner.query(
    `insert into usage_dimension_values (org_id, dimension, value, first_seen_on, last_seen_on)
     select $1, v.dimension, v.value, $2::date, current_date
       from (select 'model', 'model-' || i from generate_series(0, 19) i
       union all select 'workflow_id', 'workflow-' || i from generate_series(0, 29) i
       union all select 'department_id', 'department-' || i from generate_series(0, 4) i
       union all select 'customer_id', 'customer-' || i from generate_series(0, $3::integer - 1) i) v (dimension, value)
     on conflict (org_id, dimension, value) do update set first_seen_on = excluded.first_seen_on`,
    [orgId, from, size.customers],
  )
}
