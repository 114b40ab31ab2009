import { hash } from 'node:crypto'
import { approvalViews, findApproval } from '../governance/approvals/approvals.ts'
import type { Platform } from '../platform/infra/platform.ts'
import { repeat } from '../platform/infra/repeat.ts'
import type { Tx } from '../platform/infra/sql.ts'
import { newUuid, parseId } from '../values/id.ts'
import { present } from '../values/present.ts'
import { type EventFollower, namesIn, openOutbound } from '../webhooks/webhooks.ts'
import { findApp } from './app-queries.ts'
import {
  leaseApps,
  type MessageRow,
  noteApprovals,
  noteFailure,
  noteFault,
  notePosting,
  noteShown,
  readDueMessages,
  releaseApp,
  renewLease,
} from './message-queries.ts'
import { isInUse, messageOf, type SlackMessage, withoutPreviews } from './messages.ts'
import { createSlackSecrets } from './secrets.ts'
import { createSlackClient, type SlackAnswer } from './web-api.ts'

const pollEveryMs = 250
const appsAtOnce = 20
/** Messages of one app per lease: the next one is another app's turn. */
const messagesAtOnce = 20
/** The lease time beyond the timeout of an attempt, for the work before and after it. */
const leaseReserveSeconds = 5
/** Pause between looks at a grant, whose use is no event. */
const lookAgainSeconds = 60
const firstPauseSeconds = 2
const longestPauseSeconds = 900
const longestWaitSeconds = 3_600
const maxAttempts = 100

/** Follows the events of approvals: each makes their message due. */
export const followApprovals: EventFollower = async (tx, events) => {
  const ofApprovals = events.filter(({ kind }) => kind.startsWith('approval.'))
  const keysOf = (isCreated: boolean) =>
    ofApprovals
      .filter(({ kind }) => (kind === 'approval.requested') === isCreated)
      .flatMap(({ org_id: orgId, subject }) => {
        const approvalId = parseId('approval', subject)
        return approvalId === undefined ? [] : [{ orgId, approvalId }]
      })
  if (ofApprovals.length > 0) await noteApprovals(tx, keysOf(true), keysOf(false))
}

/**
 * Keeps the messages about approvals as these are, until it is closed. A message is sent by one process at a time, and shows the approval
 * as it is when it is sent, so that nothing depends on the order of events.
 */
