import { html } from 'hono/html'
import type { Caller } from '../access/identity/identity.ts'
import type { Page } from '../people/pages/pages.ts'
import type { OfferRow, SlackLinkRow } from './link-queries.ts'
import { linkPath } from './links.ts'

const csrfField = (csrfToken: string) => html`<input type="hidden" name="csrf_token" value="${csrfToken}">`
const back = html`<p class="crumbs"><a href="/console/profile">Your session</a></p>`
const title = 'Slack'

/** The page on which somebody who has pressed a button in Slack says that it was they. */
export const offerPage = (caller: Caller, offer: OfferRow, code: string, csrfToken: string): Page => ({
  title: 'Link Slack',
  isInside: true,
  body: html`${back}<h1>Link this Slack user to you?</h1>
<dl class="facts">
<dt>Slack user</dt><dd>${offer.slack_user_name} <code>${offer.slack_user_id}</code></dd>
<dt>Workspace</dt><dd><code>${offer.slack_team_id}</code></dd>
<dt>You</dt><dd>${caller.person?.email ?? ''}, ${caller.role}</dd>
</dl>
<p class="gap16">Whoever uses this Slack account decides on approvals as you. Go on only if you have just pressed the button in Slack yourself; if somebody has sent you this link, leave it.</p>
<form class="line" method="post" action="${linkPath}">${csrfField(csrfToken)}<input type="hidden" name="code" value="${code}"><button class="btn primary" type="submit">Link to me</button><a href="/console/profile">Leave it</a></form>`,
})

/** The page that says whether somebody is linked, and ends it. */
export const linkStatePage = (link: SlackLinkRow | undefined, csrfToken: string, isDone: boolean): Page => ({
  title,
  isInside: true,
  body: html`${back}<h1>Slack</h1>
${
  link === undefined
    ? html`<p class="dim">You are not linked to a Slack user. Press a button on a message of Weir in Slack, and follow the link that only you see there.</p>`
    : html`${isDone ? html`<p class="banner" role="status">Linked. Go back to Slack and press again.</p>` : ''}
<p class="dim">You decide on approvals in Slack as this user.</p>
<dl class="facts">
<dt>Slack user</dt><dd>${link.slack_user_name} <code>${link.slack_user_id}</code></dd>
<dt>Workspace</dt><dd><code>${link.slack_team_id}</code></dd>
<dt>Since</dt><dd><time datetime="${link.created_at.toISOString()}">${link.created_at.toISOString().slice(0, 16).replace('T', ' ')} UTC</time></dd>
</dl>
<form class="line" method="post" action="${linkPath}/end">${csrfField(csrfToken)}<button class="btn danger" type="submit">End the link</button></form>`
}`,
})
