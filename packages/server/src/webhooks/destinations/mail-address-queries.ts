import { sql as raw } from 'kysely'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'

/** The most mails with a code that an address gets from an organization, and the least time between two. */
const maxMails = 3
const between = '1 day'
const codeLifetime = '7 days'

/** Has a code sent to addresses that have none yet, or had one too long ago; an address that ignores them hears no more. */
export async function wantCodes(tx: Tx, orgId: string, addresses: readonly string[]) {
  await raw`
    insert into mail_addresses as m (org_id, address, due_at)
    select ${orgId}::uuid, address, clock_timestamp() from unnest(${addresses}::text[]) as a (address) order by address
    on conflict (org_id, address) do update
       set due_at = case when m.confirmed_at is null and m.mails < ${maxMails} and (m.mailed_at is null or m.mailed_at < clock_timestamp() - ${between}::interval)
                         then coalesce(m.due_at, clock_timestamp()) else m.due_at end`.execute(tx)
}

/** Counts the addresses of an organization whose owners have not confirmed. */
export async function countUnconfirmed(tx: Tx, orgId: string): Promise<number> {
  const { rows } = await raw<{ count: number }>`
    select count(*)::integer as count from mail_addresses where org_id = ${orgId} and confirmed_at is null`.execute(tx)
  return one(rows).count
}

export interface ConfirmedRow {
  readonly address: string
  readonly confirmed_at: Date
}

/** Uses a code up; undefined for one that is none, was used, or is too old. */
export async function takeCode(tx: Tx, orgId: string, digest: Buffer): Promise<ConfirmedRow | undefined> {
  const { rows } = await raw<ConfirmedRow>`
    update mail_addresses set confirmed_at = clock_timestamp(), code_digest = null, due_at = null
     where org_id = ${orgId} and code_digest = ${digest} and mailed_at > clock_timestamp() - ${codeLifetime}::interval
    returning address, confirmed_at`.execute(tx)
  return rows[0]
}

export const orgsWithDueCodes = async ({ db }: Sql, most: number): Promise<string[]> =>
  (await raw<{ id: string }>`select id from orgs_with_due_mail_codes(${most}) as id`.execute(db)).rows.map(
    ({ id }) => id,
  )

/** Locks addresses that wait for a mail with a code; another worker takes others. */
export async function lockDueAddresses(tx: Tx, orgId: string, most: number): Promise<string[]> {
  const { rows } = await raw<{ address: string }>`
    select address from mail_addresses where org_id = ${orgId} and due_at <= clock_timestamp()
     order by address limit ${most} for update skip locked`.execute(tx)
  return rows.map(({ address }) => address)
}

/** Records that a code is sent. The code itself is kept by nobody. */
export async function recordCode(tx: Tx, orgId: string, address: string, digest: Buffer) {
  await raw`
    update mail_addresses set code_digest = ${digest}, mailed_at = clock_timestamp(), mails = mails + 1, due_at = null
     where org_id = ${orgId} and address = ${address}`.execute(tx)
}

/** Has a code sent again later whose mail failed, as often as an address may get one. A mail that was surely not sent does not count. */
export async function sendCodeLater(
  tx: Tx,
  orgId: string,
  address: string,
  { seconds, isUnsent }: { readonly seconds: number; readonly isUnsent: boolean },
) {
  const mails = raw`mails - ${isUnsent ? 1 : 0}::integer`
  await raw`
    update mail_addresses set due_at = clock_timestamp() + make_interval(secs => ${seconds}), mails = ${mails}
     where org_id = ${orgId} and address = ${address} and confirmed_at is null and ${mails} < ${maxMails}`.execute(tx)
}