export function startSlackMessages(platform: Platform) {
  const { sql, config, clock, log, addresses, version } = platform
  const outbound = openOutbound(config)
  const slack = createSlackClient(outbound, config, version, () => clock.now().getTime())
  const secrets = createSlackSecrets(config)
  const leaseSeconds = config.webhookTimeoutSeconds + leaseReserveSeconds

  /** Returns a message as it should be; undefined where the approval is no longer stored. */
  async function wantedMessage(tx: Tx, orgId: string, approvalId: string) {
    const row = await findApproval(tx, orgId, approvalId)
    const [approval] = row ? await approvalViews(tx, orgId, [row]) : []
    if (!approval) return undefined
    const now = clock.now()
    const names = await namesIn(tx, orgId, [JSON.stringify([approval.requested_by, approval.decided_by])])
    const message = messageOf(approval, { publicUrl: addresses.publicUrl(), names, now })
    return { message, isOpen: approval.status === 'pending', isLasting: isInUse(approval, now) }
  }

  function send(row: MessageRow, message: SlackMessage, { token, channel }: { token: string; channel: string }) {
    const body = { ...message, ...withoutPreviews }
    return row.ts === null
      ? slack.call('chat.postMessage', token, { channel, ...body })
      : slack.call('chat.update', token, { channel: row.channel, ts: row.ts, ...message })
  }

  /** Brings one message up to date. Returns the pause that the whole app needs then. */
  async function show(orgId: string, row: MessageRow, app: { token: string; channel: string }): Promise<number> {
    const key = { orgId, approvalId: row.approval_id }
    const inOrg = <T>(work: (tx: Tx) => Promise<T>) => sql.asOrgs([orgId], work)
    const wanted = await inOrg(async (tx) => {
      const found = await wantedMessage(tx, orgId, row.approval_id)
      if (found && row.ts === null) await notePosting(tx, key)
      return found
    })
    // Nobody needs to be told of what was decided before they could be asked.
    const isNeedless = row.ts === null && row.posted_at === null && wanted?.isOpen !== true
    if (!wanted || isNeedless) {
      await inOrg((tx) => noteFailure(tx, key, row, null))
      return 0
    }
    const shown = hash('sha256', JSON.stringify(wanted.message), 'buffer')
    const again = wanted.isLasting ? lookAgainSeconds : null
    if (row.ts !== null && row.channel !== null && row.shown?.equals(shown)) {
      const { channel, ts } = row
      await inOrg((tx) => noteShown(tx, key, row, { channel, ts, shown }, again))
      return 0
    }
    const answer = await send(row, wanted.message, app)
    return inOrg((tx) => record(tx, key, row, answer, { shown, again }))
  }

  async function record(
    tx: Tx,
    key: { orgId: string; approvalId: string },
    row: MessageRow,
    answer: SlackAnswer,
    { shown, again }: { shown: Buffer; again: number | null },
  ): Promise<number> {
    if (answer.ok) {
      const { channel, ts } = answer.body
      const at = { channel: row.channel ?? String(channel), ts: row.ts ?? String(ts) }
      await noteShown(tx, key, row, { ...at, shown }, again)
      await noteFault(tx, key.orgId, null)
      return 0
    }
    const isLost = row.ts !== null && gone.has(answer.fault)
    const pause = Math.min(longestPauseSeconds, firstPauseSeconds * 2 ** Math.min(row.attempts, 20))
    const isLast = isLost || row.attempts + 1 >= maxAttempts
    await noteFailure(tx, key, row, isLast ? null : Math.max(pause, Math.min(answer.waitSeconds, longestWaitSeconds)))
    if (!isLost) await noteFault(tx, key.orgId, answer.fault)
    log.info({ org_id: key.orgId, fault: answer.fault }, 'Slack did not take a message')
    // A wrong channel is the matter of one message, all else that of the app.
    if (isLost) return 0
    return answer.waitSeconds > 0 ? Math.min(answer.waitSeconds, longestWaitSeconds) : Math.min(pause, 60)
  }

  async function serve(orgId: string, lease: string, closed: AbortSignal) {
    let pause = 0
    try {
      const { app, rows } = await sql.asOrgs([orgId], async (tx) => ({
        app: present(await findApp(tx, orgId)),
        rows: await readDueMessages(tx, orgId, messagesAtOnce),
      }))
      const token = secrets.unsealSecret(orgId, 'bot token', app.sealed_bot_token)
      for (const row of rows) {
        // A process that was held up for long must not send what another one has sent meanwhile.
        const isHeld = await sql.asOrgs([orgId], (tx) => renewLease(tx, orgId, lease, leaseSeconds))
        if (!isHeld || pause > 0 || closed.aborted) break
        pause = await show(orgId, row, { token, channel: app.channel })
      }
    } catch (error) {
      log.warn({ error, org_id: orgId }, 'messages to Slack could not be sent and will be retried')
      pause = firstPauseSeconds
    }
    await sql.asOrgs([orgId], (tx) => releaseApp(tx, orgId, lease, pause))
  }

  const busy = new Set<Promise<void>>()

  async function serveDue(closed: AbortSignal) {
    const lease = newUuid()
    for (const orgId of await leaseApps(sql, lease, leaseSeconds, appsAtOnce - busy.size)) {
      const served = serve(orgId, lease, closed)
        .catch((error: unknown) =>
          log.warn({ error, org_id: orgId }, 'a Slack app was not given back; its lease ends by itself'),
        )
        .finally(() => busy.delete(served))
      busy.add(served)
    }
  }

  const serving = repeat(serveDue, {
    everyMs: pollEveryMs,
    onError: (error) => log.warn({ error }, 'looking for messages to Slack failed and will be retried'),
  })
  return {
    close: async () => {
      await serving.close()
      await Promise.all(busy)
      await outbound.close()
    },
  }
}

/** Answers to an update after which there is no message to update. */
const gone = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed', 'channel_not_found'])
