import { sql as raw } from 'kysely'
import type { PageRequest } from '../../contract/lists.ts'
import { keysetPage } from '../../platform/infra/keyset.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'
import { stoppedThreshold, type UsedBalance } from '../ledger/ledger.ts'
import type { PackState } from './schema.ts'

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

/** A pack with its balance. */
export interface UsedPackRow {
  readonly id: string
  readonly amount: bigint
  readonly balance: UsedBalance
}

/** Returns the packs of an owner with their balances, the oldest first. */
export async function usedPacksOf(tx: Tx, orgId: string, owner: string): Promise<UsedPackRow[]> {
  const { rows } = await raw<
    { id: string; amount: bigint; would_refuse: bigint; exhausted_at: Date | null } & Omit<
      UsedBalance,
      'wouldRefuse' | 'exhaustedAt'
    >
  >`
    select p.id, p.amount, coalesce(a.spent, 0) as spent, coalesce(a.held, 0) as held, coalesce(a.overrun, 0) as overrun,
           coalesce(a.late, 0) as late, coalesce(a.would_refuse, 0) as would_refuse, coalesce(r.count, 0) as refused, e.at as exhausted_at
      from packs p
      left join lateral (
        select spent, held, overrun, late, would_refuse from allowances where org_id = ${orgId} and key = p.id limit 1) a on true
      left join lateral (select count from limit_refusals where org_id = ${orgId} and key = p.id limit 1) r on true
      left join lateral (
        select at from threshold_events where org_id = ${orgId} and key = p.id and threshold = ${stoppedThreshold} limit 1) e on true
     where p.org_id = ${orgId} and p.owner = ${owner} order by p.id`.execute(tx)
  return rows.map(({ id, amount, would_refuse, exhausted_at, ...counters }) => ({
    id,
    amount,
    balance: { ...counters, wouldRefuse: would_refuse, exhaustedAt: exhausted_at },
  }))
}

/** Returns the number of packs that an owner has, and of those that are not voided and have not expired. */
export async function countPacks(tx: Tx, orgId: string, owner: string): Promise<{ kept: number; inForce: number }> {
  const { rows } = await raw<{ kept: number; inForce: number }>`
    select count(*)::integer as kept,
           count(*) filter (where voided_at is null and (expires_at is null or expires_at > clock_timestamp()))::integer as "inForce"
      from packs where org_id = ${orgId} and owner = ${owner}`.execute(tx)
  return one(rows)
}

const isOver = raw<boolean>`coalesce(expires_at <= clock_timestamp(), false)`
const isSpent = raw<boolean>`coalesce((select a.spent >= packs.amount from allowances a where a.org_id = packs.org_id and a.key = packs.id limit 1), false)`
const inState: Record<PackState, ReturnType<typeof raw<boolean>>> = {
  voided: raw`voided_at is not null`,
  expired: raw`voided_at is null and ${isOver}`,
  depleted: raw`voided_at is null and not ${isOver} and ${isSpent}`,
  active: raw`voided_at is null and not ${isOver} and not ${isSpent}`,
}

/** The packs of one owner, or those of all customers. */
export function listPacks(
  tx: Tx,
  orgId: string,
  page: PageRequest<'created_at'>,
  { owner, status }: { owner?: string | undefined; status?: PackState | undefined },
) {
  let query = tx
    .selectFrom('packs')
    .select([...columns, raw<string>`${raw.ref(page.sort)}::text`.as('sort_value')])
    .where('org_id', '=', orgId)
  query = owner === undefined ? query.where('owner', '<>', '') : query.where('owner', '=', owner)
  if (status !== undefined) query = query.where(inState[status])
  return keysetPage(query, { sort: page.sort, id: 'id' }, page).execute()
}

/** A pack, whoever owns it. */
export const findPack = (tx: Tx, orgId: string, id: string): Promise<PackRow | undefined> =>
  tx.selectFrom('packs').select(columns).where('org_id', '=', orgId).where('id', '=', id).executeTakeFirst()

/** Finds a pack of a customer; the organization's own are not credits. */
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
