import { sql as raw } from 'kysely'
import { type Caller, isPinned } from '../../access/identity/identity.ts'
import type { PageRequest } from '../../contract/lists.ts'
import { keysetPage } from '../../platform/infra/keyset.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'
import type { Approver, StoredAttempt } from '../policies/policies.ts'
import type { ApprovalStatus } from './schema.ts'

export const columns = [
  'id',
  'status',
  'rule_id',
  'rule_version',
  'rule_name',
  'reason',
  'attempted',
  'attempt',
  'estimated_nano',
  'requested_by',
  'decided_by',
  'decided_by_member',
  'decided_at',
  'note',
  'max_runs',
  'max_amount_nano',
  'expires_at',
  'created_at',
  'updated_at',
] as const

export interface ApprovalRow {
  readonly id: string
  readonly status: ApprovalStatus
  readonly rule_id: string
  readonly rule_version: number
  readonly rule_name: string
  readonly reason: string
  readonly attempted: string
  readonly attempt: StoredAttempt
  readonly estimated_nano: bigint
  readonly requested_by: string
  readonly decided_by: string | null
  readonly decided_by_member: string | null
  readonly decided_at: Date | null
  readonly note: string | null
  readonly max_runs: number | null
  readonly max_amount_nano: bigint | null
  readonly expires_at: Date
  readonly created_at: Date
  readonly updated_at: Date
}

interface Untyped {
  readonly status: string
  readonly attempt: unknown
}
type Typed<T extends Untyped> = Omit<T, keyof Untyped> & Pick<ApprovalRow, keyof Untyped>
export const typed = <T extends Untyped>(row: T) => row as unknown as Typed<T>

/** The identity of an attempt, for one version of a rule. */
export interface AttemptKey {
  readonly ruleId: string
  readonly ruleVersion: number
  readonly fingerprint: Buffer
}

const selectByAttempt = (tx: Tx, orgId: string, key: AttemptKey) =>
  tx
    .selectFrom('approvals')
    .select(columns)
    .where('org_id', '=', orgId)
    .where('rule_id', '=', key.ruleId)
    .where('rule_version', '=', key.ruleVersion)
    .where('fingerprint', '=', key.fingerprint)

/** Returns the valid grants of an attempt, the oldest first. */
export async function findValidGrants(tx: Tx, orgId: string, key: AttemptKey, now: Date): Promise<ApprovalRow[]> {
  const rows = await selectByAttempt(tx, orgId, key)
    .where('status', '=', 'approved')
    .where('expires_at', '>', now)
    .orderBy('id')
    .execute()
  return rows.map(typed)
}

/** Returns the pending request of an attempt, or the denial that still holds. */
export async function findOpenRequest(
  tx: Tx,
  orgId: string,
  key: AttemptKey,
  now: Date,
): Promise<ApprovalRow | undefined> {
  const row = await selectByAttempt(tx, orgId, key)
    .where('status', 'in', ['pending', 'denied'])
    .where('expires_at', '>', now)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && typed(row)
}

