import { sql as raw } from 'kysely'
import type { PageRequest } from '../../contract/lists.ts'
import { keysetPage } from '../../platform/infra/keyset.ts'
import type { Sql, Tx } from '../../platform/infra/sql.ts'

const columns = [
  'org_id',
  'id',
  'domain',
  'description',
  'token',
  'connection_id',
  'verified_at',
  'checked_at',
  'missed_days',
  'missed_at',
  'created_at',
  'updated_at',
] as const

export const findDomain = (tx: Tx, orgId: string, id: string) =>
  tx.selectFrom('sso_domains').select(columns).where('org_id', '=', orgId).where('id', '=', id).executeTakeFirst()

export type DomainRow = NonNullable<Awaited<ReturnType<typeof findDomain>>>

export const findDomainByName = (tx: Tx, orgId: string, domain: string): Promise<DomainRow | undefined> =>
  tx
    .selectFrom('sso_domains')
    .select(columns)
    .where('org_id', '=', orgId)
    .where('domain', '=', domain)
    .executeTakeFirst()

export function listDomains(
  tx: Tx,
  orgId: string,
  page: PageRequest<'created_at'>,
  { status }: { status?: 'pending' | 'verified' },
) {
  let query = tx
    .selectFrom('sso_domains')
    .select([...columns, raw<string>`created_at::text`.as('sort_value')])
    .where('org_id', '=', orgId)
  if (status !== undefined) query = query.where('verified_at', status === 'verified' ? 'is not' : 'is', null)
  return keysetPage(query, { sort: 'created_at', id: 'id' }, page).execute()
}

export const countDomains = async (tx: Tx, orgId: string): Promise<number> =>
  Number(
    (
      await tx
        .selectFrom('sso_domains')
        .select(raw<bigint>`count(*)`.as('all'))
        .where('org_id', '=', orgId)
        .executeTakeFirstOrThrow()
    ).all,
  )

export const insertDomain = (
  tx: Tx,
  orgId: string,
  row: Pick<DomainRow, 'id' | 'domain' | 'description' | 'token' | 'connection_id'>,
): Promise<DomainRow> =>
  tx
    .insertInto('sso_domains')
    .values({ org_id: orgId, ...row })
    .returning(columns)
    .executeTakeFirstOrThrow()

export const updateDomain = (
  tx: Tx,
  orgId: string,
  id: string,
  fields: Partial<
    Pick<DomainRow, 'description' | 'connection_id' | 'verified_at' | 'checked_at' | 'missed_days' | 'missed_at'>
  >,
): Promise<DomainRow> =>
  tx
    .updateTable('sso_domains')
    .set({ ...fields, updated_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()

export async function deleteDomain(tx: Tx, orgId: string, id: string) {
  await tx.deleteFrom('sso_domains').where('org_id', '=', orgId).where('id', '=', id).execute()
}

/** A domain of whichever organization. */
export type DomainKey = Pick<DomainRow, 'org_id' | 'id'>

/** Finds the domain by which an organization has proved this name. */
export const findHolder = async ({ db }: Sql, domain: string): Promise<DomainKey | undefined> =>
  (await raw<DomainKey>`select org_id, id from holder_of_domain(${domain})`.execute(db)).rows[0]

/** Lists proved domains of all organizations, by name, behind `last`. */
export const listProvedDomains = async ({ db }: Sql, last: string, most: number) =>
  (
    await raw<DomainKey & Pick<DomainRow, 'domain'>>`
      select org_id, id, domain from proved_domains(${last}, ${most})`.execute(db)
  ).rows

/** Returns the enabled connection that serves the addresses of a proved domain, of whichever organization. */
export const connectionOfDomain = async ({ db }: Sql, domain: string): Promise<string | undefined> =>
  (await raw<{ id: string | null }>`select sso_connection_of_domain(${domain}) as id`.execute(db)).rows[0]?.id ??
  undefined
