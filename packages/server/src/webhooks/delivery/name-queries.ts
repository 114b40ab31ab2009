import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, type IdKind, parseId } from '../../values/id.ts'

const named = ['budget', 'key', 'member'] as const satisfies readonly IdKind[]
const ids = /"((?:bud|key|mbr)_[0-9a-z]{26})"/g

/** Returns the names of the budgets, keys and members that payloads of one organization name, by their public ids. */
export async function namesIn(tx: Tx, orgId: string, payloads: readonly string[]): Promise<Map<string, string>> {
  const texts = new Set(payloads.flatMap((payload) => [...payload.matchAll(ids)].map(([, id]) => id ?? '')))
  if (texts.size === 0) return new Map()
  const uuids = (kind: IdKind) => [...texts].flatMap((text) => parseId(kind, text) ?? [])
  const { rows } = await raw<{ kind: (typeof named)[number]; id: string; name: string }>`
    select 'budget' as kind, id, name from limits where org_id = ${orgId} and id = any(${uuids('budget')}::uuid[])
    union all select 'key', id, name from api_keys where org_id = ${orgId} and id = any(${uuids('key')}::uuid[])
    union all select 'member', id, coalesce(nullif(name, ''), email) from memberships
     where org_id = ${orgId} and id = any(${uuids('member')}::uuid[])`.execute(tx)
  return new Map(rows.filter(({ name }) => name !== '').map(({ kind, id, name }) => [formatId(kind, id), name]))
}

/** Returns how many calls were refused today (UTC), by error code: every one is counted, whether or not it was an event. */
export async function refusalsToday(tx: Tx, orgId: string): Promise<Map<string, number>> {
  const { rows } = await raw<{ error_code: string; count: string }>`
    select error_code, sum(count)::text as count from refusal_counts
     where org_id = ${orgId} and day = (clock_timestamp() at time zone 'UTC')::date group by error_code`.execute(tx)
  return new Map(rows.map(({ error_code, count }) => [error_code, Number(count)]))
}
