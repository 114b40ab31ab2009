import { sql as raw } from 'kysely'
import type { SessionWay } from '../../access/identity/identity.ts'
import type { PageRequest } from '../../contract/lists.ts'
import type { Role } from '../../contract/routes.ts'
import { keysetPage } from '../../platform/infra/keyset.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import type { SessionStatus } from './schema.ts'

const visible = [
  'org_id',
  'id',
  'key_id',
  'grant_id',
  'member_id',
  raw<SessionWay>`way`.as('way'),
  'connection_id',
  'address',
  'user_agent',
  'idle_seconds',
  'last_used_at',
  'expires_at',
  'revoked_at',
  'created_at',
] as const

interface NewSession {
  readonly id: string
  readonly key_id: string | null
  readonly grant_id: string | null
  readonly member_id: string | null
  readonly way: SessionWay
  readonly connection_id: string | null
  readonly digest: Buffer
  readonly address: string
  readonly user_agent: string
  readonly idle_seconds: number
  readonly maxSeconds: number
}

export const insertSession = (tx: Tx, orgId: string, { maxSeconds, ...session }: NewSession) =>
  tx
    .insertInto('sessions')
    .values({
      ...session,
      org_id: orgId,
      expires_at: raw`clock_timestamp() + make_interval(secs => ${maxSeconds})`,
    })
    .returning(visible)
    .executeTakeFirstOrThrow()

export type SessionRow = Awaited<ReturnType<typeof insertSession>>

/** The key, grant or member as which a session acts; spelled as in the indexes. */
const owner = raw<string>`coalesce(key_id, grant_id, member_id)`
const isOf = (ownerIds: readonly string[]) => raw<boolean>`${owner} = any (${ownerIds}::uuid[])`
const idleEnd = raw<Date>`last_used_at + make_interval(secs => idle_seconds)`
const inStatus = (status: SessionStatus, now: Date) =>
  ({
    revoked: raw<boolean>`revoked_at is not null`,
    expired: raw<boolean>`revoked_at is null and least(expires_at, ${idleEnd}) <= ${now}`,
    active: raw<boolean>`revoked_at is null and least(expires_at, ${idleEnd}) > ${now}`,
  })[status]

/**
 * Ends the oldest live sessions of an owner beyond the newest, and forgets the oldest ended ones; returns the ids of those that end now. One
 * look at an owner's sessions serves both.
 */
export async function endOldest(
  tx: Tx,
  orgId: string,
  ownerId: string,
  { live, ended }: { readonly live: number; readonly ended: number },
  now: Date,
): Promise<string[]> {
  const { rows } = await raw<{ id: string }>`
    with known as materialized (
      select id, is_live, row_number() over (partition by is_live order by created_at desc, id desc) as age from (
        select id, created_at, ${inStatus('active', now)} as is_live from sessions
         where org_id = ${orgId} and ${owner} = ${ownerId}::uuid) as own),
    forgotten as (
      delete from sessions where org_id = ${orgId} and id in (select id from known where not is_live and age > ${ended}))
    update sessions set revoked_at = clock_timestamp()
     where org_id = ${orgId} and id in (select id from known where is_live and age > ${live})
    returning id`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Deletes the links of an owner. */
export async function deleteLinksOf(tx: Tx, orgId: string, ownerIds: readonly string[]) {
  await raw`delete from sign_in_links where org_id = ${orgId} and ${isOf(ownerIds)}`.execute(tx)
}

export async function listSessions(
  tx: Tx,
  orgId: string,
  page: PageRequest<'created_at'>,
  { ownerIds, status }: { ownerIds?: readonly string[] | undefined; status?: SessionStatus | undefined },
  now: Date,
) {
  let query = tx
    .selectFrom('sessions')
    .select([...visible, raw<string>`created_at::text`.as('sort_value')])
    .where('org_id', '=', orgId)
  if (ownerIds !== undefined) query = query.where(isOf(ownerIds))
  if (status !== undefined) query = query.where(inStatus(status, now))
  return keysetPage(query, { sort: page.sort, id: 'id' }, page).execute()
}

export const findSession = (tx: Tx, orgId: string, id: string): Promise<SessionRow | undefined> =>
  tx.selectFrom('sessions').select(visible).where('org_id', '=', orgId).where('id', '=', id).executeTakeFirst()

/** Locks a session until the transaction ends. */
export const lockSession = (tx: Tx, orgId: string, id: string): Promise<SessionRow | undefined> =>
  tx
    .selectFrom('sessions')
    .select(visible)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export const revokeSession = (tx: Tx, orgId: string, id: string): Promise<SessionRow> =>
  tx
    .updateTable('sessions')
    .set({ revoked_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(visible)
    .executeTakeFirstOrThrow()

/**
 * Revokes the sessions of owners, of a connection, or of both that are not over; returns their ids. Those that seem idle are among them: they
 * may have been used on another process just now.
 */
export async function revokeSessions(
  tx: Tx,
  orgId: string,
  { ownerIds, connectionId }: { ownerIds?: readonly string[] | undefined; connectionId?: string | undefined },
  now: Date,
): Promise<string[]> {
  let update = tx
    .updateTable('sessions')
    .set({ revoked_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
  if (ownerIds !== undefined) update = update.where(isOf(ownerIds))
  if (connectionId !== undefined) update = update.where('connection_id', '=', connectionId)
  const rows = await update.returning('id').execute()
  return rows.map(({ id }) => id)
}

/** Returns the role of a member. */
export async function roleOfMember(tx: Tx, orgId: string, id: string): Promise<Role | undefined> {
  const query = tx.selectFrom('memberships').select(raw<Role>`role`.as('role')).where('org_id', '=', orgId)
  return (await query.where('id', '=', id).executeTakeFirst())?.role
}

interface NewLink {
  readonly id: string
  readonly key_id: string | null
  readonly grant_id: string | null
  readonly member_id: string | null
  readonly digest: Buffer
  readonly seconds: number
}

/** Stores a link, and forgets the oldest of its owner beyond the newest. */
export async function insertLink(tx: Tx, orgId: string, { seconds, ...link }: NewLink, keep: number): Promise<Date> {
  const { expires_at } = await tx
    .insertInto('sign_in_links')
    .values({ ...link, org_id: orgId, expires_at: raw`clock_timestamp() + make_interval(secs => ${seconds})` })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  await raw`
    delete from sign_in_links where org_id = ${orgId} and id in (
      select id from sign_in_links where org_id = ${orgId} and ${owner} = ${link.key_id ?? link.grant_id ?? link.member_id}::uuid
       order by created_at desc, id desc offset ${keep})`.execute(tx)
  return expires_at
}
