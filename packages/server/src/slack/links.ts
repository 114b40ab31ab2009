import { hash, randomBytes } from 'node:crypto'
import type { ChangeTools, PageTools } from '../access/changes/changes.ts'
import type { Caller } from '../access/identity/identity.ts'
import { ApiError } from '../contract/errors.ts'
import { lockMember, normalEmail } from '../people/members/members.ts'
import type { Tx } from '../platform/infra/sql.ts'
import { formatId, newUuid } from '../values/id.ts'
import { timestamp } from '../values/timestamp.ts'
import {
  deleteLink,
  findOffer,
  insertLink,
  lockLink,
  type OfferRow,
  putOffer,
  type SlackLinkRow,
  takeOffer,
} from './link-queries.ts'
import type { SlackLink } from './schema.ts'

/**
 * The way by which a Slack user becomes a member. An offer is made to a user who has pressed a button, and only a member who is signed in
 * under the address that Slack has verified of that user can take it: who lures somebody else to the link gets nothing from it.
 */

const offerMs = 900_000
const codeBytes = 24
const codeShape = /^[A-Za-z0-9_-]{32}$/

export const linkPath = '/console/slack-link'

export const linkView = (row: SlackLinkRow): SlackLink => ({
  id: formatId('slackLink', row.id),
  member_id: formatId('member', row.member_id),
  slack_team_id: row.slack_team_id,
  slack_user_id: row.slack_user_id,
  slack_user_name: row.slack_user_name,
  created_at: timestamp(row.created_at),
})

/** A Slack user, as Slack describes them. */
export interface KnownUser {
  readonly teamId: string
  readonly userId: string
  readonly name: string
  readonly email: string
}

const digestOf = (code: string) => hash('sha256', code, 'buffer')

/** Offers a user to link them; returns the code of the offer, which opens nothing by itself. */
export async function offerLink(tx: Tx, orgId: string, user: KnownUser, now: Date): Promise<string> {
  const code = randomBytes(codeBytes).toString('base64url')
  await putOffer(tx, orgId, {
    digest: digestOf(code),
    slack_team_id: user.teamId,
    slack_user_id: user.userId,
    slack_user_name: user.name,
    email_key: normalEmail(user.email),
    expires_at: new Date(now.getTime() + offerMs),
  })
  return code
}

/** Returns an offer to whoever is signed in, without using it up, or throws a refusal. */
export async function seeOffer(tx: Tx, caller: Caller, code: string, now: Date): Promise<OfferRow> {
  const offer = codeShape.test(code) ? await findOffer(tx, caller.orgId, digestOf(code), now) : undefined
  return requireOwn(caller, offer)
}

function requireOwn({ kind, person }: Caller, offer: OfferRow | undefined): OfferRow {
  if (kind !== 'person' || person === undefined)
    throw forbidden('Only a member is linked to a Slack user: sign in as yourself.')
  if (!offer)
    throw new ApiError(
      'not_found',
      {},
      { message: 'This link was used, is too old, or is of another organization. Press the button in Slack again.' },
    )
  if (normalEmail(person.email) !== offer.email_key)
    throw forbidden(
      `This link is for the Slack user ${offer.slack_user_name} (${offer.slack_user_id}), whose address is not ${person.email}. If somebody has sent it to you, leave it.`,
    )
  return offer
}

/** Links the user of an offer to whoever is signed in, and uses the offer up. */
export async function linkUser(
  { tx, audit }: Pick<PageTools, 'tx' | 'audit'>,
  caller: Caller,
  code: string,
  now: Date,
): Promise<SlackLink> {
  const { orgId } = caller
  // Whoever ends the member waits, and ends the link with them.
  await lockMember(tx, orgId, caller.id)
  const taken = codeShape.test(code) ? await takeOffer(tx, orgId, digestOf(code), now) : undefined
  const offer = requireOwn(caller, taken)
  const row = await insertLink(tx, orgId, {
    id: newUuid(),
    member_id: caller.id,
    slack_team_id: offer.slack_team_id,
    slack_user_id: offer.slack_user_id,
    slack_user_name: offer.slack_user_name,
  })
  if (!row)
    throw new ApiError('conflict', {}, { message: 'You, or this Slack user, are linked already. End that link first.' })
  const after = linkView(row)
  audit({ action: 'slack_link.created', target: { kind: 'slack_link', id: after.id }, after })
  return after
}

/** Ends a link; its user decides nothing from then on. */
export async function unlinkUser(
  { tx, audit, replaces = () => {} }: Pick<PageTools, 'tx' | 'audit'> & Partial<Pick<ChangeTools, 'replaces'>>,
  orgId: string,
  id: string,
): Promise<null> {
  const row = await lockLink(tx, orgId, id)
  if (!row) throw new ApiError('not_found')
  const before = linkView(row)
  replaces(before)
  await deleteLink(tx, row)
  audit({ action: 'slack_link.deleted', target: { kind: 'slack_link', id: before.id }, before })
  return null
}

const forbidden = (message: string) => new ApiError('forbidden', {}, { message })
