import { sql as raw } from 'kysely'
import type { Sql } from '../infra/sql.ts'

export interface CallerRow {
  kind: 'key' | 'support'
  org_id: string
  id: string
  role: string
  scopes: string[]
  pins: Record<string, string>
  mac: Buffer
  mac_key_id: string
  not_before: Date | null
  expires_at: Date | null
  revoked_at: Date | null
  grant_scope: 'read' | 'billing' | 'configuration' | null
  operator_key_id: string | null
  org_status: 'active' | 'suspended'
  ip_allow_list: string[]
  required_dimensions: string[]
  home_region: string | null
  residency: 'none' | 'strict'
  read_rpm: number | null
  on_unavailable: 'local' | 'deny' | 'allow' | null
  policies: RatePolicyRow[]
}

export interface RatePolicyRow {
  id: string
  kind: 'requests' | 'tokens' | 'quota'
  per: 'org' | 'key' | 'route_class' | 'model'
  match: string | null
  amount: number
  window_seconds: number
}

/** The one query that sees across tenants: a caller by the exact id in its token. */
export async function findCaller({ pool }: Sql, id: string): Promise<CallerRow | undefined> {
  const { rows } = await pool.query<CallerRow>({
    name: 'find_caller',
    text: 'select * from find_caller($1)',
    values: [id],
  })
  return rows[0]
}

export async function touchKeys({ db }: Sql, used: ReadonlyMap<string, Date>) {
  const ids = [...used.keys()]
  const times = [...used.values()].map((time) => time.toISOString())
  await raw`select touch_keys(${ids}::uuid[], ${times}::timestamptz[])`.execute(db)
}
