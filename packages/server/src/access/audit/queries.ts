import { type RawBuilder, sql as raw } from 'kysely'
import { keysetPage } from '../../platform/infra/keyset.ts'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { lastOf, one, present } from '../../values/present.ts'
import type { AuditEntry, SealedEntry } from './chain.ts'

export interface Head {
  readonly seq: bigint
  readonly mac: Buffer
}

/** A place in an organization's chain. The time is the exact text of the column. */
export interface AuditPosition {
  readonly at: string
  readonly seq: bigint
}

const timeText = (column: RawBuilder<unknown>) =>
  raw<string>`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')`

/** Columns of an entry, in the chain's spelling. */
const entryColumns = raw`org_id, seq, id, ${timeText(raw`at`)} as at, actor, action, target, outcome, before, after, address, trace_id, count, reason, mac, mac_key_id`

/** Locks the head of an organization's chain until the transaction ends. */
export async function lockHead(tx: Tx, orgId: string): Promise<Head> {
  const lock = async () =>
    (await raw<Head>`select seq, mac from audit_heads where org_id = ${orgId} for no key update`.execute(tx)).rows[0]
  const found = await lock()
  if (found) return found
  await raw`
    insert into audit_heads (org_id, seq, mac, mac_key_id) values (${orgId}, 0, decode(repeat('00', 32), 'hex'), '')
    on conflict (org_id) do nothing`.execute(tx)
  return present(await lock())
}

/**
 * Returns the time of the next entry by the database's clock. Never before the last entry's, so that the order by time is the
 * order of the chain even after the clock was set back. Only a last time near now counts: one forged far ahead would otherwise
 * shift all later entries. Separate from the locking statement, whose snapshot is older than the lock; so what is read `alongside` is
 * as it is under the lock.
 */
export async function nextTime<T = null>(
  tx: Tx,
  orgId: string,
  lastSeq: bigint,
  alongside: RawBuilder<T> = raw<T>`null`,
): Promise<{ at: string; found: T }> {
  const { rows } = await raw<{ at: string; found: T }>`
    select ${timeText(raw`greatest(clock_timestamp(), (
      select max(at) from audit_log
       where org_id = ${orgId} and seq = ${lastSeq} and at > now() - interval '1 hour' and at < now() + interval '1 hour'))`)} as at,
      ${alongside} as found`.execute(tx)
  return one(rows)
}

/** Inserts entries in one statement and moves the head to the last one. */
export async function appendEntries(tx: Tx, entries: readonly SealedEntry[]) {
  const last = lastOf(entries)
  const rows = entries.map((entry) => ({ ...entry, seq: entry.seq.toString(), mac: entry.mac.toString('hex') }))
  await raw`
    with added as (
      insert into audit_log (org_id, seq, id, at, actor, action, target, outcome, before, after, address, trace_id, count, reason, mac, mac_key_id)
      select org_id, seq, id, at, actor, action, target, outcome, before, after, address, trace_id, count, reason, decode(mac, 'hex'), mac_key_id
        from json_to_recordset(${JSON.stringify(rows)}) as entry (
          org_id uuid, seq bigint, id uuid, at timestamptz, actor jsonb, action text, target jsonb, outcome text, before jsonb,
          after jsonb, address text, trace_id text, count integer, reason text, mac text, mac_key_id text)
    )
    update audit_heads set seq = ${last.seq}, mac = ${last.mac}, mac_key_id = ${last.mac_key_id},
           handed_over_to = case when seq = 0 then ${last.mac_key_id} else handed_over_to end
     where org_id = ${last.org_id}`.execute(tx)
}

