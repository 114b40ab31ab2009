import { html } from 'hono/html'
import { formatId } from '../../values/id.ts'
import type { Markup, Page } from '../pages/pages.ts'
import type { DoorRow, PasskeyPowerRefusal, PasskeyView } from '../passkeys/passkeys.ts'

/** Path of the script that asks authenticators. */
export const passkeyScriptPath = '/console/passkeys.js'

const returnField = (returnTo: string | undefined) =>
  returnTo === undefined ? '' : html`<input type="hidden" name="return_to" value="${returnTo}">`
const csrfField = (csrfToken: string) => html`<input type="hidden" name="csrf_token" value="${csrfToken}">`

/** The button of the sign-in page. Its form is shown by the script, in browsers that have passkeys. */
export const passkeyButton = (returnTo: string | undefined, fault: string | undefined): Markup => html`
<form class="stack" method="post" action="/console/signin/passkey" data-passkey="get" data-options="/console/signin/passkey/options" hidden>
${returnField(returnTo)}<input type="hidden" name="answer">
<div><button class="button primary wide-button" type="submit">Use a passkey</button>
<p class="fault" role="alert">${fault ?? ''}</p></div>
</form>
<p class="small near"><a href="/console/signin/recovery">Use a recovery code</a></p>
<p class="or">or</p>`

/** The form that takes a recovery code. */
export const recoveryPage = (returnTo: string | undefined, fault?: { text: string; status: number }): Page => ({
  title: 'Use a recovery code',
  status: fault?.status ?? 200,
  body: html`<h1>Use a recovery code</h1>
<p class="dim">Each of your codes signs you in once. Then add a passkey on your profile.</p>
<form class="stack" method="post" action="/console/signin/recovery">
${returnField(returnTo)}
<div><label for="recovery_code">Recovery code</label>
<input id="recovery_code" name="recovery_code" required autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="xxxx-xxxx-xxxx-xxxx"${
    fault === undefined ? '' : html` aria-invalid="true" aria-describedby="fault"`
  }>
${fault === undefined ? '' : html`<p class="fault" id="fault" role="alert">${fault.text}</p>`}</div>
<button class="button primary" type="submit">Sign in</button>
</form>
<p class="small">No code left? An admin of your organization removes you and invites you again. <a href="/console/signin">Other ways to sign in</a></p>`,
})

/** The page on which a person with several memberships says where they want to go. */
export const choicePage = (doors: readonly DoorRow[], returnTo: string | undefined): Page => ({
  title: 'Choose an organization',
  body: html`<h1>Choose an organization</h1>
<p class="dim">You are a member of several. A session is for one of them.</p>
<form class="choices" method="post" action="/console/choose">${returnField(returnTo)}
${doors.map(
  (door) =>
    html`<button class="button choice" type="submit" name="member_id" value="${formatId('member', door.member_id)}"><span>${door.org_name}</span><span class="dim">${door.email}</span></button>`,
)}</form>
<p class="small"><a href="/console/signin">Sign in as somebody else</a></p>`,
})

/** The page of somebody whom no organization lets in with a passkey. */
export const noDoorPage = (): Page => ({
  title: 'No organization',
  status: 403,
  body: html`<h1>No organization lets you in</h1>
<p class="dim">We know you, but you are not an active member of an organization that lets people in with a passkey. Yours may have removed you, may be suspended, or may ask you to sign in with its identity provider.</p>
<div class="row"><a class="button" href="/console/signin">Other ways to sign in</a></div>`,
})

/** The passkeys of a person as a session may see and change them. */
export interface PasskeyDesk {
  /** Undefined where the session may not see them. */
  readonly passkeys: readonly PasskeyView[] | undefined
  readonly recoveryCodes: number
  readonly lackToAdd: PasskeyPowerRefusal | undefined
  readonly lackToChange: PasskeyPowerRefusal | undefined
  readonly csrfToken: string
}

const day = (timestamp: string | null) =>
  timestamp === null ? 'never' : html`<time datetime="${timestamp}">${timestamp.slice(0, 10)}</time>`

const confirmForm = (csrfToken: string) => html`
<form class="line" method="post" action="/console/passkeys/confirm" data-passkey="get" data-options="/console/signin/passkey/options" hidden>
${csrfField(csrfToken)}<input type="hidden" name="answer"><button class="btn" type="submit">Confirm with a passkey</button><p class="fault" role="alert"></p>
</form>`

