import { html } from 'hono/html'
import { type Caller, makerText } from '../../access/identity/identity.ts'
import { formatId, operatorsOrgId } from '../../values/id.ts'
import type { Markup, Page } from '../pages/pages.ts'
import type { SessionView } from '../sessions/sessions.ts'
import { passkeyButton, passkeyScriptPath } from './passkey-pages.ts'

/** The ways in: a passkey, the provider of the organization, or a key. People have one of the first two, so the key comes last. */
export const signInPage = ({
  host,
  returnTo,
  hasPasskeys,
  passkeyFault,
  fault,
  status = 200,
}: {
  host: string
  returnTo: string | undefined
  /** True where browsers have passkeys: under HTTPS with a host name, or on localhost. */
  hasPasskeys: boolean
  passkeyFault?: string
  fault?: string
  status?: number
}): Page => ({
  title: 'Sign in',
  status,
  script: hasPasskeys ? passkeyScriptPath : undefined,
  body: html`<h1>Sign in</h1>
<p class="dim">to the console at ${host}</p>
${hasPasskeys ? passkeyButton(returnTo, passkeyFault) : ''}
<form class="stack" method="post" action="/sso/start">
${returnTo === undefined ? '' : html`<input type="hidden" name="return_to" value="${returnTo}">`}
<div><label for="email">Work e-mail</label>
<input id="email" name="email" type="email" required autocomplete="email" spellcheck="false" placeholder="you@company.example"></div>
<button class="button primary" type="submit">Continue with single sign-on</button>
</form>
<form class="stack" method="post" action="/console/signin">
${returnTo === undefined ? '' : html`<input type="hidden" name="return_to" value="${returnTo}">`}
<div><label for="key">Key</label>
<input id="key" name="key" type="password" required autocomplete="current-password" spellcheck="false" placeholder="weir_…"${
    fault === undefined ? '' : html` aria-invalid="true" aria-describedby="fault"`
  }>
${fault === undefined ? '' : html`<p class="fault" id="fault" role="alert">${fault}</p>`}
<p class="hint">It is exchanged for a session and not kept in the browser.</p></div>
<button class="button" type="submit">Sign in</button>
</form>
<p class="small">No key yet? An admin of your organization creates one. <a href="/docs/access">How access works</a></p>`,
})

/**
 * The page of a link that signs in once: a button, so that whoever only looks at the link does not use it up. It says as whom, so that nobody
 * is signed in as somebody else without noticing.
 */
export const linkPage = (host: string, code: string, caller: Caller | undefined): Page => ({
  title: 'Sign in',
  body: html`<h1>Sign in</h1>
<p class="dim">This link signs you in${caller ? as(caller) : ''} to the console at ${host}. It works once.</p>
<form class="stack" method="post" action="/console/signin">
<input type="hidden" name="code" value="${code}">
<button class="button primary" type="submit">Sign in</button>
</form>
<p class="small">You have a key? <a href="/console/signin">Sign in with it</a></p>`,
})

const as = (caller: Caller): Markup =>
  caller.person
    ? html` as <strong>${caller.person.email}</strong>`
    : html` with ${nouns[caller.kind]}, <code>${makerText(caller)}</code>,`

/** The page of a session that was revoked or has expired. */
export const endedPage = (traceId: string, returnTo?: string): Page => ({
  title: 'Signed out',
  status: 401,
  body: html`<h1>You were signed out</h1>
<p class="dim">This session has ended. What you had saved is saved.</p>
<div class="row"><a class="button primary" href="/console/signin${returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`}">Sign in again</a><a href="/docs/access#sessions">What ends a session</a></div>
<p class="small">401 <code>session_revoked</code>, trace <code>${traceId}</code></p>`,
})

/** The page of anything else that went wrong. */
export const faultPage = (title: string, message: string, status: number, code: string, traceId: string): Page => ({
  title,
  status,
  body: html`<h1>${title}</h1>
<p class="dim">${message}</p>
<div class="row"><a class="button" href="/console">To the console</a><a href="/docs">Documentation</a></div>
<p class="small">${status} <code>${code}</code>, trace <code>${traceId}</code></p>`,
})

const minute = (timestamp: string) =>
  html`<time datetime="${timestamp}">${timestamp.slice(0, 16).replace('T', ' ')}</time>`

const nouns = { key: 'a key', support: 'a support grant', person: 'an account', directory: 'a directory' }
const titles = { key: 'Key', support: 'Grant', person: 'Member', directory: 'Token' }

/** The caller's own page: as whom they are signed in, and where else. */
export const profilePage = (
  caller: Caller,
  sessions: readonly SessionView[],
  csrfToken: string,
  passkeys: Markup | undefined,
): Page => ({
  title: 'Your session',
  isInside: true,
  script: passkeys === undefined ? undefined : passkeyScriptPath,
  body: html`<p class="crumbs"><a href="/console">Back to the console</a></p>
<h1>Your session</h1>
${caller.kind === 'support' ? html`<p class="banner support" role="note"><b>Support access</b> to an organization of somebody else. Everything is on its audit log.</p>` : ''}
<p class="dim">${caller.person ? html`You are signed in as ${caller.person.email}.` : html`You are signed in with ${nouns[caller.kind]}, and may do what it may do.`}</p>
<dl class="facts">
<dt>Organization</dt><dd>${caller.orgId === operatorsOrgId ? 'operators of this installation' : html`<code>${formatId('org', caller.orgId)}</code>`}</dd>
<dt>${titles[caller.kind]}</dt><dd><code>${makerText(caller)}</code></dd>
<dt>Role</dt><dd>${caller.role}</dd>
</dl>
${caller.person === undefined ? '' : html`<p><a href="/console/slack-link">Decide on approvals in Slack</a></p>`}
${passkeys ?? ''}
<h2>${caller.person ? 'Your sessions' : html`Sessions of this ${nouns[caller.kind].replace('a ', '')}`}</h2>
<div class="wrap"><table class="t cards still" role="table">
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Signed in (UTC)</th><th role="columnheader" scope="col">Last used</th><th role="columnheader" scope="col">Address</th><th role="columnheader" scope="col">Ends</th><th role="columnheader" scope="col"><span class="hidden">Action</span></th></tr></thead>
<tbody role="rowgroup">${sessions.map(
    (session) =>
      html`<tr role="row"><th role="rowheader" scope="row">${minute(session.created_at)}</th><td role="cell" data-l="Last used">${minute(session.last_used_at)}</td><td role="cell" data-l="Address">${session.address}</td><td role="cell" data-l="Ends">${minute(session.expires_at)}</td><td role="cell" class="act">${
        session.is_current
          ? 'this one'
          : html`<form method="post" action="/console/sessions/${session.id}/revoke"><input type="hidden" name="csrf_token" value="${csrfToken}"><button class="btn sm" type="submit">End</button></form>`
      }</td></tr>`,
  )}</tbody>
</table></div>
<form class="line" method="post" action="/console/signout"><input type="hidden" name="csrf_token" value="${csrfToken}"><button class="btn" type="submit">Sign out</button><a href="/docs">Documentation</a></form>`,
})
