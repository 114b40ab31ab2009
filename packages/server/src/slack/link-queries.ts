import { sql as raw } from 'kysely'
import type { PageRequest } from '../contract/lists.ts'
import { keysetPage } from '../platform/infra/keyset.ts'
import type { Tx } from '../platform/infra/sql.ts'

/** A user of Slack, in their workspace. */
export interface SlackUser {
  readonly teamId: string
  readonly userId: string
}

const columns = [
  'org_id',
  'id',
  'member_id',
  'slack_team_id',
  'slack_user_id',
  'slack_user_name',
  'created_at',
] as const

const linksOf = (tx: Tx, orgId: string) => tx.selectFrom('slack_links').select(columns).where('org_id', '=', orgId)

export const findLinkOfUser = (tx: Tx, orgId: string, { teamId, userId }: SlackUser) =>
  linksOf(tx, orgId).where('slack_team_id', '=', teamId).where('slack_user_id', '=', userId).executeTakeFirst()

export type SlackLinkRow = NonNullable<Awaited<ReturnType<typeof findLinkOfUser>>>

export const findLinkOfMember = (tx: Tx, orgId: string, memberId: string): Promise<SlackLinkRow | undefined> =>
  linksOf(tx, orgId).where('member_id', '=', memberId).executeTakeFirst()

export const findLink = (tx: Tx, orgId: string, id: string): Promise<SlackLinkRow | undefined> =>
  linksOf(tx, orgId).where('id', '=', id).executeTakeFirst()

export const lockLink = (tx: Tx, orgId: string, id: string): Promise<SlackLinkRow | undefined> =>
  linksOf(tx, orgId).where('id', '=', id).forUpdate().executeTakeFirst()

/** Keeps a link from ending until the transaction does. */
export const holdLink = (tx: Tx, orgId: string, id: string): Promise<SlackLinkRow | undefined> =>
  linksOf(tx, orgId).where('id', '=', id).forShare().executeTakeFirst()

export async function listLinks(tx: Tx, orgId: string, page: PageRequest<'created_at'>, memberId: string | undefined) {
  let query = tx
    .selectFrom('slack_links')
    .select([...columns, raw<string>`created_at::text`.as('sort_value')])
    .where('org_id', '=', orgId)
  if (memberId !== undefined) query = query.where('member_id', '=', memberId)
  return keysetPage(query, { sort: page.sort, id: 'id' }, page).execute()
}

/** Stores a link; undefined when the user or the member has one already. */
export const insertLink = (tx: Tx, orgId: string, link: Omit<SlackLinkRow, 'org_id' | 'created_at'>) =>
  tx
    .insertInto('slack_links')
    .values({ org_id: orgId, ...link })
    .onConflict((conflict) => conflict.doNothing())
    .returning(columns)
    .executeTakeFirst()

export async function deleteLink(tx: Tx, { org_id, id }: SlackLinkRow) {
  await tx.deleteFrom('slack_links').where('org_id', '=', org_id).where('id', '=', id).execute()
}

const offerColumns = ['slack_team_id', 'slack_user_id', 'slack_user_name', 'email_key'] as const

/** Stores an offer in place of an earlier one to the same user. */
export async function putOffer(
  tx: Tx,
  orgId: string,
  offer: {
    readonly digest: Buffer
    readonly slack_team_id: string
    readonly slack_user_id: string
    readonly slack_user_name: string
    readonly email_key: string
    readonly expires_at: Date
  },
) {
  const { digest, slack_user_name, email_key, expires_at } = offer
  await tx
    .insertInto('slack_link_offers')
    .values({ org_id: orgId, ...offer })
    .onConflict((conflict) =>
      conflict
        .columns(['org_id', 'slack_team_id', 'slack_user_id'])
        .doUpdateSet({ digest, slack_user_name, email_key, expires_at }),
    )
    .execute()
}

export const findOffer = (tx: Tx, orgId: string, digest: Buffer, now: Date) =>
  tx
    .selectFrom('slack_link_offers')
    .select(offerColumns)
    .where('org_id', '=', orgId)
    .where('digest', '=', digest)
    .where('expires_at', '>', now)
    .executeTakeFirst()

export type OfferRow = NonNullable<Awaited<ReturnType<typeof findOffer>>>

/** Uses an offer up. */
export const takeOffer = (tx: Tx, orgId: string, digest: Buffer, now: Date): Promise<OfferRow | undefined> =>
  tx
    .deleteFrom('slack_link_offers')
    .where('org_id', '=', orgId)
    .where('digest', '=', digest)
    .where('expires_at', '>', now)
    .returning(offerColumns)
    .executeTakeFirst()
