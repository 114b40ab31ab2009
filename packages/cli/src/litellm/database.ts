import { Fault } from '../faults.ts'
import { type Json, messageOf } from '../values.ts'
import type { LitellmSource, SpendLog } from './source.ts'

const tables = {
  organizations: 'LiteLLM_OrganizationTable',
  teams: 'LiteLLM_TeamTable',
  users: 'LiteLLM_UserTable',
  customers: 'LiteLLM_EndUserTable',
  budgets: 'LiteLLM_BudgetTable',
  memberships: 'LiteLLM_TeamMembership',
  keys: 'LiteLLM_VerificationToken',
} as const

/** Columns of the log. Earlier versions of LiteLLM lack some; the bodies of calls are never read. */
const texts = {
  model: 'model',
  model_group: 'model_group',
  custom_llm_provider: 'custom_llm_provider',
  user: 'user',
  end_user: 'end_user',
  team_id: 'team_id',
  organization_id: 'organization_id',
  status: 'status',
} as const
const logTable = 'LiteLLM_SpendLogs'

/** Opens LiteLLM's database, which is only read. */
export async function openLitellmDatabase(url: string): Promise<LitellmSource> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url, application_name: 'weir import litellm' })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('set default_transaction_read_only = on; set timezone = utc')
  } catch (error) {
    throw new Fault('unreachable', `LiteLLM's database cannot be reached: ${messageOf(error)}`)
  }
  const { rows: found } = await client.query<{ column_name: string }>(
    `select column_name from information_schema.columns where table_schema = any (current_schemas(false)) and table_name = $1`,
    [logTable],
  )
  const columns = new Set(found.map(({ column_name }) => column_name))
  if (!columns.has('request_id'))
    throw new Fault('usage', `there is no table "${logTable}"`, 'Is this the database of LiteLLM (its DATABASE_URL)?')

  const rowsOf = async (table: string): Promise<Json[]> => {
    const { rows: there } = await client.query<{ table: string | null }>(`select to_regclass($1)::text as table`, [
      `"${table}"`,
    ])
    if (there[0]?.table == null) return []
    // Whole rows as JSON: whatever columns its version has.
    return (await client.query<{ row: Json }>(`select to_jsonb(t) as row from "${table}" t`)).rows.map(({ row }) => row)
  }

  async function state() {
    await client.query('begin isolation level repeatable read')
    try {
      const [organizations, teams, users, customers] = [
        await rowsOf(tables.organizations),
        await rowsOf(tables.teams),
        await rowsOf(tables.users),
        await rowsOf(tables.customers),
      ]
      const [budgets, memberships, keys] = [
        await rowsOf(tables.budgets),
        await rowsOf(tables.memberships),
        await rowsOf(tables.keys),
      ]
      return { organizations, teams, users, customers, budgets, memberships, keys }
    } finally {
      await client.query('rollback')
    }
  }

  async function* logs(since: Date, pageSize: number): AsyncGenerator<SpendLog[]> {
    const selected = Object.entries(texts).map(([name, column]) =>
      columns.has(column) ? `coalesce("${column}", '') as "${name}"` : `'' as "${name}"`,
    )
    const text = `select request_id, api_key, spend::text as spend, prompt_tokens, completion_tokens, "startTime"::text as started,
        "endTime"::text as ended, ${columns.has('request_tags') ? 'request_tags' : 'null as request_tags'}, ${selected.join(', ')}
      from "${logTable}" where "startTime" >= $1::timestamp and ("startTime", request_id) > ($2::timestamp, $3)
      order by "startTime", request_id limit $4`
    let after = ['-infinity', '']
    for (;;) {
      const values = [since.toISOString().replace('Z', ''), ...after, pageSize]
      const { rows } = await client.query<SpendLog>({ name: 'logs', text, values })
      if (rows.length > 0) yield rows
      const last = rows.at(-1)
      if (!last || rows.length < pageSize) return
      after = [last.started, last.request_id]
    }
  }

  return {
    state,
    logs,
    count: async (since) => {
      const { rows } = await client.query<{ count: string }>(
        `select count(*) as count from "${logTable}" where "startTime" >= $1::timestamp`,
        [since.toISOString().replace('Z', '')],
      )
      return Number(rows[0]?.count ?? 0)
    },
    close: () => client.end(),
  }
}
