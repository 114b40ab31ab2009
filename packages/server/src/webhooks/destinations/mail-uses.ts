import type { Config } from '../../config.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { lockUses, recordUses } from './mail-use-queries.ts'

/**
 * Limits on mail, per hour of the clock: messages to one destination, and mails of an organization to all recipients. Everything counts:
 * deliveries, tests, replays, digests and codes. Whoever opens the uses of an organization keeps others from it until the transaction ends,
 * and opens them before anything else that workers lock: queues, intervals of digests.
 */

/** Sender of mail: a subscription, or the organization by itself. */
export interface MailUser {
  readonly orgId: string
  readonly subscriptionId?: string
}

export interface OpenMailUses {
  /** Counts a message to a number of recipients; false, and nothing is counted, where a limit is reached. */
  readonly take: (user: MailUser, recipients: number) => boolean
  /** Takes back what was counted for a message that is not sent. */
  readonly giveBack: (user: MailUser, recipients: number) => void
  readonly save: () => Promise<void>
}

export type MailLimits = Pick<Config, 'mailsPerDestination' | 'mailsPerOrg'>

const unused: OpenMailUses = { take: () => false, giveBack: () => undefined, save: () => Promise.resolve() }

export async function openMailUses(
  tx: Tx,
  { mailsPerDestination, mailsPerOrg }: MailLimits,
  users: readonly MailUser[],
): Promise<OpenMailUses> {
  if (users.length === 0) return unused
  const subjects = users.flatMap(({ orgId, subscriptionId }) =>
    [orgId, subscriptionId].filter((subject) => subject !== undefined).map((subject) => ({ orgId, subject })),
  )
  const unique = [...new Map(subjects.map((one) => [one.subject, one])).values()]
  const used = new Map((await lockUses(tx, unique)).map((row) => [row.subject, { ...row, orgId: row.org_id }]))
  const changed = new Set<string>()
  const add = (subject: string, most: number) => {
    const row = used.get(subject)
    if (row) row.used += most
    changed.add(subject)
  }
  const hasRoom = (subject: string, most: number, limit: number) => (used.get(subject)?.used ?? limit) + most <= limit
  const count = ({ orgId, subscriptionId }: MailUser, messages: number, recipients: number) => {
    if (subscriptionId !== undefined) add(subscriptionId, messages)
    add(orgId, recipients)
  }
  return {
    take: (user, recipients) => {
      const { orgId, subscriptionId } = user
      const isFree =
        hasRoom(orgId, recipients, mailsPerOrg) &&
        (subscriptionId === undefined || hasRoom(subscriptionId, 1, mailsPerDestination))
      if (isFree) count(user, 1, recipients)
      return isFree
    },
    giveBack: (user, recipients) => count(user, -1, -recipients),
    save: async () => {
      const rows = [...used.values()].filter(({ subject }) => changed.has(subject))
      if (rows.length > 0) await recordUses(tx, rows)
    },
  }
}

const hourMs = 3_600_000

/** Returns the seconds until the limits on mail begin anew. */
export const secondsUntilNextHour = (now: Date): number =>
  Math.max(1, Math.ceil((hourMs - (now.getTime() % hourMs)) / 1_000))
