import { sql as raw } from 'kysely'
import { type Caller, isPinned } from '../../access/identity/identity.ts'
import type { PageRequest } from '../../contract/lists.ts'
import { type Role } from '../../contract/routes.ts'
import { keysetPage } from '../../platform/infra/keyset.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import type { KeyStatus } from './schema.ts'

export interface NewKey {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly scopes: string[]
  readonly pins: Record<string, string>
  readonly mac: Buffer
  readonly mac_key_id: string
  readonly not_before: Date | null
  readonly expires_at: Date | null
  readonly lineage_id: string
  readonly rotated_from: string | null
  readonly minted_by: string | null
  readonly minted_by_member: string | null
  readonly owner_id: string | null
}

const visible = [
  'org_id',
  'id',
  'name',
  raw<Role>`api_keys.role`.as('role'),
  'scopes',
  raw<Record<string, string>>`api_keys.pins`.as('pins'),
  'lineage_id',
  'rotated_from',
  'minted_by',
  'minted_by_member',
  'owner_id',
  'not_before',
  'expires_at',
  'last_used_at',
  'revoked_at',
  'created_at',
  'updated_at',
] as const

/** Successor of a key. Keys could once be rotated repeatedly: then it is the newest. */
const rotatedTo = raw<string | null>`(select s.id from api_keys s
  where s.org_id = api_keys.org_id and s.rotated_from = api_keys.id order by s.created_at desc, s.id desc limit 1)`.as(
  'rotated_to',
)
const shown = [...visible, rotatedTo] as const

/** SQL version of `keyStatus`. */
const statusAt = (now: Date) => raw<KeyStatus>`case when revoked_at is not null then 'revoked'
  when expires_at <= ${now} then 'expired' when not_before > ${now} then 'pending' else 'active' end`

export const insertKeys = (tx: Tx, orgId: string, keys: readonly NewKey[]) =>
  tx
    .insertInto('api_keys')
    .values(keys.map((key) => ({ ...key, org_id: orgId, pins: JSON.stringify(key.pins) })))
    .returning(shown)
    .execute()

export type KeyRow = Awaited<ReturnType<typeof insertKeys>>[number]

export const findKey = (tx: Tx, orgId: string, id: string): Promise<KeyRow | undefined> =>
  tx.selectFrom('api_keys').select(shown).where('org_id', '=', orgId).where('id', '=', id).executeTakeFirst()

/**
 * Locks a key until the transaction ends, so that revocations and rotations of one key are serialized. Read by a separate
 * statement, which sees what was committed meanwhile, including the successor.
 */
export async function lockKey(tx: Tx, orgId: string, id: string): Promise<KeyRow | undefined> {
  await tx
    .selectFrom('api_keys')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return findKey(tx, orgId, id)
}

