import { sql as raw } from 'kysely'
import type { PoolClient } from 'pg'
import { one } from '../../values/present.ts'
import type { Log } from '../infra/log.ts'
import type { Sql, Tx } from '../infra/sql.ts'

interface Node {
  readonly id: string
  readonly role: string
  readonly version: string
  readonly leaseSeconds: number
  readonly jobLockers: string[]
}

export async function renewLease({ db }: Sql, node: Node) {
  await raw`
    insert into nodes (id, role, version, lease_until, job_lockers)
    values (${node.id}, ${node.role}, ${node.version}, clock_timestamp() + make_interval(secs => ${node.leaseSeconds}), ${node.jobLockers})
    on conflict (id) do update set lease_until = excluded.lease_until, job_lockers = excluded.job_lockers`.execute(db)
}

export async function endLease({ db }: Sql, id: string) {
  await raw`delete from nodes where id = ${id}`.execute(db)
}

const maxListed = 1_000

/** Returns the processes that registered, the newest first; those that ended without leaving stay for a day. */
export const listNodes = ({ db }: Sql) =>
  db
    .selectFrom('nodes')
    .select(['id', 'role', 'version', 'started_at', 'lease_until'])
    .select(raw<boolean>`lease_until > clock_timestamp()`.as('is_live'))
    .orderBy('started_at', 'desc')
    .orderBy('id')
    .limit(maxListed)
    .execute()

/**
 * Unlocks the jobs of dead workers; the queue itself would wait four hours. A lock younger than a lease may belong to a worker
 * that has not registered yet.
 */
export async function unlockJobsOfDeadWorkers({ db }: Sql, leaseSeconds: number): Promise<string[]> {
  const { rows } = await raw<{ locker: string }>`
    select distinct locked_by as locker from graphile_worker.jobs
     where locked_by is not null and locked_at < clock_timestamp() - make_interval(secs => ${leaseSeconds})
       and locked_by not in (select unnest(job_lockers) from nodes where lease_until > clock_timestamp())`.execute(db)
  const lockers = rows.map(({ locker }) => locker)
  if (lockers.length > 0) await raw`select graphile_worker.force_unlock_workers(${lockers}::text[])`.execute(db)
  return lockers
}

export async function deleteDeadNodes({ db }: Sql, afterSeconds: number): Promise<bigint> {
  const { numAffectedRows } = await raw`
    delete from nodes where lease_until < clock_timestamp() - make_interval(secs => ${afterSeconds})`.execute(db)
  return numAffectedRows ?? 0n
}

const changeChannel = 'access_changed'

/** Renews the lease of an API process and publishes the version of access that it has applied; returns the latest version. */
export async function renewAccessLease(
  { db }: Sql,
  node: { id: string; program: string; leaseMs: number; applied: bigint },
): Promise<{ version: bigint; live: bigint }> {
  const { rows } = await raw<{ version: bigint; live: bigint }>`
    with renewed as (
      insert into nodes (id, role, version, lease_until, applied_version)
      values (${node.id}, 'api', ${node.program}, clock_timestamp() + make_interval(secs => ${node.leaseMs / 1000}), ${node.applied})
      on conflict (id) do update set lease_until = excluded.lease_until, applied_version = excluded.applied_version
    )
    select version, (select count(*) from nodes where role = 'api' and lease_until > clock_timestamp()) as live
      from access_epoch`.execute(db)
  return one(rows)
}

export async function changesSince({ db }: Sql, version: bigint) {
  return (
    await raw<{ changed_org: string }>`select changed_org from access_changes where version > ${version}`.execute(db)
  ).rows
}

/** Records, in the transaction of a change, that what is cached about an organization's callers is stale. */
export async function recordAccessChange(tx: Tx, orgId: string): Promise<bigint> {
  const { rows } = await raw<{ version: bigint }>`select record_access_change(${orgId}) as version`.execute(tx)
  return one(rows).version
}

export async function notifyAccessChange({ pool }: Sql) {
  await pool.query(`notify ${changeChannel}`)
}

export async function countNodesBehind({ db }: Sql, version: bigint): Promise<bigint> {
  const { rows } = await raw<{ behind: bigint }>`
    select count(*) as behind from nodes
     where role = 'api' and lease_until > clock_timestamp() and applied_version < ${version}`.execute(db)
  return one(rows).behind
}

export async function deleteAccessChanges({ db }: Sql, afterSeconds: number) {
  await raw`delete from access_changes where at < clock_timestamp() - make_interval(secs => ${afterSeconds})`.execute(
    db,
  )
}

/** Listens for changes and calls `wake`. A lost connection is reopened; until then the periodic renewals notice changes. */
export function listenForChanges({ pool }: Sql, wake: () => void, log: Log) {
  let client: PoolClient | undefined
  let closed = false
  let retry: NodeJS.Timeout | undefined

  async function connect() {
    if (closed) return
    const connected = await pool.connect().catch(() => undefined)
    if (!connected) return again()
    if (closed) return connected.release(true)
    client = connected
    connected.on('notification', wake)
    connected.once('error', (error: Error) => lose(connected, error))
    await connected.query(`listen ${changeChannel}`).then(wake, (error: unknown) => lose(connected, error))
  }
  /** Releases a lost connection once, however often its end is reported: as an event, by a pending statement, by the close. */
  function lose(connected: PoolClient, error: unknown) {
    if (client !== connected) return
    log.warn({ error }, 'the connection for notifications was lost')
    client = undefined
    connected.release(true)
    again()
  }
  function again() {
    if (!closed) retry = setTimeout(() => void connect(), 250)
  }
  void connect()
  return {
    close: async () => {
      closed = true
      clearTimeout(retry)
      const last = client
      client = undefined
      last?.release(true)
    },
  }
}
