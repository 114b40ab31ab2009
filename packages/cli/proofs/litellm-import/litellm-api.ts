import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'

export interface LitellmApi {
  readonly url: string
  /** Requests so far, with the credential of each. */
  readonly asked: readonly { readonly path: string; readonly authorization: string | undefined }[]
  readonly close: () => Promise<void>
}

/** The most matches that LiteLLM counts (`SPEND_LOGS_PAGINATION_COUNT_CAP`). */
const mostCounted = 10_000
const uiTeam = 'litellm-dashboard'

class Refused extends Error {
  readonly status: number
  constructor(status: number) {
    super(String(status))
    this.status = status
  }
}

/**
 * A LiteLLM proxy 1.97 as its management API answers an admin, out of a database of LiteLLM: the same queries, orders, fields and bounds as its
 * `list_keys`, `list_team`, `get_users`, `list_end_user`, `list_budget`, `list_organization` and `ui_view_spend_logs`.
 */
export async function startLitellmApi(databaseUrl: string, masterKey: string): Promise<LitellmApi> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4, options: '-c timezone=utc' })
  const asked: { path: string; authorization: string | undefined }[] = []
  const rows = async (text: string, values: unknown[] = []) =>
    (await pool.query<{ row: Record<string, unknown> }>(`select to_jsonb(t) as row from (${text}) t`, values)).rows.map(
      ({ row }) => withZones(row),
    )
  const count = async (table: string, where = 'true') =>
    Number((await pool.query<{ count: string }>(`select count(*) from "${table}" where ${where}`)).rows[0]?.count)

  const answers: Record<string, (query: URLSearchParams) => Promise<unknown>> = {
    '/organization/list': async () => {
      const found = await rows('select * from "LiteLLM_OrganizationTable"')
      return found.map((row) => ({ ...row, members: [], teams: [], litellm_budget_table: null }))
    },
    '/budget/list': () => rows('select * from "LiteLLM_BudgetTable"'),
    '/customer/list': async () => {
      const budgets = new Map((await rows('select * from "LiteLLM_BudgetTable"')).map((row) => [row['budget_id'], row]))
      const found = await rows('select * from "LiteLLM_EndUserTable"')
      return found.map((row) => ({ ...row, litellm_budget_table: budgets.get(row['budget_id']) ?? null }))
    },
    '/team/list': async () => {
      const memberships = await rows('select * from "LiteLLM_TeamMembership"')
      const keys = await rows('select token, team_id, key_alias from "LiteLLM_VerificationToken"')
      const [ofTeam, keysOf] = [
        Map.groupBy(memberships, (row) => row['team_id']),
        Map.groupBy(keys, (row) => row['team_id']),
      ]
      return (await rows('select * from "LiteLLM_TeamTable" order by team_alias')).map((row) => ({
        ...row,
        members_with_roles: [],
        team_memberships: ofTeam.get(row['team_id']) ?? [],
        keys: keysOf.get(row['team_id']) ?? [],
      }))
    },
    '/user/list': async (query) => {
      const { page, size, offset } = pageIn(query, 'page_size', 25, 100)
      const order = orderIn(query, ['user_id', 'user_email', 'created_at', 'spend'])
      const total = await count('LiteLLM_UserTable')
      const users = await rows(`select * from "LiteLLM_UserTable" order by ${order} limit ${size} offset ${offset}`)
      return { users, total, page, page_size: size, total_pages: Math.ceil(total / size) }
    },
    '/key/list': async (query) => {
      const { page, size, offset } = pageIn(query, 'size', 10, 100)
      const order = orderIn(query, ['spend', 'max_budget', 'created_at', 'updated_at', 'token', 'key_alias'])
      const where = `(team_id is null or team_id <> '${uiTeam}')`
      const total = await count('LiteLLM_VerificationToken', where)
      const found = await rows(
        `select * from "LiteLLM_VerificationToken" where ${where} order by ${order}, token desc limit ${size} offset ${offset}`,
      )
      const isFull = query.get('return_full_object') === 'true'
      return {
        keys: found.map(({ organization_id, ...row }) => (isFull ? { ...row, org_id: organization_id } : row['token'])),
        total_count: total,
        current_page: page,
        total_pages: Math.ceil(total / size),
      }
    },
    '/spend/logs/v2': async (query) => {
      const { page, size, offset } = pageIn(query, 'page_size', 50, 1_000)
      const [from, to] = [dateIn(query, 'start_date'), dateIn(query, 'end_date')]
      const order = orderIn(query, ['spend', 'total_tokens', 'startTime', 'endTime', 'model'])
      const where = `"startTime" >= $1::timestamp and "startTime" <= $2::timestamp`
      const { rows: counted } = await pool.query<{ count: string }>(
        `select count(*) from (select 1 from "LiteLLM_SpendLogs" where ${where} limit ${mostCounted + 1}) bounded`,
        [from, to],
      )
      const matches = Number(counted[0]?.count)
      const data = await rows(
        `select request_id, call_type, api_key, spend, total_tokens, prompt_tokens, completion_tokens, "startTime", "endTime",
                "completionStartTime", model, model_id, model_group, custom_llm_provider, api_base, "user", metadata, cache_hit, cache_key,
                request_tags::text as request_tags, team_id, organization_id, end_user, requester_ip_address, session_id, status,
                mcp_namespaced_tool_name, agent_id
           from "LiteLLM_SpendLogs" where ${where} order by ${order} limit ${size} offset ${offset}`,
        [from, to],
      )
      const total = Math.min(matches, mostCounted)
      const total_is_capped = matches > mostCounted
      return { data, total, page, page_size: size, total_pages: Math.ceil(total / size), total_is_capped }
    },
  }

  const handle = async (request: IncomingMessage) => {
    const address = new URL(request.url ?? '/', 'http://litellm')
    asked.push({ path: address.pathname, authorization: request.headers.authorization })
    if (request.headers.authorization !== `Bearer ${masterKey}`) throw new Refused(401)
    const answer = answers[address.pathname]
    if (!answer || request.method !== 'GET') throw new Refused(404)
    return answer(address.searchParams)
  }
  const server = createServer((request, response) => {
    const send = (status: number, json: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    handle(request).then(
      (json) => send(200, json),
      (error: unknown) => send(error instanceof Refused ? error.status : 500, { error: { message: String(error) } }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await pool.end()
    },
  }
}

/** Times have no zone in the database, and `Z` in the API. */
const withZones = (row: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(value) ? `${value}Z` : value,
    ]),
  )

function pageIn(query: URLSearchParams, sizeName: string, usual: number, most: number) {
  const [page, size] = [Number(query.get('page') ?? 1), Number(query.get(sizeName) ?? usual)]
  if (!(page >= 1) || !(size >= 1 && size <= most)) throw new Refused(422)
  return { page, size, offset: (page - 1) * size }
}

function orderIn(query: URLSearchParams, columns: readonly string[]): string {
  const [column, order] = [query.get('sort_by'), query.get('sort_order') ?? 'desc']
  if (column === null) return '"created_at" desc'
  if (!columns.includes(column) || !/^(asc|desc)$/.test(order)) throw new Refused(400)
  return `"${column}" ${order}`
}

function dateIn(query: URLSearchParams, name: string): string {
  const text = query.get(name) ?? ''
  if (!/^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?$/.test(text)) throw new Refused(400)
  return text
}
