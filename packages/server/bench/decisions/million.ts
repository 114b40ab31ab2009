import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { appLogin } from '../../scripts/private-services.ts'
import { reserveOperation } from '../../src/decisions/decisions.ts'
import { openLanes } from '../../src/decisions/lanes/lanes.ts'
import { type Bench, call, openBenchPlatform } from '../support/server.ts'
import { median } from '../support/statistics.ts'

const customers = Array.from({ length: 200 }, (_, i) => `grown-${i}`)
const grown = ['allowances', 'customer_limits']
/** How a few rows may be found among a million. */
const isShort = (step: string) =>
  /^(Tid Scan|Index (Only )?Scan \w+_pkey|Index Scan packs_\w+|Limit|Nested Loop|ModifyTable)$/.test(step)

/** An organization that has grown to a million customers since statistics were taken, decided on connections that planned before. */
export async function benchMillion({ postgres, orgs, smoke }: Bench) {
  const count = smoke ? 20_000 : 1_000_000
  const orgId = orgs.at(-1)!.id
  const owner = new pg.Client({ connectionString: postgres.url() })
  await owner.connect()
  const role = pg.escapeIdentifier(appLogin.name)
  const told = { log_min_duration: '0', log_analyze: 'on', log_timing: 'off', log_format: 'json' }
  await owner.query(`alter role ${role} set session_preload_libraries = 'auto_explain'`)
  for (const [name, value] of Object.entries(told))
    await owner.query(`alter role ${role} set auto_explain.${name} = '${value}'`)
  for (const table of grown) await owner.query(`alter table ${table} set (autovacuum_enabled = off)`)
  const platform = await openBenchPlatform(postgres)
  const lanes = openLanes(platform)
  const decide = async () => {
    const took: number[] = []
    // More often than it takes PostgreSQL to settle on a plan for any values.
    for (let i = 0; i < 12; i++) {
      const asked = customers.map((customer_id) => ({ ...call, customer_id }))
      const results = await Promise.all(asked.map((input) => lanes.submit(reserveOperation({ orgId }, input, 'edge'))))
      took.push(results[0]!.timing.readMs + results[0]!.timing.commitMs)
    }
    return median(took)
  }
  try {
    await owner.query(
      `insert into customer_limits (org_id, customer_id, id, amount, period, timezone)
       select $1, c, gen_random_uuid(), 1000000000000, 'month', 'UTC' from unnest($2::text[]) c`,
      [orgId, customers],
    )
    await decide()
    for (const table of grown) await owner.query(`analyze ${table}`)
    const few = await decide()
    const fresh = 'gen_random_uuid()'
    await grow(owner, 'allowances', orgId, count, { key: fresh, limit_id: fresh, subject: `'other-' || n` })
    await grow(owner, 'customer_limits', orgId, count, { customer_id: `'other-' || n`, id: fresh })
    const many = await decide()
    console.log(
      `${count} customers and allowances in one organization, stale statistics: ${many.toFixed(1)} ms in the database for ${customers.length} decisions, ${few.toFixed(1)} ms with few; ratio ${(many / few).toFixed(2)}`,
    )
    for (const [name, steps] of plansIn(readFileSync(join(postgres.folder, 'log'), 'utf8'))) {
      const wrong = steps.find((step) => !isShort(step))
      console.log(`  ${name}: ${steps.join(' < ')}${wrong === undefined ? '' : `; ${wrong} goes through all of them`}`)
      if (wrong !== undefined) process.exitCode = 1
    }
  } catch (error) {
    console.log(`${count} customers and allowances in one organization, stale statistics: ${(error as Error).message}`)
    process.exitCode = 1
  } finally {
    await lanes.close()
    await platform.close()
    await owner.query(`delete from allowances where org_id = $1 and subject like 'other-%'`, [orgId])
    await owner.query(`delete from customer_limits where org_id = $1 and customer_id like 'other-%'`, [orgId])
    for (const table of grown) await owner.query(`alter table ${table} reset (autovacuum_enabled)`)
    await owner.query(`alter role ${role} reset all`)
    await owner.end()
  }
}

/** More rows like one that is there. */
async function grow(owner: pg.Client, table: string, orgId: string, count: number, own: Record<string, string>) {
  const { fields } = await owner.query(`select * from ${table} limit 0`)
  const columns = fields.map(({ name }) => name)
  await owner.query(
    `insert into ${table} (${columns.join(', ')}) select ${columns.map((name) => own[name] ?? `a.${name}`).join(', ')}
       from (select * from ${table} where org_id = $1 limit 1) a, generate_series(1, $2::integer) n`,
    [orgId, count],
  )
}

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly Plans?: readonly Plan[]
}

/** The last plan of each statement that reaches what has grown, as PostgreSQL told it in its log. */
function plansIn(log: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const [, text] of log.matchAll(/ms {2}plan:\n((?:\t.*\n)+)/g)) {
    const { 'Query Text': query, Plan: plan } = JSON.parse(text!.replaceAll(/^\t/gm, '')) as {
      'Query Text': string
      Plan: Plan
    }
    if (!/^(select t|with changed)/.test(query)) continue
    for (const table of grown) {
      const steps = wayTo(table, plan)
      if (steps) found.set(`${table}, ${query.slice(0, 60).replaceAll(/\s+/g, ' ')}…`, steps)
    }
  }
  return found
}

/** From the rows of a table up, so far as it says how they are reached. */
function wayTo(table: string, plan: Plan): string[] | undefined {
  if (plan['Relation Name'] === table && plan['Node Type'] !== 'ModifyTable')
    return [[plan['Node Type'], plan['Index Name']].filter(Boolean).join(' ')]
  for (const inner of plan.Plans ?? []) {
    const way = wayTo(table, inner)
    if (way) return plan['Node Type'] === 'Result' ? way : [...way, plan['Node Type']]
  }
  return undefined
}