/** Takes a shared lock on a key until the transaction ends: a revocation of the key waits for it. */
export const lockKeyShared = (tx: Tx, orgId: string, id: string) =>
  tx
    .selectFrom('api_keys')
    .select(['revoked_at', 'expires_at', 'owner_id'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst()

/** Returns the unrevoked descendants of a key: what it minted or rotated, recursively. */
export async function listLiveDescendants(tx: Tx, orgId: string, id: string): Promise<string[]> {
  const { rows } = await raw<{ id: string }>`
    with recursive made (id) as (
      select ${id}::uuid union select k.id from api_keys k join made m on k.minted_by = m.id where k.org_id = ${orgId})
    select k.id from api_keys k join made using (id)
     where k.org_id = ${orgId} and k.id <> ${id} and k.revoked_at is null order by k.id`.execute(tx)
  return rows.map((row) => row.id)
}

/** Returns the unrevoked keys that a member answers for or was shown, and what these or revoked ones of theirs have made, recursively. */
export async function listLiveKeysOfMember(tx: Tx, orgId: string, memberId: string) {
  const { rows } = await raw<{ id: string; role: Role }>`
    with recursive made (id) as (
      select id from api_keys where org_id = ${orgId} and (owner_id = ${memberId} or minted_by_member = ${memberId})
      union select k.id from api_keys k join made m on k.minted_by = m.id where k.org_id = ${orgId})
    select k.id, k.role from api_keys k join made using (id)
     where k.org_id = ${orgId} and k.revoked_at is null order by k.id`.execute(tx)
  return rows
}

/** Locks an organization until the transaction ends, which serializes the end of its last-resort keys. */
export async function lockOrgOfKeys(tx: Tx, orgId: string): Promise<boolean> {
  const row = await tx.selectFrom('orgs').select('id').where('id', '=', orgId).forNoKeyUpdate().executeTakeFirst()
  return row !== undefined
}

/** Returns the unrevoked keys of a role. */
export const keysOfRole = (tx: Tx, orgId: string, role: string) =>
  tx
    .selectFrom('api_keys')
    .select(visible)
    .where('org_id', '=', orgId)
    .where('role', '=', role)
    .where('revoked_at', 'is', null)
    .execute()

/** Ends what a key was shown: links of people whom it invited and who have not come, and tokens of directories. */
export async function endShownTo(tx: Tx, orgId: string, keyId: string) {
  await raw`
    delete from sign_in_links where org_id = ${orgId} and coalesce(key_id, grant_id, member_id) in (
      select id from memberships where org_id = ${orgId} and invited_by_key = ${keyId} and accepted_at is null)`.execute(
    tx,
  )
  await raw`
    update scim_tokens set revoked_at = clock_timestamp()
     where org_id = ${orgId} and minted_by_key = ${keyId} and revoked_at is null`.execute(tx)
}

export const revokeKey = (tx: Tx, orgId: string, id: string) =>
  tx
    .updateTable('api_keys')
    .set({ revoked_at: raw`clock_timestamp()`, updated_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(shown)
    .executeTakeFirstOrThrow()

export const updateKey = (tx: Tx, orgId: string, id: string, fields: Pick<KeyRow, 'name' | 'owner_id'>) =>
  tx
    .updateTable('api_keys')
    .set({
      ...fields,
      // Whoever answered for it before may know its secret.
      former_owner_ids: raw`case when owner_id is distinct from ${fields.owner_id}::uuid and owner_id is not null
                                      and owner_id <> all (former_owner_ids)
        then array_append(former_owner_ids, owner_id) else former_owner_ids end`,
      updated_at: raw`clock_timestamp()`,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(shown)
    .executeTakeFirstOrThrow()

/** Expires the old key of a rotation at the end of its overlap, or earlier if it would have expired anyway. */
export const expireKey = (tx: Tx, orgId: string, id: string, overlapSeconds: number) =>
  tx
    .updateTable('api_keys')
    .set({
      expires_at: raw`least(coalesce(expires_at, 'infinity'), clock_timestamp() + make_interval(secs => ${overlapSeconds}))`,
      updated_at: raw`clock_timestamp()`,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(shown)
    .executeTakeFirstOrThrow()

export async function listKeys(
  tx: Tx,
  orgId: string,
  page: PageRequest<'created_at' | 'name'>,
  {
    role,
    status,
    mintedBy,
    ownerId,
    pins = {},
  }: {
    role?: string | undefined
    status?: KeyStatus | undefined
    mintedBy?: string | undefined
    ownerId?: string | undefined
    pins?: Caller['pins']
  },
  now: Date,
) {
  let query = tx
    .selectFrom('api_keys')
    .select([...shown, raw<string>`${raw.ref(page.sort)}::text`.as('sort_value')])
    .where('org_id', '=', orgId)
  if (role !== undefined) query = query.where('role', '=', role)
  if (status !== undefined) query = query.where(statusAt(now), '=', status)
  if (mintedBy !== undefined) query = query.where('minted_by', '=', mintedBy)
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId)
  if (isPinned({ pins })) query = query.where(raw<boolean>`pins @> ${JSON.stringify(pins)}::jsonb`)
  return keysetPage(query, { sort: page.sort, id: 'id' }, page).execute()
}
