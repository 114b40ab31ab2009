import { sql as raw } from 'kysely'
import type { PageRequest } from '../contract/lists.ts'
import { keysetPage } from '../infra/keyset.ts'
import type { Tx } from '../infra/sql.ts'

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
  readonly rotated_from: string | null
  readonly minted_by: string | null
}

const visible = [
  'org_id',
  'id',
  'name',
  'role',
  'scopes',
  'pins',
  'not_before',
  'expires_at',
  'last_used_at',
  'revoked_at',
  'created_at',
  'updated_at',
] as const

export const insertKey = (tx: Tx, orgId: string, key: NewKey) =>
  tx
    .insertInto('api_keys')
    .values({ ...key, org_id: orgId, pins: JSON.stringify(key.pins) })
    .returning(visible)
    .executeTakeFirstOrThrow()

export type KeyRow = Awaited<ReturnType<typeof insertKey>>

export const findKey = (tx: Tx, orgId: string, id: string): Promise<KeyRow | undefined> =>
  tx.selectFrom('api_keys').select(visible).where('org_id', '=', orgId).where('id', '=', id).executeTakeFirst()

/** Held until the transaction ends: two who revoke or rotate one key come one after the other. */
export const lockKey = (tx: Tx, orgId: string, id: string): Promise<KeyRow | undefined> =>
  tx
    .selectFrom('api_keys')
    .select(visible)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export const revokeKey = (tx: Tx, orgId: string, id: string) =>
  tx
    .updateTable('api_keys')
    .set({ revoked_at: raw`clock_timestamp()`, updated_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(visible)
    .executeTakeFirstOrThrow()

/** The old key of a rotation ends when its overlap is over, or earlier where it would have anyway. */
export const expireKey = (tx: Tx, orgId: string, id: string, overlapSeconds: number) =>
  tx
    .updateTable('api_keys')
    .set({
      expires_at: raw`least(coalesce(expires_at, 'infinity'), clock_timestamp() + make_interval(secs => ${overlapSeconds}))`,
      updated_at: raw`clock_timestamp()`,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(visible)
    .executeTakeFirstOrThrow()

export async function listKeys(
  tx: Tx,
  orgId: string,
  page: PageRequest<'created_at' | 'name'>,
  filters: { role?: string; status?: string },
) {
  let query = tx
    .selectFrom('api_keys')
    .select([...visible, raw<string>`${raw.ref(page.sort)}::text`.as('sort_value')])
    .where('org_id', '=', orgId)
  if (filters.role !== undefined) query = query.where('role', '=', filters.role)
  if (filters.status !== undefined)
    query = query.where('revoked_at', filters.status === 'revoked' ? 'is not' : 'is', null)
  return keysetPage(query, { sort: page.sort, id: 'id' }, page).execute()
}
