import type pg from 'pg'
import { parseId } from '../../src/values/id.ts'
import { parseUsd } from '../../src/values/money.ts'
import type { Batch, SentRun, StormOrg } from './batches.ts'
import type { Fate, IngestLog } from './log.ts'

/** What is on the books after ingest, as the superuser reads it, against itself and against what clients were told. */

/** One statement, so one moment: at any time the runs, their usage and what is spent are the same. */
const sumsText = `
  with counted as (
    select runs, cost_nano from usage_15m where org_id = $1
    union all select runs, cost_nano from usage_days where org_id = $1
    union all select runs, cost_nano from usage_deltas where org_id = $1 and customer_id is null),
  customers as (
    select runs, cost_nano from usage_customer_days where org_id = $1
    union all select runs, cost_nano from usage_deltas where org_id = $1 and customer_id is not null),
  recorded as (
    select count(*) as runs, sum(cost_nano) as cost, count(customer_id) as customers,
           sum(cost_nano) filter (where customer_id is not null) as customer_cost,
           sum(cost_nano) filter (where workflow_id = 'workflow-0') as workflow_cost
      from runs where org_id = $1),
  spent as (
    select l.name, sum(a.spent) as spent, sum(a.held) as held
      from allowances a join limits l on l.org_id = a.org_id and l.id = a.limit_id where a.org_id = $1 group by 1)
  select r.runs::text as "runs", coalesce(r.cost, 0)::text as "cost", r.customers::text as "customerRuns",
         coalesce(r.customer_cost, 0)::text as "customerCost", coalesce(r.workflow_cost, 0)::text as "workflowCost",
         (select coalesce(sum(runs), 0)::text from counted) as "usageRuns",
         (select coalesce(sum(cost_nano), 0)::text from counted) as "usageCost",
         (select coalesce(sum(runs), 0)::text from customers) as "customerUsageRuns",
         (select coalesce(sum(cost_nano), 0)::text from customers) as "customerUsageCost",
         (select coalesce(sum(spent), 0)::text from spent where name = 'storm') as "spent",
         (select coalesce(sum(held), 0)::text from spent where name = 'storm') as "held",
         (select coalesce(sum(spent), 0)::text from spent where name = 'workflow-0') as "workflowSpent"
    from recorded r`

type SumName =
  | 'runs'
  | 'cost'
  | 'customerRuns'
  | 'customerCost'
  | 'workflowCost'
  | 'usageRuns'
  | 'usageCost'
  | 'customerUsageRuns'
  | 'customerUsageCost'
  | 'spent'
  | 'held'
  | 'workflowSpent'
export type Sums = Record<SumName, bigint>

export async function readSums(client: pg.Client, { uuid }: StormOrg): Promise<Sums> {
  const { rows } = await client.query<Record<SumName, string>>(sumsText, [uuid])
  return Object.fromEntries(Object.entries(rows[0]!).map(([name, value]) => [name, BigInt(value)])) as Sums
}

export function faultsOfSums({ name }: StormOrg, sums: Sums, limitNano: bigint): string[] {
  const pairs: readonly [SumName, SumName][] = [
    ['runs', 'usageRuns'],
    ['cost', 'usageCost'],
    ['customerRuns', 'customerUsageRuns'],
    ['customerCost', 'customerUsageCost'],
    ['cost', 'spent'],
    ['workflowCost', 'workflowSpent'],
  ]
  return [
    ...pairs.flatMap(([a, b]) => (sums[a] === sums[b] ? [] : [`${name}: ${a} is ${sums[a]}, and ${b} ${sums[b]}`])),
    ...(sums.spent > limitNano ? [`${name}: ${sums.spent} is spent of ${limitNano}`] : []),
  ]
}

interface RunRow {
  readonly id: string
  readonly external_id: string | null
  readonly cost_nano: bigint
  readonly status: string
  readonly model: string
  readonly workflow_id: string | null
  readonly customer_id: string | null
  readonly input_tokens: bigint
  readonly output_tokens: bigint
  readonly started_at: Date
  readonly ended_at: Date | null
}

