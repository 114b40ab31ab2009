import { sql as raw } from 'kysely'
import type { Role } from '../../contract/routes.ts'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { operatorsOrgId } from '../../values/id.ts'
import { one } from '../../values/present.ts'

/** Ways to sign in. */
export type SessionWay = 'key' | 'link' | 'oidc' | 'saml' | 'passkey'

export interface CallerRow {
  token_id: string
  kind: 'key' | 'support' | 'person'
  org_id: string
  id: string
  lineage_id: string
  role: Role
  scopes: string[]
  pins: Record<string, string>
  mac: Buffer
  mac_key_id: string
  not_before: Date | null
  expires_at: Date | null
  revoked_at: Date | null
  grant_scope: 'read' | 'billing' | 'configuration' | null
  operator_key_id: string | null
  /** Of a person; null for everybody else. */
  person_id: string | null
  email: string | null
  org_status: 'active' | 'suspended' | 'moving'
  ip_allow_list: string[]
  required_dimensions: string[]
  home_region: string | null
  residency: 'none' | 'strict'
  read_rpm: number | null
  on_unavailable: 'local' | 'deny' | 'allow' | null
  policies: RatePolicyRow[]
  /** Of a session; null for a key or grant that is presented itself. */
  session_digest: Buffer | null
  session_idle_seconds: number
  session_last_used_at: Date
  session_expires_at: Date
  session_revoked_at: Date | null
  session_created_at: Date
  session_way: SessionWay
  session_connection_id: string | null
}

export interface RatePolicyRow {
  id: string
  kind: 'requests' | 'tokens' | 'quota'
  per: 'org' | 'key' | 'route_class' | 'model'
  match: string | null
  amount: number
  window_seconds: number
}

/** Finds callers by the exact ids in their tokens: the only query that sees across tenants. */
export async function findCallers({ pool }: Sql, ids: readonly string[]): Promise<Map<string, CallerRow>> {
  const { rows } = await pool.query<CallerRow>({
    name: 'callers_of_tokens',
    text: 'select c.* from unnest($1::uuid[]) as wanted (id) cross join lateral caller_of_token(wanted.id) c',
    values: [ids],
  })
  return new Map(rows.map((row) => [row.token_id, row]))
}

/** The caller behind a foreign key. */
export interface ForeignCallerRow extends CallerRow {
  readonly foreign_id: string
  readonly foreign_mac_key_id: string
  readonly foreign_ends_at: Date
}

/** Finds callers by the hashes of foreign keys, each by all hashes that it may be kept as; in their order. */
export async function findForeignCallers(
  { pool }: Sql,
  wanted: readonly (readonly Buffer[])[],
): Promise<(ForeignCallerRow | undefined)[]> {
  const { rows } = await pool.query<ForeignCallerRow & { ordinal: number }>({
    name: 'callers_of_foreign_keys',
    text: `select w.ordinal::int, c.*
             from (select ordinal, array_agg(decode(mac, 'hex')) as macs
                     from json_to_recordset($1) as r (ordinal bigint, mac text) group by ordinal) w
             cross join lateral caller_of_foreign_key(w.macs) c`,
    values: [
      JSON.stringify(wanted.flatMap((macs, ordinal) => macs.map((mac) => ({ ordinal, mac: mac.toString('hex') })))),
    ],
  })
  const found = new Map(rows.map((row) => [row.ordinal, row]))
  return wanted.map((_, ordinal) => found.get(ordinal))
}

/** True when a key belongs to a lineage. */
export async function isOfLineage(tx: Tx, orgId: string, keyId: string, lineageId: string): Promise<boolean> {
  const { rows } = await raw`
    select from api_keys where org_id = ${orgId} and id = ${keyId} and lineage_id = ${lineageId}`.execute(tx)
  return rows.length > 0
}

/** Returns the lineage of a key of an organization. */
export async function lineageOf(tx: Tx, orgId: string, keyId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('api_keys')
    .select('lineage_id')
    .where('org_id', '=', orgId)
    .where('id', '=', keyId)
    .executeTakeFirst()
  return row?.lineage_id
}

/** Returns the lineages of keys of an organization, by their ids. */
export async function lineagesOf(tx: Tx, orgId: string, keyIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await raw<{ id: string; lineage_id: string }>`
    select id, lineage_id from api_keys where org_id = ${orgId} and id = any (${keyIds}::uuid[])`.execute(tx)
  return new Map(rows.map(({ id, lineage_id }) => [id, lineage_id]))
}

/** Returns the ids of a key and of its rotations. */
export async function keysOfLineage(tx: Tx, orgId: string, lineageId: string): Promise<string[]> {
  const query = tx.selectFrom('api_keys').select('id').where('org_id', '=', orgId).where('lineage_id', '=', lineageId)
  return (await query.execute()).map(({ id }) => id)
}

export interface Rehash {
  readonly id: string
  readonly oldKeyId: string
  readonly mac: Buffer
}