/** Expires the overdue request of an attempt, so that a new one can be created. */
export async function expireByAttempt(tx: Tx, orgId: string, key: AttemptKey, now: Date): Promise<ApprovalRow[]> {
  const rows = await tx
    .updateTable('approvals')
    .set({ status: 'expired', updated_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('rule_id', '=', key.ruleId)
    .where('rule_version', '=', key.ruleVersion)
    .where('fingerprint', '=', key.fingerprint)
    .where('status', '=', 'pending')
    .where('expires_at', '<=', now)
    .returning(columns)
    .execute()
  return rows.map(typed)
}

/** Keys with what made them: a key or a member by minting, and every key of their lineage, as which they are one key. */
const keyMakings = (orgId: string) => raw`
  select id, minted_by as maker from api_keys where org_id = ${orgId} and minted_by is not null
  union all select id, minted_by_member from api_keys where org_id = ${orgId} and minted_by_member is not null
  union all select made.id, maker.id from api_keys made join api_keys maker using (org_id, lineage_id) where made.org_id = ${orgId}`

/** Members with the key or the member that invited them. */
const invitations = (orgId: string) => raw`
  select id, coalesce(invited_by_key, invited_by_member) from memberships
   where org_id = ${orgId} and num_nonnulls(invited_by_key, invited_by_member) > 0`

/** True when a key or a member was made by a key: minted, rotated or invited, by itself or by something that it made. */
export async function isWithinReach(tx: Tx, orgId: string, requester: string, approver: string): Promise<boolean> {
  const { rows } = await raw<{ found: boolean }>`
    with recursive reach (id) as (
      select ${requester}::uuid
      union
      select making.id from reach join (${keyMakings(orgId)} union all ${invitations(orgId)}) making on making.maker = reach.id)
    select exists (select from reach where id = ${approver}) as found`.execute(tx)
  return one(rows).found
}

/** True when a member is behind a key: answers or answered for it or for a key that made it, or was shown the secret of one. */
export async function isBehind(tx: Tx, orgId: string, keyId: string, memberId: string): Promise<boolean> {
  const { rows } = await raw<{ found: boolean }>`
    with recursive origin (id) as (
      select ${keyId}::uuid
      union
      select making.maker from origin join (${keyMakings(orgId)}) making on making.id = origin.id)
    select exists (select from origin where id = ${memberId})
        or exists (select from api_keys k join origin using (id) where k.org_id = ${orgId}
                     and (k.owner_id = ${memberId} or ${memberId}::uuid = any (k.former_owner_ids))) as found`.execute(
    tx,
  )
  return one(rows).found
}

export interface NewApproval {
  readonly id: string
  readonly rule_id: string
  readonly rule_version: number
  readonly rule_name: string
  readonly reason: string
  readonly fingerprint: Buffer
  readonly attempted: string
  readonly attempt: StoredAttempt
  readonly estimated_nano: bigint
  readonly requested_by: string
  readonly expires_at: Date
}

/** Counts the pending requests: all of them, and those of one key. */
export async function countPending(tx: Tx, orgId: string, keyId: string): Promise<{ all: number; own: number }> {
  const { rows } = await raw<{ all: bigint; own: bigint }>`
    select count(*) as all, count(*) filter (where requested_by = ${keyId}) as own
      from approvals where org_id = ${orgId} and status = 'pending'`.execute(tx)
  return { all: Number(one(rows).all), own: Number(one(rows).own) }
}

/** Inserts a request. Returns undefined when the same attempt is already pending. */
export async function insertApproval(
  tx: Tx,
  orgId: string,
  { attempt, ...approval }: NewApproval,
): Promise<ApprovalRow | undefined> {
  const row = await tx
    .insertInto('approvals')
    .values({ org_id: orgId, status: 'pending', attempt: JSON.stringify(attempt), ...approval })
    .onConflict((conflict) =>
      conflict
        .columns(['org_id', 'rule_id', 'rule_version', 'fingerprint'])
        .where('status', '=', 'pending')
        .doNothing(),
    )
    .returning(columns)
    .executeTakeFirst()
  return row && typed(row)
}

export async function findApproval(tx: Tx, orgId: string, id: string): Promise<ApprovalRow | undefined> {
  const row = await tx
    .selectFrom('approvals')
    .select(columns)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && typed(row)
}

export async function lockApproval(tx: Tx, orgId: string, id: string): Promise<ApprovalRow | undefined> {
  const row = await tx
    .selectFrom('approvals')
    .select(columns)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row && typed(row)
}

/** Returns a rule's version and locks the rule until the transaction ends; undefined when there is no such rule. */
export const lockRule = (tx: Tx, orgId: string, ruleId: string) =>
  tx
    .selectFrom('policy_rules')
    .select(['version', raw<Approver>`approver`.as('approver')])
    .where('org_id', '=', orgId)
    .where('id', '=', ruleId)
    .forShare()
    .executeTakeFirst()

export interface ApprovalDecision {
  readonly status: 'approved' | 'denied'
  readonly decided_by: string | null
  readonly decided_by_member: string | null
  readonly decided_at: Date
  readonly note: string | null
  readonly max_runs?: number
  readonly max_amount_nano?: bigint | null
  readonly expires_at: Date
}

export async function decideApproval(
  tx: Tx,
  orgId: string,
  id: string,
  decided: ApprovalDecision,
): Promise<ApprovalRow> {
  const row = await tx
    .updateTable('approvals')
    .set({ ...decided, updated_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()
  return typed(row)
}

export async function revokeApproval(tx: Tx, orgId: string, id: string, now: Date): Promise<ApprovalRow> {
  const row = await tx
    .updateTable('approvals')
    .set({ status: 'expired', expires_at: now, updated_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()
  return typed(row)
}

export async function listApprovals(
  tx: Tx,
  orgId: string,
  page: PageRequest<'created_at'>,
  {
    status,
    ruleId,
    pins,
  }: {
    readonly status?: string | undefined
    readonly ruleId?: string | undefined
    readonly pins: Caller['pins']
  },
) {
  let query = tx
    .selectFrom('approvals')
    .select([...columns, raw<string>`created_at::text`.as('sort_value')])
    .where('org_id', '=', orgId)
  if (status !== undefined) query = query.where('status', '=', status)
  if (ruleId !== undefined) query = query.where('rule_id', '=', ruleId)
  if (isPinned({ pins })) query = query.where(raw<boolean>`attempt @> ${JSON.stringify(pins)}::jsonb`)
  const rows = await keysetPage(query, { sort: 'created_at', id: 'id' }, page).execute()
  return rows.map(typed)
}
