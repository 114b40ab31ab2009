import { sql as raw } from 'kysely'
import { type Caller, isPinned } from '../../access/identity/identity.ts'
import type { PageRequest } from '../../contract/lists.ts'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'
import type { ForeignKeyStatus } from './schema.ts'

export interface ForeignKeyRow {
  readonly id: string
  readonly key_id: string
  readonly name: string
  readonly owner_id: string | null
  readonly pins: Record<string, string>
  readonly status: ForeignKeyStatus
  readonly ends_at: Date
  readonly uses: bigint
  readonly last_used_at: Date | null
  readonly ended_at: Date | null
  readonly contested_at: Date | null
  readonly created_at: Date
}

/** Foreign keys with what is shown of their keys. */
const shownAt = (now: Date) => raw`
  select f.org_id, f.id, f.key_id, k.name, k.owner_id, k.pins, f.mac, f.ends_at, f.uses, f.last_used_at, f.ended_at, f.contested_at, f.created_at,
         case when k.revoked_at is not null then 'revoked' when f.ended_at is not null then 'ended'
              when least(f.ends_at, k.expires_at) <= ${now} then 'expired'
              when f.contested_at is not null and not f.held then 'contested' else 'active' end as status
    from foreign_keys f join api_keys k on k.org_id = f.org_id and k.id = f.key_id`

/** Finds those of an organization by the hashes that they may be kept as, with the hash that was found. */
export async function findByMacs(tx: Tx, orgId: string, macs: readonly Buffer[], now: Date) {
  const { rows } = await raw<ForeignKeyRow & { mac: Buffer }>`
    select * from (${shownAt(now)}) s where org_id = ${orgId} and mac = any (${macs}::bytea[])`.execute(tx)
  return rows
}

export async function findForeignKey(tx: Tx, orgId: string, id: string, now: Date): Promise<ForeignKeyRow | undefined> {
  const { rows } = await raw<ForeignKeyRow>`
    select * from (${shownAt(now)}) s where org_id = ${orgId} and id = ${id}`.execute(tx)
  return rows[0]
}

export async function countForeignKeys(tx: Tx, orgId: string): Promise<bigint> {
  const { rows } = await raw<{ count: bigint }>`
    select count(*) as count from foreign_keys where org_id = ${orgId}`.execute(tx)
  return one(rows).count
}

export interface NewForeignKey {
  readonly id: string
  readonly key_id: string
  readonly mac: Buffer
  readonly mac_key_id: string
  readonly ends_at: Date
  /** The contest in which it is a later claim; null for the first and only one. */
  readonly contest_id: string | null
}

export const insertForeignKeys = (tx: Tx, orgId: string, rows: readonly NewForeignKey[]) =>
  tx
    .insertInto('foreign_keys')
    .values(
      rows.map((row) => ({
        ...row,
        org_id: orgId,
        ...(row.contest_id !== null && { contested_at: raw<Date>`clock_timestamp()` }),
      })),
    )
    .execute()

/** The contest that a claim of a key enters, with the organizations whose claims it meets. */
export interface Contest {
  readonly contest: string
  readonly others: readonly string[]
}

/**
 * Finds which of some keys, each by the hashes that it may be kept as, other organizations have or had, and contests their claims; by the
 * keys' places. Others who claim them wait until the transaction ends.
 */
export async function contestClaims(
  tx: Tx,
  orgId: string,
  keys: readonly (readonly Buffer[])[],
): Promise<Map<number, Contest>> {
  const all = keys.flatMap((macs, number) => macs.map((mac) => ({ number, mac })))
  const { rows } = await raw<Contest & { number: number }>`
    select number, contest, others
      from contest_claims(${orgId}, ${all.map(({ number }) => number)}::integer[], ${all.map(({ mac }) => mac)}::bytea[])`.execute(
    tx,
  )
  return new Map(rows.map((row) => [row.number, row]))
}

/** A claim that an operator may decide on. */
export interface ContestedRow {
  readonly org_id: string
  readonly id: string
  readonly contest_id: string
  readonly held: boolean
  readonly uses: bigint
  readonly last_used_at: Date | null
  readonly contested_at: Date
  readonly created_at: Date
}

