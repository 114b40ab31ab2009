import { sql as raw } from 'kysely'
import type { PageRequest } from '../../contract/lists.ts'
import { keysetPage } from '../../platform/infra/keyset.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'
import type { ProposalKind, ProposalStatus } from './schema.ts'

const columns = [
  'id',
  'status',
  'kind',
  'budget_id',
  'budget_name',
  'wanted',
  'standing',
  'reason',
  'requested_by',
  'decided_by_member',
  'decided_at',
  'note',
  'expires_at',
  'created_at',
  'updated_at',
] as const

/** Change that is asked for, as it is stored. */
export interface Wanted {
  readonly name: string
  readonly scope_kind: string
  readonly scope_id?: string | undefined
  readonly limit_usd: string
  readonly period: string
  readonly timezone?: string | undefined
  readonly enforcement?: string | undefined
}

/** The budget as it was when more was asked for. */
export interface Standing {
  readonly limit_usd: string
  readonly updated_at: string
}

export interface ProposalRow {
  readonly id: string
  readonly status: Exclude<ProposalStatus, 'expired'>
  readonly kind: ProposalKind
  readonly budget_id: string | null
  readonly budget_name: string
  readonly wanted: Wanted
  readonly standing: Standing | null
  readonly reason: string
  readonly requested_by: string
  readonly decided_by_member: string | null
  readonly decided_at: Date | null
  readonly note: string | null
  readonly expires_at: Date
  readonly created_at: Date
  readonly updated_at: Date
}

type Untyped = Pick<ProposalRow, 'id'> & Readonly<Record<'status' | 'kind' | 'wanted' | 'standing', unknown>>
const typed = <T extends Untyped>(row: T) => row as unknown as Omit<T, keyof ProposalRow> & ProposalRow

export interface NewProposal
  extends Pick<
    ProposalRow,
    'id' | 'kind' | 'budget_id' | 'budget_name' | 'wanted' | 'standing' | 'reason' | 'requested_by' | 'expires_at'
  > {
  readonly fingerprint: Buffer
}

/** Locks the proposals of an organization against others that are made at the same time, until the transaction ends. */
export async function lockProposals(tx: Tx, orgId: string) {
  await raw`select pg_advisory_xact_lock(hashtextextended(${`proposals ${orgId}`}, 0))`.execute(tx)
}

export async function insertProposal(
  tx: Tx,
  orgId: string,
  { wanted, standing, ...proposal }: NewProposal,
): Promise<ProposalRow> {
  const row = await tx
    .insertInto('proposals')
    .values({
      org_id: orgId,
      status: 'pending',
      wanted: JSON.stringify(wanted),
      standing: standing && JSON.stringify(standing),
      ...proposal,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return typed(row)
}

/** Returns the same proposal of a key that waits for a decision, or was denied not long ago. */
export async function findSame(tx: Tx, orgId: string, requestedBy: string, fingerprint: Buffer, now: Date) {
  const row = await tx
    .selectFrom('proposals')
    .select(columns)
    .where('org_id', '=', orgId)
    .where('requested_by', '=', requestedBy)
    .where('fingerprint', '=', fingerprint)
    .where('status', 'in', ['pending', 'denied'])
    .where('expires_at', '>', now)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && typed(row)
}

/** Counts the proposals that wait: all of them, and those of one key. */
export async function countWaiting(
  tx: Tx,
  orgId: string,
  keyId: string,
  now: Date,
): Promise<{ all: number; own: number }> {
  const { rows } = await raw<{ all: bigint; own: bigint }>`
    select count(*) as all, count(*) filter (where requested_by = ${keyId}) as own
      from proposals where org_id = ${orgId} and status = 'pending' and expires_at > ${now}`.execute(tx)
  return { all: Number(one(rows).all), own: Number(one(rows).own) }
}

export async function findProposal(tx: Tx, orgId: string, id: string): Promise<ProposalRow | undefined> {
  const row = await tx
    .selectFrom('proposals')
    .select(columns)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && typed(row)
}

export async function lockProposal(tx: Tx, orgId: string, id: string): Promise<ProposalRow | undefined> {
  const row = await tx
    .selectFrom('proposals')
    .select(columns)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row && typed(row)
}

interface Decided {
  readonly status: 'approved' | 'denied'
  readonly budget_id: string | null
  readonly decided_by_member: string
  readonly decided_at: Date
  readonly note: string | null
  readonly expires_at: Date
}

export async function decideProposal(tx: Tx, orgId: string, id: string, decided: Decided): Promise<ProposalRow> {
  const row = await tx
    .updateTable('proposals')
    .set({ ...decided, updated_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()
  return typed(row)
}

interface Sought {
  readonly status: ProposalStatus | undefined
  /** Only those of this key. */
  readonly requestedBy: string | undefined
  readonly now: Date
}

export async function listProposals(
  tx: Tx,
  orgId: string,
  page: PageRequest<'created_at'>,
  { status, requestedBy, now }: Sought,
) {
  let query = tx
    .selectFrom('proposals')
    .select([...columns, raw<string>`created_at::text`.as('sort_value')])
    .where('org_id', '=', orgId)
  if (requestedBy !== undefined) query = query.where('requested_by', '=', requestedBy)
  if (status === 'expired') query = query.where('status', '=', 'pending').where('expires_at', '<=', now)
  else if (status !== undefined) query = query.where('status', '=', status)
  if (status === 'pending') query = query.where('expires_at', '>', now)
  const rows = await keysetPage(query, { sort: 'created_at', id: 'id' }, page).execute()
  return rows.map(typed)
}
