import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'

export interface ClaimRow {
  readonly day: string
  readonly request_hash: Buffer
  readonly attempt: number
  readonly status: number | null
  readonly sealed: Buffer | null
  readonly is_stale: boolean
}

/** Identity under which a key is locked and its response encrypted. */
export const keyIdentity = (orgId: string, key: string) => `${orgId} ${key}`

/** SQL condition of a claim that still counts: for 24 hours, within the partitions that can hold it. */
export const liveClaimCondition = `day >= (clock_timestamp() at time zone 'UTC')::date - 1 and claimed_at > clock_timestamp() - interval '24 hours'`

/** Locks a key; the lock stands in for a unique constraint across the daily partitions. */
export async function lockIdempotencyKey(tx: Tx, orgId: string, key: string) {
  await raw`select pg_advisory_xact_lock(hashtextextended(${keyIdentity(orgId, key)}, 0))`.execute(tx)
}

export async function findClaim(
  tx: Tx,
  orgId: string,
  key: string,
  takeoverSeconds: number,
): Promise<ClaimRow | undefined> {
  const { rows } = await raw<ClaimRow>`
    select day::text, request_hash, attempt, status, sealed,
           claimed_at < clock_timestamp() - make_interval(secs => ${takeoverSeconds}) as is_stale
      from idempotency_keys
     where org_id = ${orgId} and key = ${key} and ${raw.raw(liveClaimCondition)}
     order by day desc limit 1`.execute(tx)
  return rows[0]
}

/** Inserts a claim. A released key starts with a new attempt number, so that a call still running finds itself replaced. */
export async function insertClaim(tx: Tx, orgId: string, key: string, hash: Buffer) {
  const { rows } = await raw<{ day: string; attempt: number }>`
    insert into idempotency_keys (org_id, key, day, request_hash, claimed_at)
    values (${orgId}, ${key}, (clock_timestamp() at time zone 'UTC')::date, ${hash}, clock_timestamp())
    on conflict (org_id, key, day) do update set ${raw.raw(reclaimAssignments)}
    returning day::text, attempt`.execute(tx)
  return one(rows)
}

/** SQL assignments that reuse the row of a claim that no longer counts. */
export const reclaimAssignments = `request_hash = excluded.request_hash, claimed_at = excluded.claimed_at,
  completed_at = excluded.completed_at, status = excluded.status, sealed = excluded.sealed, attempt = idempotency_keys.attempt + 1`

interface ClaimRef {
  readonly orgId: string
  readonly key: string
  readonly day: string
  readonly attempt: number
}

export async function takeOver(tx: Tx, { orgId, key, day, attempt }: ClaimRef) {
  await raw`
    update idempotency_keys set attempt = ${attempt}, claimed_at = clock_timestamp()
     where org_id = ${orgId} and key = ${key} and day = ${day}`.execute(tx)
}

/** Stores the response if the claim still belongs to this attempt; a call that was taken over finds that it does not. */
export async function completeClaim(
  tx: Tx,
  { orgId, key, day, attempt }: ClaimRef,
  status: number,
  sealed: Buffer,
): Promise<boolean> {
  const { numAffectedRows } = await raw`
    update idempotency_keys set completed_at = clock_timestamp(), status = ${status}, sealed = ${sealed}
     where org_id = ${orgId} and key = ${key} and day = ${day} and attempt = ${attempt} and completed_at is null`.execute(
    tx,
  )
  return numAffectedRows === 1n
}

/** Releases the key. The row stays but counts for nobody: a call still running under this attempt can no longer complete it. */
export async function releaseClaim(tx: Tx, { orgId, key, day, attempt }: ClaimRef) {
  await raw`
    update idempotency_keys set attempt = attempt + 1, claimed_at = '-infinity'
     where org_id = ${orgId} and key = ${key} and day = ${day} and attempt = ${attempt} and completed_at is null`.execute(
    tx,
  )
}
