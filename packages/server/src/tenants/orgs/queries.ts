import { sql as raw } from 'kysely'
import type { PageRequest } from '../../contract/lists.ts'
import { keysetPage } from '../../platform/infra/keyset.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { operatorsOrgId } from '../../values/id.ts'

const visible = [
  'id',
  'name',
  'status',
  'status_reason',
  'suspended_at',
  'ip_allow_list',
  'required_dimensions',
  'residency',
  'home_region',
  'timezone',
  'max_new_values_per_day',
  'created_at',
  'updated_at',
] as const

export const insertOrg = (tx: Tx, orgId: string, name: string, homeRegion: string | null = null) =>
  tx
    .insertInto('orgs')
    .values({ id: orgId, name, home_region: homeRegion })
    .returning(visible)
    .executeTakeFirstOrThrow()

export type OrgRow = Awaited<ReturnType<typeof insertOrg>>

export const findOrg = (tx: Tx, orgId: string): Promise<OrgRow | undefined> =>
  tx.selectFrom('orgs').select(visible).where('id', '=', orgId).executeTakeFirst()

/** Locks an organization, without blocking rows that refer to it: its id never changes. */
export const lockOrg = (tx: Tx, orgId: string): Promise<OrgRow | undefined> =>
  tx.selectFrom('orgs').select(visible).where('id', '=', orgId).forNoKeyUpdate().executeTakeFirst()

export interface OrgFields {
  name?: string
  required_dimensions?: string[]
  timezone?: string
  max_new_values_per_day?: number | null
  ip_allow_list?: string[]
  status?: 'active' | 'suspended'
  status_reason?: string | null
  residency?: 'none' | 'strict'
  home_region?: string | null
}

export const updateOrg = (tx: Tx, orgId: string, fields: OrgFields) =>
  tx
    .updateTable('orgs')
    .set({
      ...fields,
      ...(fields.status !== undefined && {
        suspended_at: fields.status === 'suspended' ? raw<Date>`clock_timestamp()` : null,
      }),
      updated_at: raw`clock_timestamp()`,
    })
    .where('id', '=', orgId)
    .returning(visible)
    .executeTakeFirstOrThrow()

export async function setAddressList(tx: Tx, orgId: string, list: string[]) {
  await updateOrg(tx, orgId, { ip_allow_list: list })
}

/** Increments the version of the policy set: its rules now refer to another time of day, so the old version does not apply. */
export async function renewPolicySet(tx: Tx, orgId: string) {
  await tx.updateTable('policy_sets').set({ version: raw`version + 1` }).where('org_id', '=', orgId).execute()
}

/** Lists all tenants, for operators; marks the transaction as an operator's. */
export async function listOrgs(
  tx: Tx,
  page: PageRequest<'created_at' | 'name'>,
  filters: { status?: string; name?: string },
) {
  await raw`select set_config('app.operator', 'on', true)`.execute(tx)
  let query = tx
    .selectFrom('orgs')
    .select([...visible, raw<string>`${raw.ref(page.sort)}::text`.as('sort_value')])
    .where('id', '<>', operatorsOrgId)
  if (filters.status !== undefined) query = query.where('status', '=', filters.status)
  if (filters.name !== undefined) query = query.where(raw<boolean>`position(lower(${filters.name}) in lower(name)) > 0`)
  return keysetPage(query, { sort: page.sort, id: 'id' }, page).execute()
}