/** What a run says otherwise than its sender, who was told that it is recorded. */
const differences = (row: RunRow, run: SentRun): string[] =>
  [
    ['cost', row.cost_nano, parseUsd(run.cost_usd)],
    ['status', row.status, run.status],
    ['model', row.model, run.model],
    ['workflow', row.workflow_id, run.workflow_id ?? null],
    ['customer', row.customer_id, run.customer_id ?? null],
    ['input', row.input_tokens, BigInt(run.input_tokens)],
    ['output', row.output_tokens, BigInt(run.output_tokens)],
    ['start', row.started_at.getTime(), timeOf(run.started_at) ?? row.started_at.getTime()],
    ['end', row.ended_at?.getTime(), timeOf(run.ended_at) ?? row.ended_at?.getTime()],
  ].flatMap(([name, is, said]) => (is === said ? [] : [`${String(name)} ${String(is)}, not ${String(said)}`]))

const timeOf = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text))

const perPage = 20_000

/** Every run of an organization against what its senders know of it. */
export async function faultsOfRuns(client: pg.Client, org: StormOrg, log: IngestLog): Promise<string[]> {
  const faults: string[] = []
  const fault = (what: string) => void faults.push(`${org.name}: ${what}`)
  const fates = log.fates.get(org.name) ?? new Map<string, Fate>()
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { rows } = await client.query<RunRow>(
      `select id, external_id, cost_nano, status, model, workflow_id, customer_id, input_tokens, output_tokens, started_at, ended_at
         from runs where org_id = $1 and id > $2 order by id limit $3`,
      [org.uuid, after, perPage],
    )
    for (const row of rows) {
      const { id, external_id } = row
      const fate = external_id === null ? undefined : fates.get(external_id)
      if (!fate) {
        fault(`run ${id} (${external_id}) was sent by nobody`)
        continue
      }
      const { acknowledged } = fate
      if (++fate.found > 1) fault(`${external_id} is there ${fate.found} times`)
      if (!acknowledged) fault(`${external_id} is there, and was never acknowledged`)
      else if (parseId('run', acknowledged.runId) !== id)
        fault(`${external_id} is ${id}, acknowledged as ${acknowledged.runId}`)
      else
        for (const what of differences(row, acknowledged.run))
          fault(`${external_id} was acknowledged, and says ${what}`)
    }
    if (rows.length < perPage) break
    after = rows.at(-1)!.id
  }
  for (const [externalId, { acknowledged, found }] of fates) {
    if (acknowledged && found === 0) fault(`${externalId} was acknowledged as ${acknowledged.runId}, and is not there`)
    // Only what a limit or a contradiction refused may have come to nothing.
    if (!acknowledged && !org.isTight && !externalId.includes('fresh')) fault(`${externalId} was never acknowledged`)
  }
  return faults
}

/** What goes all or none is there as a whole, or not at all; what was held is there in any case. */
export function faultsOfAtomic(batches: readonly Batch[], log: IngestLog): string[] {
  return batches
    .filter(({ mode }) => mode === 'atomic')
    .flatMap(({ org, number, runs, held }) => {
      const isThere = (run: Batch['runs'][number]) => log.isAcknowledged(org, run.external_id)
      const charged = runs.filter((_, i) => !held.has(i))
      const there = charged.filter(isThere).length
      const lost = runs.filter((run, i) => held.has(i) && !isThere(run)).length
      return [
        ...(there > 0 && there < charged.length
          ? [`${org.name}: of batch ${number} ${there} of ${charged.length} are there`]
          : []),
        ...(lost > 0 ? [`${org.name}: of batch ${number} ${lost} settlements are not there`] : []),
      ]
    })
}

/** Every name has its run, and every run its names. */
export async function faultsOfNames(client: pg.Client, { uuid, name }: StormOrg): Promise<string[]> {
  const { rows } = await client.query<{ what: string; count: bigint; example: string }>(
    `with names as (select key, run_id from run_keys where org_id = $1),
          own as (select id, external_id, hold_id from runs where org_id = $1)
     select 'names without their run' as what, count(*) as count, min(n.key) as example
       from names n left join own r on r.id = n.run_id where r.id is null
     union all
     select 'runs without their name', count(*), min(r.external_id)
       from own r left join names n on n.key = 'e:' || r.external_id and n.run_id = r.id where n.key is null
     union all
     select 'settlements without the name of their reservation', count(*), min(r.external_id)
       from own r left join names n on n.key = 'r:' || r.hold_id and n.run_id = r.id
      where r.hold_id <> r.id and n.key is null
     union all
     select 'holds that are still open', count(*), min(h.id::text) from holds h where h.org_id = $1 and h.state = 'open'`,
    [uuid],
  )
  return rows.flatMap(({ what, count, example }) =>
    count > 0n ? [`${name}: ${count} ${what}, for example ${example}`] : [],
  )
}
