import { sql as raw } from 'kysely'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'

/** Returns the organization of an enabled connection. */
export const orgOfConnection = async ({ db }: Sql, id: string): Promise<string | undefined> =>
  one((await raw<{ org_id: string | null }>`select org_of_sso_connection(${id}) as org_id`.execute(db)).rows).org_id ??
  undefined

/** Puts on record that a sign-in of a connection was answered; false when it was before. */
export async function insertAnswer(tx: Tx, orgId: string, connectionId: string, stateDigest: Buffer, expiresAt: Date) {
  const { numAffectedRows } = await raw`
    insert into sso_answers (org_id, connection_id, state_digest, expires_at)
    values (${orgId}, ${connectionId}, ${stateDigest}, ${expiresAt})
    on conflict do nothing`.execute(tx)
  return numAffectedRows === 1n
}

/** Keeps the answer to a sign-in until its browser comes for it. */
export async function setAnswer(
  tx: Tx,
  orgId: string,
  connectionId: string,
  stateDigest: Buffer,
  finishDigest: Buffer,
  answer: object,
) {
  await raw`
    update sso_answers set answer = ${JSON.stringify(answer)}::jsonb, finish_digest = ${finishDigest}
     where org_id = ${orgId} and connection_id = ${connectionId} and state_digest = ${stateDigest}`.execute(tx)
}

/** Takes the answer to a sign-in, of the browser that began it and brought the answer: whoever comes second finds none. */
export async function takeAnswer(
  tx: Tx,
  orgId: string,
  connectionId: string,
  stateDigest: Buffer,
  finishDigest: Buffer,
): Promise<unknown> {
  const { rows } = await raw<{ answer: unknown }>`
    with kept as (
      select answer from sso_answers
       where org_id = ${orgId} and connection_id = ${connectionId} and state_digest = ${stateDigest}
         and finish_digest = ${finishDigest} for update)
    update sso_answers set answer = null, finish_digest = null from kept
     where org_id = ${orgId} and connection_id = ${connectionId} and state_digest = ${stateDigest}
    returning kept.answer`.execute(tx)
  return rows[0]?.answer
}

/** Returns the member whom a provider calls so, and locks the identity. */
export async function lockIdentity(tx: Tx, orgId: string, connectionId: string, subject: string) {
  const { rows } = await raw<{ member_id: string }>`
    select member_id from sso_identities
     where org_id = ${orgId} and connection_id = ${connectionId} and subject = ${subject} for update`.execute(tx)
  return rows[0]?.member_id
}

/** Remembers a wish to end sessions; false for one that was known. */
export async function rememberLogout(tx: Tx, orgId: string, connectionId: string, digest: Buffer, seconds: number) {
  const { numAffectedRows } = await raw`
    insert into sso_logouts (org_id, connection_id, digest, expires_at)
    values (${orgId}, ${connectionId}, ${digest}, clock_timestamp() + make_interval(secs => ${seconds}::integer))
    on conflict do nothing`.execute(tx)
  return numAffectedRows === 1n
}

/** Makes a member the one whom a provider calls so. */
export async function setIdentity(tx: Tx, orgId: string, connectionId: string, subject: string, memberId: string) {
  await raw`
    insert into sso_identities (org_id, connection_id, subject, member_id)
    values (${orgId}, ${connectionId}, ${subject}, ${memberId})
    on conflict (org_id, connection_id, subject)
    do update set member_id = excluded.member_id, last_used_at = clock_timestamp()`.execute(tx)
}

/** True when a provider knows a member by some name. */
export async function hasIdentity(tx: Tx, orgId: string, connectionId: string, memberId: string): Promise<boolean> {
  const { rows } = await raw`
    select from sso_identities
     where org_id = ${orgId} and connection_id = ${connectionId} and member_id = ${memberId}`.execute(tx)
  return rows.length > 0
}

/** True while nobody has come as a member: an invitation is open, or a directory made them and no provider and no session knows them. */
export async function isWaiting(tx: Tx, orgId: string, memberId: string): Promise<boolean> {
  const { rows } = await raw`
    select from memberships m
     where m.org_id = ${orgId} and m.id = ${memberId} and (m.accepted_at is null or (
           num_nonnulls(m.user_name, m.external_id) > 0 and num_nonnulls(m.invited_by_key, m.invited_by_member) = 0
       and not exists (select from sso_identities i where i.org_id = m.org_id and i.member_id = m.id)
       and not exists (select from sessions s
                        where s.org_id = m.org_id and coalesce(s.key_id, s.grant_id, s.member_id) = m.id)))`.execute(tx)
  return rows.length > 0
}
