import type { FastifyRequest } from 'fastify'
import { type Attempts, actorOf, type PageChange } from '../access/changes/changes.ts'
import { type Caller, hasScopeAndRole, type Identification } from '../access/identity/identity.ts'
import { ApiError } from '../contract/errors.ts'
import {
  type ApprovalView,
  approvalViews,
  approve,
  type Decider,
  deny,
  findApproval,
} from '../governance/approvals/approvals.ts'
import type { Platform } from '../platform/infra/platform.ts'
import type { Tx } from '../platform/infra/sql.ts'
import type { RequestRates } from '../tenants/rate-limits/rate-limits.ts'
import { parseId } from '../values/id.ts'
import { present } from '../values/present.ts'
import { recordIn } from '../values/records.ts'
import { namesIn, plainText, slackEscaped } from '../webhooks/webhooks.ts'
import { findApp } from './app-queries.ts'
import { findLinkOfUser, holdLink, type SlackLinkRow } from './link-queries.ts'
import { type KnownUser, linkPath, offerLink } from './links.ts'
import { adoptMessage, findMessage } from './message-queries.ts'
import { approvalPath, grantOf, messageOf } from './messages.ts'
import type { Press } from './pressed.ts'
import type { SlackSecrets } from './secrets.ts'
import type { SlackClient } from './web-api.ts'

export interface PressHooks {
  readonly attempts: Attempts
  readonly identification: Identification
  readonly pageChange: PageChange
  readonly rates: RequestRates
}

interface PressTools {
  readonly platform: Platform
  readonly hooks: PressHooks
  readonly slack: SlackClient
  readonly secrets: SlackSecrets
}

/** Answer to whoever has pressed: text of Slack's markup, which nobody else sees. */
type Answer = string | undefined

const maxNameLength = 80