/** Lists the contested claims of all organizations that have not ended. */
export async function listContested(
  { db }: Sql,
  { limit, descending, after }: PageRequest<'contested_at'>,
): Promise<(ContestedRow & { sort_value: string })[]> {
  const order = raw.raw(descending ? 'desc' : 'asc')
  const { rows } = await raw<ContestedRow & { sort_value: string }>`
    select c.*, c.contested_at::text as sort_value
      from contested_foreign_keys(${descending}, ${after?.value ?? null}, ${after?.id ?? null}, ${limit + 1}) c
     order by c.contested_at ${order}, c.id ${order}`.execute(db)
  return rows
}

/** Decides for a contested claim; returns the claims of others, which end. */
export async function awardForeignKey(tx: Tx, orgId: string, id: string) {
  const { rows } = await raw<{ org_id: string; id: string }>`
    select ended_org_id as org_id, ended_id as id from award_foreign_key(${orgId}, ${id})`.execute(tx)
  return rows
}

/** Ends one, for good; repeating it has no effect. */
export async function endForeignKey(tx: Tx, orgId: string, id: string): Promise<boolean> {
  const { rows } = await raw`
    update foreign_keys set ended_at = clock_timestamp(), updated_at = clock_timestamp()
     where org_id = ${orgId} and id = ${id} and ended_at is null returning id`.execute(tx)
  return rows.length > 0
}

export interface ForeignUse {
  readonly org_id: string
  readonly id: string
  readonly count: number
  readonly at: string
  readonly mac: string | null
  readonly mac_key_id: string | null
}

/** Adds uses, in the order of the key, so that concurrent processes wait for each other without a deadlock. */
export async function addUses(tx: Tx, rows: readonly ForeignUse[]) {
  await raw`
    with used as (
      select f.org_id, f.id, r.count, r.at, r.mac, r.mac_key_id
        from json_to_recordset(${JSON.stringify(rows)}) as r (org_id uuid, id uuid, count bigint, at timestamptz, mac text, mac_key_id text)
        join foreign_keys f on f.org_id = r.org_id and f.id = r.id
       order by f.org_id, f.id for no key update of f)
    update foreign_keys f
       set uses = f.uses + u.count, last_used_at = greatest(f.last_used_at, u.at),
           mac = coalesce(decode(u.mac, 'hex'), f.mac), mac_key_id = coalesce(u.mac_key_id, f.mac_key_id)
      from used u where f.org_id = u.org_id and f.id = u.id`.execute(tx)
}

interface Wanted {
  readonly status: ForeignKeyStatus | undefined
  readonly keyId: string | undefined
  readonly ownerId: string | undefined
  readonly usedSince: string | undefined
  readonly pins: Caller['pins']
}

export async function listForeignKeys(
  tx: Tx,
  orgId: string,
  { limit, descending, after }: PageRequest<'created_at'>,
  { status, keyId, ownerId, usedSince, pins }: Wanted,
  now: Date,
) {
  const order = descending ? raw`desc` : raw`asc`
  const beyond = after
    ? raw`(created_at, id) ${descending ? raw`<` : raw`>`} (${after.value}::timestamptz, ${after.id}::uuid)`
    : raw`true`
  const filters = [
    status === undefined ? raw`true` : raw`status = ${status}`,
    keyId === undefined ? raw`true` : raw`key_id = ${keyId}`,
    ownerId === undefined ? raw`true` : raw`owner_id = ${ownerId}`,
    usedSince === undefined ? raw`true` : raw`last_used_at >= ${usedSince}::timestamptz`,
    isPinned({ pins }) ? raw`pins @> ${JSON.stringify(pins)}::jsonb` : raw`true`,
  ]
  const { rows } = await raw<ForeignKeyRow & { sort_value: string }>`
    select s.*, created_at::text as sort_value from (${shownAt(now)}) s
     where org_id = ${orgId} and ${raw.join(filters, raw` and `)} and ${beyond}
     order by created_at ${order}, id ${order} limit ${limit + 1}`.execute(tx)
  return rows
}