export interface AuditFilters {
  readonly action?: string | undefined
  readonly actor_id?: string | undefined
  readonly target_id?: string | undefined
  readonly outcome?: 'allowed' | 'denied' | undefined
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

export type EntryRow = Omit<AuditEntry, 'org_id'>

/** Timeout of a filtered scan: nothing may hold a snapshot for long. */
const maxPageMs = 4_500

const limitTime = (tx: Tx) => raw`select set_config('statement_timeout', ${String(maxPageMs)}, true)`.execute(tx)

export async function listEntries(
  tx: Tx,
  orgId: string,
  page: Parameters<typeof keysetPage>[2],
  filters: AuditFilters,
): Promise<EntryRow[]> {
  await limitTime(tx)
  let query = tx
    .selectFrom('audit_log')
    .select([
      'seq',
      'id',
      'actor',
      'action',
      'target',
      'outcome',
      'before',
      'after',
      'address',
      'trace_id',
      'count',
      'reason',
    ])
    .select(timeText(raw`at`).as('time'))
    .where('org_id', '=', orgId)
  if (filters.action !== undefined) query = query.where('action', '=', filters.action)
  if (filters.outcome !== undefined) query = query.where('outcome', '=', filters.outcome)
  if (filters.actor_id !== undefined) query = query.where(raw<boolean>`actor ->> 'id' = ${filters.actor_id}`)
  if (filters.target_id !== undefined) query = query.where(raw<boolean>`target ->> 'id' = ${filters.target_id}`)
  if (filters.from !== undefined) query = query.where('at', '>=', filters.from)
  if (filters.to !== undefined) query = query.where('at', '<', filters.to)
  const rows = await keysetPage(query, { sort: 'at', id: 'seq' }, page).execute()
  return rows.map(({ time, ...row }) => ({ ...row, at: time }) as unknown as EntryRow)
}

/** Reads entries of a window after a place, by time, in one short transaction. */
export function readWindowPage(
  sql: Sql,
  orgId: string,
  window: { from: Date; to: Date },
  after: AuditPosition | undefined,
  limit: number,
): Promise<SealedEntry[]> {
  return sql.asOrgs([orgId], async (tx) => {
    await limitTime(tx)
    const beyond = after ? raw`and (at, seq) > (${after.at}, ${after.seq})` : raw``
    const { rows } = await raw<SealedEntry>`
      select ${entryColumns} from audit_log
       where org_id = ${orgId} and at >= ${window.from} and at < ${window.to} ${beyond}
       order by audit_log.at, seq limit ${limit}`.execute(tx)
    return rows
  })
}

/** Finds the seal before an entry that is not the first, for callers without the earlier entry. */
export async function findSealBefore(sql: Sql, orgId: string, { seq, at }: AuditPosition): Promise<Buffer | undefined> {
  const { rows } = await sql.asOrgs([orgId], (tx) =>
    raw<{ mac: Buffer }>`
      select mac from audit_log where org_id = ${orgId} and seq = ${seq - 1n} and at <= ${at} limit 1`.execute(tx),
  )
  return rows[0]?.mac
}

/** Finds the seal of one entry, which the next one covers. */
export async function findSeal(sql: Sql, orgId: string, place: AuditPosition): Promise<Buffer | undefined> {
  const { rows } = await sql.asOrgs([orgId], (tx) =>
    raw<{
      mac: Buffer
    }>`select mac from audit_log where org_id = ${orgId} and seq = ${place.seq} and at = ${place.at}`.execute(tx),
  )
  return rows[0]?.mac
}

/**
 * Reads entries after a place in chain order, and the head, from one snapshot: an entry appended between two reads would make a
 * sound chain look broken. Ordered by sequence and time, since a forger may give two entries one number.
 */
export function readChainPage(
  sql: Sql,
  orgId: string,
  after: AuditPosition | undefined,
  limit: number,
): Promise<{ head: Head | undefined; entries: SealedEntry[] }> {
  return sql.asOrgs([orgId], async (tx) => {
    await limitTime(tx)
    const beyond = after ? raw`and (seq, at) > (${after.seq}, ${after.at})` : raw``
    const { rows } = await raw<SealedEntry & { head_seq: bigint | null; head_mac: Buffer | null }>`
      select head.seq as head_seq, head.mac as head_mac, entry.*
        from (select) as always
        left join audit_heads head on head.org_id = ${orgId}
        left join lateral (
          select ${entryColumns} from audit_log where org_id = ${orgId} ${beyond} order by seq, audit_log.at limit ${limit}
        ) as entry on true`.execute(tx)
    const { head_seq, head_mac } = one(rows)
    const head = head_seq === null || head_mac === null ? undefined : { seq: head_seq, mac: head_mac }
    return {
      head,
      entries: rows.filter(({ seq }) => seq !== null).map(({ head_seq: _seq, head_mac: _mac, ...entry }) => entry),
    }
  })
}

export interface HeadsPage {
  readonly at: string
  readonly lastOrg: string | undefined
  readonly heads: (Head & { readonly org_id: string })[]
}

/** Reads the heads of the next organizations by id, and the time at which they were current. */
export function readHeadsPage({ db }: Sql, afterOrg: string | undefined, limit: number): Promise<HeadsPage> {
  return db.transaction().execute(async (tx) => {
    await raw`select set_config('app.operator', 'on', true)`.execute(tx)
    const after = afterOrg === undefined ? raw`` : raw`where id > ${afterOrg}`
    const { rows: orgs } = await raw<{
      id: string
    }>`select id from orgs ${after} order by id limit ${limit}`.execute(tx)
    const ids = orgs.map(({ id }) => id)
    await raw`select set_config('app.orgs', ${ids.join(',')}, true)`.execute(tx)
    const { rows: heads } = await raw<Head & { org_id: string }>`
      select org_id, seq, mac from audit_heads where org_id = any (${ids}::uuid[]) and seq > 0 order by org_id`.execute(
      tx,
    )
    // Read after the heads: no entry below them is later than this.
    const { rows } = await raw<{ at: string }>`select ${timeText(raw`clock_timestamp()`)} as at`.execute(tx)
    return { at: one(rows).at, lastOrg: ids.at(-1), heads }
  })
}
