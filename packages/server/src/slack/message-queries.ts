import { sql as raw } from 'kysely'
import type { Sql, Tx } from '../platform/infra/sql.ts'

export interface MessageKey {
  readonly orgId: string
  readonly approvalId: string
}

/** Notes that approvals may have come to look otherwise. One that is new gets a message where the app of its organization is on. */
export async function noteApprovals(tx: Tx, created: readonly MessageKey[], changed: readonly MessageKey[]) {
  const columnsOf = (keys: readonly MessageKey[]) => [
    keys.map(({ orgId }) => orgId),
    keys.map(({ approvalId }) => approvalId),
  ]
  const [newOrgs, newIds] = columnsOf(created)
  const [orgs, ids] = columnsOf([...created, ...changed])
  if (created.length > 0)
    await raw`
      insert into slack_messages (org_id, approval_id, due_at)
      select a.org_id, n.id, clock_timestamp() from unnest(${newOrgs}::uuid[], ${newIds}::uuid[]) as n (org_id, id)
        join slack_apps a on a.org_id = n.org_id and a.enabled
      on conflict do nothing`.execute(tx)
  await raw`
    update slack_messages m set revision = revision + 1, attempts = 0, due_at = clock_timestamp(), updated_at = clock_timestamp()
      from unnest(${orgs}::uuid[], ${ids}::uuid[]) as n (org_id, id) where m.org_id = n.org_id and m.approval_id = n.id`.execute(
    tx,
  )
  await raw`
    update slack_apps a set due_at = clock_timestamp()
      from (select org_id from slack_apps where org_id = any (${orgs}::uuid[]) order by org_id for update) n
     where a.org_id = n.org_id`.execute(tx)
}

/** Leases the apps that have messages to send, so that no other process works on them meanwhile. */
export async function leaseApps({ db }: Sql, lease: string, seconds: number, most: number): Promise<string[]> {
  const { rows } = await raw<{ id: string }>`
    select take_slack_apps as id from take_slack_apps(${lease}, make_interval(secs => ${seconds}), ${most})`.execute(db)
  return rows.map(({ id }) => id)
}

/** Gives an app back: it is looked at again when its next message is due, and not before a pause is over. */
export async function releaseApp(tx: Tx, orgId: string, lease: string, pauseSeconds: number) {
  // Whoever notes an approval locks the app too, so its message is seen here, or its note comes after.
  const { rows } =
    await raw`select from slack_apps where org_id = ${orgId} and leased_by = ${lease} for update`.execute(tx)
  if (rows.length === 0) return
  await raw`
    update slack_apps set leased_by = null, leased_until = clock_timestamp() + make_interval(secs => ${pauseSeconds}),
           due_at = coalesce((select min(due_at) from slack_messages where org_id = ${orgId} and due_at is not null), 'infinity')
     where org_id = ${orgId}`.execute(tx)
}

/** True while a lease is held; it then lasts so long from now. */
export async function renewLease(tx: Tx, orgId: string, lease: string, seconds: number): Promise<boolean> {
  const { rows } = await raw`
    update slack_apps set leased_until = clock_timestamp() + make_interval(secs => ${seconds})
     where org_id = ${orgId} and leased_by = ${lease} and enabled returning org_id`.execute(tx)
  return rows.length > 0
}

const columns = ['approval_id', 'posted_at', 'channel', 'ts', 'shown', 'revision', 'attempts'] as const

export const readDueMessages = (tx: Tx, orgId: string, most: number) =>
  tx
    .selectFrom('slack_messages')
    .select(columns)
    .where('org_id', '=', orgId)
    .where('due_at', '<=', raw<Date>`clock_timestamp()`)
    .orderBy('due_at')
    .limit(most)
    .execute()

export type MessageRow = Awaited<ReturnType<typeof readDueMessages>>[number]

export const findMessage = (tx: Tx, { orgId, approvalId }: MessageKey): Promise<MessageRow | undefined> =>
  tx
    .selectFrom('slack_messages')
    .select(columns)
    .where('org_id', '=', orgId)
    .where('approval_id', '=', approvalId)
    .executeTakeFirst()

const messageAt = (tx: Tx, { orgId, approvalId }: MessageKey) =>
  tx.updateTable('slack_messages').where('org_id', '=', orgId).where('approval_id', '=', approvalId)

/** Notes that a message is about to be posted. */
export async function notePosting(tx: Tx, key: MessageKey) {
  await messageAt(tx, key).set({ posted_at: raw`coalesce(posted_at, clock_timestamp())` }).execute()
}

export interface Shown {
  readonly channel: string
  readonly ts: string
  readonly shown: Buffer
}

/** Notes what a message shows now. It is due again after a pause, or with what has happened meanwhile; null for never. */
export async function noteShown(tx: Tx, key: MessageKey, sent: MessageRow, now: Shown, againSeconds: number | null) {
  await messageAt(tx, key)
    .set({
      ...now,
      attempts: 0,
      due_at: raw`case when revision > ${sent.revision} then clock_timestamp()
                       else clock_timestamp() + make_interval(secs => ${againSeconds}::double precision) end`,
      updated_at: raw`clock_timestamp()`,
    })
    .execute()
}

/** Notes a failed attempt. Without a pause there is no other one, unless something has happened meanwhile. */
export async function noteFailure(tx: Tx, key: MessageKey, sent: MessageRow, againSeconds: number | null) {
  await messageAt(tx, key)
    .set({
      attempts: raw`attempts + 1`,
      due_at: raw`case when revision > ${sent.revision} then clock_timestamp()
                       else clock_timestamp() + make_interval(secs => ${againSeconds}::double precision) end`,
      updated_at: raw`clock_timestamp()`,
    })
    .execute()
}

/** Takes a message that was pressed for the one whose posting was never answered. */
export async function adoptMessage(tx: Tx, key: MessageKey, at: Pick<Shown, 'channel' | 'ts'>) {
  await messageAt(tx, key)
    .where('ts', 'is', null)
    .set({ ...at, due_at: raw`clock_timestamp()`, updated_at: raw`clock_timestamp()` })
    .execute()
}

/** Sets what Slack refuses, so that whoever looks at the app sees it; null once it has taken something. */
export async function noteFault(tx: Tx, orgId: string, fault: string | null) {
  await tx
    .updateTable('slack_apps')
    .set({ fault })
    .where('org_id', '=', orgId)
    .where(raw<boolean>`fault is distinct from ${fault}`)
    .execute()
}