const addForm = (csrfToken: string) => html`
<form class="line" method="post" action="/console/passkeys" data-passkey="create" data-options="/console/passkeys/options" hidden>
${csrfField(csrfToken)}<input type="hidden" name="answer"><label class="hidden" for="passkey_name">Name of the passkey</label>
<input class="in short" id="passkey_name" name="name" value="Passkey" maxlength="100" required><button class="btn" type="submit">Add a passkey</button><p class="fault" role="alert"></p>
</form>`

const passkeyTable = ({
  passkeys = [],
  lackToChange,
  csrfToken,
}: PasskeyDesk) => html`<div class="wrap"><table class="t cards still" role="table">
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Name</th><th role="columnheader" scope="col">Added</th><th role="columnheader" scope="col">Last used</th><th role="columnheader" scope="col">Kept</th><th role="columnheader" scope="col"><span class="hidden">Action</span></th></tr></thead>
<tbody role="rowgroup">${passkeys.map(
  (passkey) =>
    html`<tr role="row"><th role="rowheader" scope="row">${passkey.name}</th><td role="cell" data-l="Added">${day(passkey.created_at)}</td><td role="cell" data-l="Last used">${day(passkey.last_used_at)}</td><td role="cell" data-l="Kept">${passkey.is_backed_up ? 'on all your devices' : 'on one device'}</td><td role="cell" class="act">${
      lackToChange === undefined
        ? html`<form method="post" action="/console/passkeys/${passkey.id}/remove">${csrfField(csrfToken)}<button class="btn sm" type="submit">Remove</button></form>`
        : ''
    }</td></tr>`,
)}</tbody>
</table></div>`

/** The part of the profile about passkeys. */
export function passkeySection(desk: PasskeyDesk): Markup {
  const { passkeys, recoveryCodes, lackToAdd, lackToChange, csrfToken } = desk
  if (lackToAdd === 'by_provider' && passkeys === undefined)
    return html`<h2>Passkeys</h2><p class="dim">You signed in with your organization’s identity provider. Your passkeys are yours alone: confirm with one to see them.</p>${confirmForm(csrfToken)}`
  if (lackToAdd === 'by_provider')
    return html`<h2>Passkeys</h2><p class="dim">You signed in with your organization’s identity provider, and need none.</p>`
  if (passkeys === undefined)
    return html`<h2>Passkeys</h2><p class="dim">Your passkeys are yours alone, in whichever organization you are. Confirm with one to see or change them.</p>${confirmForm(csrfToken)}`
  const isStale = lackToAdd === 'not_fresh'
  return html`<h2>Passkeys</h2>
${passkeys.length === 0 ? html`<p class="dim">A passkey signs you in the next time, with your finger, your face or the PIN of your device.</p>` : passkeyTable(desk)}
${lackToAdd === undefined ? addForm(csrfToken) : ''}
${isStale && passkeys.length > 0 ? html`<p class="dim">You signed in more than ten minutes ago. To add or remove a passkey, confirm that it is you.</p>${confirmForm(csrfToken)}` : ''}
${isStale && passkeys.length === 0 ? html`<p class="dim">You signed in more than ten minutes ago. To add a passkey, sign in again: with a recovery code, or with a new link of an admin.</p>` : ''}
${
  passkeys.length + recoveryCodes === 0
    ? ''
    : html`<p class="dim">Recovery codes left: ${recoveryCodes}. ${
        lackToChange === undefined
          ? html`<a href="/console/recovery-codes">${recoveryCodes === 0 ? 'Make recovery codes' : 'Make new ones'}</a>`
          : ''
      }</p>`
}`
}

/** The page on which somebody asks for recovery codes. */
export const codesOfferPage = (left: number, csrfToken: string): Page => ({
  title: 'Recovery codes',
  body: html`<h1>Recovery codes</h1>
<p class="dim">Ten codes, each of which signs you in once when no passkey is at hand. They are shown once: print them, or keep them where you keep passwords.</p>
${left === 0 ? '' : html`<p class="dim near">The ${left} that you have now will stop working.</p>`}
<form class="row" method="post" action="/console/recovery-codes">${csrfField(csrfToken)}<button class="button primary" type="submit">Show my recovery codes</button><a href="/console/profile">Not now</a></form>`,
})

/** The only page that shows recovery codes. */
export const codesPage = (codes: readonly string[]): Page => ({
  title: 'Recovery codes',
  body: html`<h1>Recovery codes</h1>
<p class="dim">These are shown once. Each signs you in once.</p>
<ol class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ol>
<div class="row"><a class="button primary" href="/console/profile">I have kept them</a></div>`,
})