/** Creates what becomes of a press, once it is known to come from Slack. */
export function createPresses({ platform, hooks, slack, secrets }: PressTools) {
  const { sql, clock, addresses, log } = platform
  const { attempts, identification, pageChange, rates } = hooks
  const pageOf = (path: string, words: string) => `<${slackEscaped(addresses.publicUrl() + path)}|${words}>`

  /** Asks Slack who has pressed, and offers them a link; a stranger of another workspace gets none. */
  async function offer(orgId: string, { teamId, userId }: Press): Promise<Answer> {
    const app = present(await sql.asOrgs([orgId], (tx) => findApp(tx, orgId)))
    const token = secrets.unsealSecret(orgId, 'bot token', app.sealed_bot_token)
    const [own, found] = await Promise.all([
      slack.call('auth.test', token, {}),
      slack.call('users.info', token, { user: userId }),
    ])
    const fault = own.ok ? found : own
    if (!fault.ok || !own.ok || !found.ok)
      return `Slack does not say who you are (${slackEscaped(fault.ok ? '' : fault.fault)}). Whoever has set this app up installs it again with the scopes of its manifest.`
    const user = userIn(found.body, userId, teamId)
    if (!user || user.teamId !== own.body['team_id'])
      return 'Only people of the workspace of this app can be linked, who have an address of e-mail that Slack has verified.'
    const code = await sql.asOrgs([orgId], (tx) => offerLink(tx, orgId, user, clock.now()))
    return `You are not linked to Weir yet. ${pageOf(`${linkPath}?code=${code}`, 'Link yourself')} within 15 minutes, signed in as ${slackEscaped(plainText(user.email))}, and press again.`
  }

  /** Returns the member as whom a user decides, or throws a refusal; `request` is that of Slack. */
  async function deciderOf(request: FastifyRequest, orgId: string, link: SlackLinkRow): Promise<Caller> {
    const caller = await identification.member(request, link.member_id)
    if (caller.orgId !== orgId) throw new ApiError('not_found')
    await rates.require(caller, 'POST')
    if (!hasScopeAndRole(caller, 'policies:write', 'admin'))
      throw new ApiError('forbidden', {}, { message: 'Your role does not decide on approvals.' })
    return caller
  }

  async function readApproval(tx: Tx, orgId: string, id: string): Promise<ApprovalView> {
    const row = await findApproval(tx, orgId, id)
    const [view] = row ? await approvalViews(tx, orgId, [row]) : []
    if (!view) throw new ApiError('not_found')
    return view
  }

  /** Decides as a member, as the console does it. */
  async function decide(request: FastifyRequest, orgId: string, link: SlackLinkRow, press: Press, id: string) {
    const caller = await deciderOf(request, orgId, link)
    const actor = { ...actorOf(caller), slack_user_id: press.userId }
    await pageChange(request, { orgId, actor, caller }, async (tools) => {
      const { tx } = tools
      if (!(await holdLink(tx, orgId, link.id)))
        throw new ApiError('forbidden', {}, { message: 'This Slack user is no longer linked.' })
      const { keepers } = present(await findApp(tx, orgId))
      const decider: Decider = { caller, now: clock.now(), proxies: keepers.flatMap(proxyOf) }
      if (press.action === 'deny') return deny(tools, orgId, id, decider, {})
      return approve(tools, orgId, id, decider, grantOf(await readApproval(tx, orgId, id)))
    })
  }

  /** Shows an approval on the very message that was pressed, where that is another one than the message that is kept up to date. */
  async function mendCopy(orgId: string, id: string, { channel, ts, responseUrl }: Press) {
    if (channel === undefined || ts === undefined || responseUrl === undefined) return
    const message = await sql.asOrgs([orgId], async (tx) => {
      const key = { orgId, approvalId: id }
      const kept = await findMessage(tx, key)
      if (kept?.ts === ts) return undefined
      if (kept?.ts === null) return adoptMessage(tx, key, { channel, ts })
      const approval = await readApproval(tx, orgId, id)
      const names = await namesIn(tx, orgId, [JSON.stringify([approval.requested_by, approval.decided_by])])
      return messageOf(approval, { publicUrl: addresses.publicUrl(), names, now: clock.now() })
    })
    if (message) await slack.respond(responseUrl, { replace_original: true, ...message })
  }

  async function answerTo(request: FastifyRequest, orgId: string, press: Press): Promise<Answer> {
    const { action, value, teamId, userId } = press
    const link = await sql.asOrgs([orgId], (tx) => findLinkOfUser(tx, orgId, { teamId, userId }))
    if (!link) return offer(orgId, press)
    if (action === 'link') return 'You are linked to Weir, and decide with its buttons.'
    const id = parseId('approval', value)
    if (id === undefined) return undefined
    try {
      await decide(request, orgId, link, press, id)
      return undefined
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      if (request.bearer && error.status === 403)
        attempts.refused(request, request.bearer, `approval.${action === 'deny' ? 'denied' : 'approved'}`)
      return `${slackEscaped(plainText(error.message))} ${pageOf(approvalPath(value), 'Open in Weir')}`
    } finally {
      await mendCopy(orgId, id, press).catch((error: unknown) =>
        log.warn({ error, org_id: orgId }, 'a pressed Slack message could not be brought up to date'),
      )
    }
  }

  return async (request: FastifyRequest, orgId: string, press: Press): Promise<void> => {
    const text = await answerTo(request, orgId, press).catch((error: unknown) => {
      log.error({ error, org_id: orgId, trace_id: request.id }, 'a press in Slack failed')
      return `This failed. Try again, or look in the console: ${pageOf(approvalPath(press.value), 'Open in Weir')}`
    })
    if (text !== undefined && press.responseUrl !== undefined)
      await slack.respond(press.responseUrl, { response_type: 'ephemeral', replace_original: false, text })
  }
}

/** Returns whoever has set a secret as somebody who might decide. */
function proxyOf(keeper: string): Pick<Caller, 'kind' | 'id'>[] {
  const member = parseId('member', keeper)
  if (member !== undefined) return [{ kind: 'person', id: member }]
  const key = parseId('key', keeper)
  return key === undefined ? [] : [{ kind: 'key', id: key }]
}

/** Returns a user as Slack describes them; undefined for a program, for whoever was removed, and for one without a verified address. */
function userIn(body: Readonly<Record<string, unknown>>, userId: string, pressedIn: string): KnownUser | undefined {
  const user = recordIn(body['user'])
  const { email, display_name, real_name } = recordIn(user['profile'])
  const { id, team_id: teamId, name } = user
  const isPerson = user['is_bot'] !== true && user['deleted'] !== true && user['is_stranger'] !== true
  const isVerified = typeof email === 'string' && email !== '' && user['is_email_confirmed'] !== false
  if (!isPerson || !isVerified || id !== userId || typeof teamId !== 'string' || teamId !== pressedIn) return undefined
  const shown = [display_name, real_name, name].find((text): text is string => typeof text === 'string' && text !== '')
  return { teamId, userId, name: plainText(shown ?? userId, maxNameLength), email }
}
