import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'
import type { RateLimitPolicyInput, RateLimits } from './schema.ts'

export interface RateLimitsRow {
  read_rpm: number | null
  on_unavailable: RateLimits['on_unavailable']
  updated_at: Date
}

export interface RateLimitPolicyRow {
  id: string
  kind: RateLimitPolicyInput['kind']
  per: RateLimitPolicyInput['per']
  match: string | null
  amount: bigint
  window_seconds: number
  created_at: Date
}

export async function findLimits(tx: Tx, orgId: string): Promise<RateLimitsRow | undefined> {
  const { rows } = await raw<RateLimitsRow>`
    select read_rpm, on_unavailable, updated_at from org_rate_limits where org_id = ${orgId}`.execute(tx)
  return rows[0]
}

export async function listPolicies(tx: Tx, orgId: string): Promise<RateLimitPolicyRow[]> {
  const { rows } = await raw<RateLimitPolicyRow>`
    select id, kind, per, match, amount, window_seconds, created_at
      from rate_limit_policies where org_id = ${orgId} order by id`.execute(tx)
  return rows
}

/** Upserts the limits, which also locks them until the transaction ends, so that two changes are serialized. */
export async function upsertLimits(
  tx: Tx,
  orgId: string,
  limits: { readRpm: number | null; onUnavailable: RateLimits['on_unavailable'] },
): Promise<RateLimitsRow> {
  const { rows } = await raw<RateLimitsRow>`
    insert into org_rate_limits (org_id, read_rpm, on_unavailable)
    values (${orgId}, ${limits.readRpm}, ${limits.onUnavailable})
    on conflict (org_id) do update
      set read_rpm = excluded.read_rpm, on_unavailable = excluded.on_unavailable, updated_at = now()
    returning read_rpm, on_unavailable, updated_at`.execute(tx)
  return one(rows)
}

export async function deleteLimits(tx: Tx, orgId: string) {
  await raw`delete from rate_limit_policies where org_id = ${orgId}`.execute(tx)
  await raw`delete from org_rate_limits where org_id = ${orgId}`.execute(tx)
}

/** Replaces the policies of the organization; one whose id is known changes its amount only. */
export async function replacePolicies(
  tx: Tx,
  orgId: string,
  policies: readonly (RateLimitPolicyInput & { readonly id: string })[],
) {
  const ids = policies.map(({ id }) => id)
  await raw`delete from rate_limit_policies where org_id = ${orgId} and id <> all(${ids}::uuid[])`.execute(tx)
  const rows = JSON.stringify(policies.map((policy) => ({ ...policy, match: policy.match ?? null })))
  await raw`
    insert into rate_limit_policies (org_id, id, kind, per, match, amount, window_seconds)
    select ${orgId}, p.id, p.kind, p.per, p.match, p.amount, p.window_seconds
      from json_to_recordset(${rows}::json)
        as p (id uuid, kind text, per text, match text, amount bigint, window_seconds integer)
    on conflict (org_id, id) do update set amount = excluded.amount`.execute(tx)
}