/** Replaces hashes of secrets with hashes under another master key. */
export async function rehashCallers({ db }: Sql, newKeyId: string, rehashes: readonly Rehash[]) {
  const ids = rehashes.map(({ id }) => id)
  const oldKeyIds = rehashes.map(({ oldKeyId }) => oldKeyId)
  const macs = rehashes.map(({ mac }) => mac)
  await raw`select rehash_callers(${ids}::uuid[], ${oldKeyIds}::text[], ${macs}::bytea[], ${newKeyId})`.execute(db)
}

/** The latest use of a key or a session. */
export interface LastUse {
  readonly id: string
  at: Date
}

const touch =
  (name: 'touch_keys' | 'touch_sessions' | 'touch_scim_tokens') =>
  async ({ db }: Sql, uses: readonly LastUse[]) => {
    const ids = uses.map(({ id }) => id)
    const times = uses.map(({ at }) => at.toISOString())
    await raw`select ${raw.ref(name)}(${ids}::uuid[], ${times}::timestamptz[])`.execute(db)
  }
export const touchKeys = touch('touch_keys')
export const touchSessions = touch('touch_sessions')
export const touchDirectoryTokens = touch('touch_scim_tokens')

export type DirectoryRow = Pick<
  CallerRow,
  | 'id'
  | 'org_id'
  | 'revoked_at'
  | 'org_status'
  | 'ip_allow_list'
  | 'required_dimensions'
  | 'read_rpm'
  | 'on_unavailable'
  | 'policies'
> & { digest: Buffer }

/** Finds directories by the exact ids in their tokens, across tenants. */
export async function findDirectories({ pool }: Sql, ids: readonly string[]): Promise<Map<string, DirectoryRow>> {
  const { rows } = await pool.query<DirectoryRow>({
    name: 'directories_of_tokens',
    text: 'select d.* from unnest($1::uuid[]) as wanted (id) cross join lateral directory_of_token(wanted.id) d',
    values: [ids],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns as whom a link signs in: a key, a grant or a member. It is not used up. */
export async function ownerOfSignInLink({ db }: Sql, id: string, digest: Buffer): Promise<string | undefined> {
  const { rows } = await raw<{ owner: string | null }>`
    select owner_of_sign_in_link(${id}, ${digest}) as owner`.execute(db)
  return one(rows).owner ?? undefined
}

/** Uses a link up that signs in once; returns as whom: a key, a grant or a member. */
export async function takeSignInLink({ db }: Sql, id: string, digest: Buffer): Promise<string | undefined> {
  const { rows } = await raw<{ owner: string | null }>`select take_sign_in_link(${id}, ${digest}) as owner`.execute(db)
  return one(rows).owner ?? undefined
}

/** State of a caller's authority, as the database has it now; null where it is no longer there. */
export interface Authority {
  readonly is_ended: boolean
  readonly expires_at: string | null
  /** Null for those whose role never changes. */
  readonly role: Role | null
  readonly is_session_ended: boolean
  readonly is_org_suspended: boolean
}

/** Rows on which the authority of each kind of caller rests. */
const authorityRows = {
  key: raw`select org_id, id, revoked_at as ended_at, expires_at, null as role from api_keys`,
  support: raw`select org_id, id, revoked_at as ended_at, expires_at, null as role from support_grants`,
  person: raw`select org_id, id, coalesce(removed_at, deactivated_at) as ended_at, null as expires_at, role from memberships`,
  directory: raw`select org_id, id, revoked_at as ended_at, null as expires_at, null as role from scim_tokens`,
}

/** Reads a caller's authority, as one expression within another statement. */
export const authorityOf = ({
  kind,
  orgId,
  id,
  session,
}: {
  readonly kind: keyof typeof authorityRows
  readonly orgId: string
  readonly id: string
  readonly session: { readonly id: string } | undefined
}) =>
  raw<Authority | null>`(
    select jsonb_build_object(
             'is_ended', c.ended_at is not null, 'expires_at', c.expires_at, 'role', c.role,
             'is_session_ended', ${session?.id ?? null}::uuid is not null and not exists (
               select from sessions s where s.org_id = c.org_id and s.id = ${session?.id ?? null}::uuid and s.revoked_at is null),
             'is_org_suspended', exists (select from orgs o where o.id = c.org_id and o.status = 'suspended'))
      from (${authorityRows[kind]}) c where c.org_id = ${orgId} and c.id = ${id})`

/** Reads a caller's authority in a statement of its own. */
export const findAuthority = async (tx: Tx, caller: Parameters<typeof authorityOf>[0]): Promise<Authority | null> =>
  one((await raw<{ authority: Authority | null }>`select ${authorityOf(caller)} as authority`.execute(tx)).rows)
    .authority

/** True when the tenant exists; the operators' own organization is not one. */
export async function orgExists(sql: Sql, orgId: string): Promise<boolean> {
  if (orgId === operatorsOrgId) return false
  const row = await sql.asOrgs([orgId], (tx) =>
    tx.selectFrom('orgs').select('id').where('id', '=', orgId).executeTakeFirst(),
  )
  return row !== undefined
}

/** Takes a shared lock on a member until the transaction ends: whoever ends or changes the member waits for it. */
export const lockMemberShared = (tx: Tx, orgId: string, id: string) =>
  tx
    .selectFrom('memberships')
    .select(['role', 'deactivated_at', 'removed_at'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst()
