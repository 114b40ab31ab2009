import { sql as raw } from 'kysely'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import type { RecordedRun } from '../runs.ts'

/** A call that waits, as it is stored. */
export interface WaitingCall {
  readonly agent: StoredAgent
  readonly run: RecordedRun & { readonly external_id: string; readonly chain_id: string }
  readonly requestId: string | null
  readonly session: string
  readonly endMs: number
}

export interface StoredAgent {
  readonly kind: 'key' | 'support' | 'person' | 'directory'
  readonly id: string
  readonly lineageId: string
}

export const insertWaiting = (
  tx: Tx,
  orgId: string,
  calls: readonly { readonly id: string; readonly call: WaitingCall }[],
  afterMs: number,
) =>
  raw`insert into waiting_calls (org_id, id, due_at, call)
      select ${orgId}::uuid, id, clock_timestamp() + make_interval(secs => ${afterMs / 1_000}), call
        from unnest(${calls.map(({ id }) => id)}::uuid[], ${calls.map(({ call }) => JSON.stringify(call))}::json[]) as t (id, call)
      on conflict do nothing`.execute(tx)

export interface WaitingRow {
  readonly id: string
  readonly call: WaitingCall
  readonly reported_at: Date
  readonly waited_ms: number
  readonly failures: number
}

const rowColumns = raw`id, call, reported_at, (extract(epoch from clock_timestamp() - reported_at) * 1000)::float8 as waited_ms, failures`

/** Locks calls that have waited long enough. */
export async function takeWaiting(tx: Tx, orgId: string, most: number): Promise<readonly WaitingRow[]> {
  const { rows } = await raw<WaitingRow>`
    select ${rowColumns} from waiting_calls where org_id = ${orgId}::uuid and due_at < clock_timestamp()
     order by due_at limit ${most} for update skip locked`.execute(tx)
  return rows
}

/** Finds calls that have waited long enough. */
export async function dueWaiting(tx: Tx, orgId: string, most: number): Promise<readonly string[]> {
  const { rows } = await raw<{ id: string }>`
    select id from waiting_calls where org_id = ${orgId}::uuid and due_at < clock_timestamp() order by due_at limit ${most}`.execute(
    tx,
  )
  return rows.map(({ id }) => id)
}

/** Locks one call; none if another worker has it, or it waits no longer. */
export async function takeOneWaiting(tx: Tx, orgId: string, id: string): Promise<readonly WaitingRow[]> {
  const { rows } = await raw<WaitingRow>`
    select ${rowColumns} from waiting_calls where org_id = ${orgId}::uuid and id = ${id}::uuid for update skip locked`.execute(
    tx,
  )
  return rows
}

/** Counts calls that wait, up to a number. */
export async function countWaiting(tx: Tx, orgId: string, most: number): Promise<number> {
  const { rows } = await raw<{ count: string }>`
    select count(*) from (select from waiting_calls where org_id = ${orgId}::uuid limit ${most}) as w`.execute(tx)
  return Number(rows[0]?.count ?? 0)
}

export const deleteWaiting = (tx: Tx, orgId: string, ids: readonly string[]) =>
  raw`delete from waiting_calls where org_id = ${orgId}::uuid and id = any(${ids}::uuid[])`.execute(tx)

/** Puts off a call that could not be recorded. */
export const putOff = (tx: Tx, orgId: string, id: string, byMs: number) =>
  raw`update waiting_calls set due_at = clock_timestamp() + make_interval(secs => ${byMs / 1_000}), failures = failures + 1
       where org_id = ${orgId}::uuid and id = ${id}::uuid`.execute(tx)

export const postponeWaiting = (tx: Tx, orgId: string, ids: readonly string[], byMs: number) =>
  raw`update waiting_calls set due_at = clock_timestamp() + make_interval(secs => ${byMs / 1_000})
       where org_id = ${orgId}::uuid and id = any(${ids}::uuid[])`.execute(tx)

/** Finds organizations with telemetry that is due, in the order of their ids after one of them. */
export async function orgsWithDueTelemetry(
  { db }: Sql,
  quietMs: number,
  after: string,
  most: number,
): Promise<readonly string[]> {
  const { rows } = await raw<{ org_id: string }>`
    select due as org_id from orgs_with_due_telemetry(
      clock_timestamp() - make_interval(secs => ${quietMs / 1_000}), ${after}::uuid, ${most}) as due`.execute(db)
  return rows.map(({ org_id }) => org_id)
}
