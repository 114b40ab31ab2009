import { sql as raw } from 'kysely'
import type { Tx } from '../infra/sql.ts'

export interface ClaimRow {
  readonly day: string
  readonly request_hash: Buffer
  readonly attempt: number
  readonly status: number | null
  readonly sealed: Buffer | null
  readonly is_stale: boolean
}

/** What a key is locked and sealed under, everywhere. */
export const keyIdentity = (orgId: string, key: string) => `${orgId} ${key}`

/** Whether a claim still counts: for 24 hours, within the days that can hold it. */
export const stillKept = `day >= (clock_timestamp() at time zone 'UTC')::date - 1 and claimed_at > clock_timestamp() - interval '24 hours'`

/** One at a time per key: the lock stands for uniqueness over the days' partitions. */
export async function lockKey(tx: Tx, orgId: string, key: string) {
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
     where org_id = ${orgId} and key = ${key} and ${raw.raw(stillKept)}
     order by day desc limit 1`.execute(tx)
  return rows[0]
}

/** A key that was given back begins with a new number, so that a call which goes on all the same finds itself replaced. */
export async function insertClaim(tx: Tx, orgId: string, key: string, hash: Buffer) {
  const { rows } = await raw<{ day: string; attempt: number }>`
    insert into idempotency_keys (org_id, key, day, request_hash, claimed_at)
    values (${orgId}, ${key}, (clock_timestamp() at time zone 'UTC')::date, ${hash}, clock_timestamp())
    on conflict (org_id, key, day) do update set ${raw.raw(claimedAgain)}
    returning day::text, attempt`.execute(tx)
  return rows[0]!
}

/** What a new claim makes of a row that does not count any more. */
export const claimedAgain = `request_hash = excluded.request_hash, claimed_at = excluded.claimed_at,
  completed_at = excluded.completed_at, status = excluded.status, sealed = excluded.sealed, attempt = idempotency_keys.attempt + 1`

interface Held {
  readonly orgId: string
  readonly key: string
  readonly day: string
  readonly attempt: number
}

export async function takeOver(tx: Tx, { orgId, key, day, attempt }: Held) {
  await raw`
    update idempotency_keys set attempt = ${attempt}, claimed_at = clock_timestamp()
     where org_id = ${orgId} and key = ${key} and day = ${day}`.execute(tx)
}

/** Keeps the answer, if the claim is still this attempt's; a call that was taken over finds that it is not. */
export async function completeClaim(
  tx: Tx,
  { orgId, key, day, attempt }: Held,
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

/** Gives the key back. The row stays, and counts for nobody: whoever still works on this attempt can no longer complete it. */
export async function releaseClaim(tx: Tx, { orgId, key, day, attempt }: Held) {
  await raw`
    update idempotency_keys set attempt = attempt + 1, claimed_at = '-infinity'
     where org_id = ${orgId} and key = ${key} and day = ${day} and attempt = ${attempt} and completed_at is null`.execute(
    tx,
  )
}
