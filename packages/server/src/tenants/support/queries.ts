import { sql as raw } from 'kysely'
import type { PageRequest } from '../../contract/lists.ts'
import { keysetPage } from '../../platform/infra/keyset.ts'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { operatorsOrgId } from '../../values/id.ts'

const visible = [
  'org_id',
  'id',
  'operator_key_id',
  'scope',
  'reason',
  'expires_at',
  'revoked_at',
  'closed_at',
  'created_at',
  'updated_at',
] as const

interface NewGrant {
  readonly id: string
  readonly operator_key_id: string
  readonly scope: string
  readonly reason: string
  readonly mac: Buffer
  readonly mac_key_id: string
  readonly durationSeconds: number
  /** Latest possible expiry: no grant outlives the key that issued it. */
  readonly latestEnd: Date | null
}

export const insertGrant = (tx: Tx, orgId: string, { durationSeconds, latestEnd, ...grant }: NewGrant) =>
  tx
    .insertInto('support_grants')
    .values({
      ...grant,
      org_id: orgId,
      expires_at: raw`least(clock_timestamp() + make_interval(secs => ${durationSeconds}), ${latestEnd}::timestamptz)`,
    })
    .returning(visible)
    .executeTakeFirstOrThrow()

export type GrantRow = Awaited<ReturnType<typeof insertGrant>>

export const lockGrant = (tx: Tx, orgId: string, id: string): Promise<GrantRow | undefined> =>
  tx
    .selectFrom('support_grants')
    .select(visible)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

/** Revokes a grant and ends what it has made. */
export const revokeGrant = (tx: Tx, orgId: string, id: string, by: unknown) =>
  tx
    .updateTable('support_grants')
    .set({
      revoked_at: raw`clock_timestamp()`,
      closed_at: raw`clock_timestamp()`,
      updated_at: raw`clock_timestamp()`,
      revoked_by: JSON.stringify(by),
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(visible)
    .executeTakeFirstOrThrow()

const asOperator = (tx: Tx) => raw`select set_config('app.operator', 'on', true)`.execute(tx)

/** Marks that what an expired grant has made has ended. */
export async function closeGrant(tx: Tx, orgId: string, id: string) {
  await tx
    .updateTable('support_grants')
    .set({ closed_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute()
}

export interface EndedGrant {
  readonly org_id: string
  readonly id: string
}

/** Returns grants that have ended, by expiry or with their operator's key, but whose traces have not. */
export const listEndedGrants = (sql: Sql, most: number): Promise<EndedGrant[]> =>
  sql.asOrgs([operatorsOrgId], async (tx) => {
    await asOperator(tx)
    const { rows } = await raw<EndedGrant>`
      select g.org_id, g.id from support_grants g join api_keys k on k.org_id = ${operatorsOrgId} and k.id = g.operator_key_id
       where g.closed_at is null and (g.expires_at <= clock_timestamp() or g.revoked_at is not null or k.revoked_at is not null)
       order by g.expires_at limit ${most}`.execute(tx)
    return rows
  })

export interface GrantFilter {
  readonly orgId?: string | undefined
  readonly isOperator: boolean
  readonly status?: 'active' | 'revoked' | 'expired' | undefined
}

const inStatus = {
  revoked: raw<boolean>`revoked_at is not null`,
  expired: raw<boolean>`revoked_at is null and expires_at <= clock_timestamp()`,
  active: raw<boolean>`revoked_at is null and expires_at > clock_timestamp()`,
}

/** Lists the grants of one organization, or for operators of all. */
export async function listGrants(tx: Tx, { orgId, isOperator, status }: GrantFilter, page: PageRequest<'created_at'>) {
  if (isOperator) await asOperator(tx)
  let query = tx.selectFrom('support_grants').select([...visible, raw<string>`created_at::text`.as('sort_value')])
  if (orgId !== undefined) query = query.where('org_id', '=', orgId)
  if (status !== undefined) query = query.where(inStatus[status])
  return keysetPage(query, { sort: page.sort, id: 'id' }, page).execute()
}

export const findOrgGrant = (tx: Tx, orgId: string, id: string): Promise<GrantRow | undefined> =>
  tx.selectFrom('support_grants').select(visible).where('org_id', '=', orgId).where('id', '=', id).executeTakeFirst()

/** Finds a grant of any organization, for operators. */
export const findGrant = (sql: Sql, id: string): Promise<GrantRow | undefined> =>
  sql.asOrgs([], async (tx) => {
    await asOperator(tx)
    return tx.selectFrom('support_grants').select(visible).where('id', '=', id).executeTakeFirst()
  })
