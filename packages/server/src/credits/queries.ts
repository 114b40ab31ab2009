import { sql as raw } from 'kysely'
import type { PageRequest } from '../contract/lists.ts'
import { keysetPage } from '../infra/keyset.ts'
import type { Tx } from '../infra/sql.ts'

const columns = [
  'owner',
  'id',
  'name',
  'amount',
  'priority',
  'expires_at',
  'voided_at',
  'created_at',
  'updated_at',
] as const

export interface NewPack {
  readonly id: string
  readonly owner: string
  readonly name: string
  readonly amount: bigint
  readonly priority?: number
  readonly expires_at?: Date | null
}

export const insertPack = (tx: Tx, orgId: string, pack: NewPack) =>
  tx
    .insertInto('packs')
    .values({ ...pack, org_id: orgId })
    .returning(columns)
    .executeTakeFirstOrThrow()

export type PackRow = Awaited<ReturnType<typeof insertPack>>

export const packsOf = (tx: Tx, orgId: string, owner: string): Promise<PackRow[]> =>
  tx.selectFrom('packs').select(columns).where('org_id', '=', orgId).where('owner', '=', owner).execute()

export const listPacks = (tx: Tx, orgId: string, owner: string, page: PageRequest<'created_at'>) =>
  keysetPage(
    tx
      .selectFrom('packs')
      .select([...columns, raw<string>`${raw.ref(page.sort)}::text`.as('sort_value')])
      .where('org_id', '=', orgId)
      .where('owner', '=', owner),
    { sort: page.sort, id: 'id' },
    page,
  ).execute()

/** A pack, whoever owns it. */
export const findPack = (tx: Tx, orgId: string, id: string): Promise<PackRow | undefined> =>
  tx.selectFrom('packs').select(columns).where('org_id', '=', orgId).where('id', '=', id).executeTakeFirst()

/** A pack of a customer; the organization's own are no credits. */
export const findCreditPack = (tx: Tx, orgId: string, id: string): Promise<PackRow | undefined> =>
  tx
    .selectFrom('packs')
    .select(columns)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('owner', '<>', '')
    .executeTakeFirst()

export const voidPack = (tx: Tx, orgId: string, id: string) =>
  tx
    .updateTable('packs')
    .set({ voided_at: raw`clock_timestamp()`, updated_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()
