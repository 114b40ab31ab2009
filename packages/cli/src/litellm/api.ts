import { fieldOf, type Json, recordsOf, textOf } from '../values.ts'
import { LitellmClient } from './api-client.ts'
import { ApiLogs } from './api-logs.ts'
import type { LitellmSource, LitellmState } from './source.ts'

const pageSize = '100'

/** Opens LiteLLM by its API, with its master key. It gives what its database gives. */
export function openLitellmApi(url: string, masterKey: string): LitellmSource {
  const client = new LitellmClient(url, masterKey)
  const logs = new ApiLogs(client)

  async function state(): Promise<LitellmState> {
    const organizations = await client.list('/organization/list')
    const teams = await client.list('/team/list')
    const users = await client.pages(
      '/user/list',
      { page_size: pageSize, sort_by: 'user_id', sort_order: 'asc' },
      { rows: 'users', id: 'user_id', total: 'total' },
    )
    const customers = await client.list('/customer/list')
    const budgets = await client.list('/budget/list')
    const keys = await client.pages(
      '/key/list',
      { size: pageSize, return_full_object: 'true', sort_by: 'token', sort_order: 'asc' },
      { rows: 'keys', id: 'token', total: 'total_count' },
    )
    return {
      organizations,
      teams: teams.map(without('keys', 'team_memberships', 'members_with_roles')),
      users,
      customers: customers.map(without('litellm_budget_table')),
      budgets,
      memberships: teams.flatMap((team) => recordsOf(fieldOf(team, 'team_memberships'))),
      keys: keys.map(keyOf),
    }
  }

  return {
    state,
    count: (since) => logs.count(since),
    logs: (since) => logs.read(since),
    close: () => Promise.resolve(),
  }
}

/** Drops fields that nothing reads: a list of teams has every key of each. */
const without =
  (...names: string[]) =>
  (row: Json): Json =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))

/** Names the organization of a key as the database does. */
const keyOf = (key: Json): Json => ({
  ...key,
  organization_id: textOf(key, 'org_id') || textOf(key, 'organization_id'),
})
