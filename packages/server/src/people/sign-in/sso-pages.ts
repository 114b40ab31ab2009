import { html } from 'hono/html'
import type { Page } from '../pages/pages.ts'

/** The page of a link that leads to a provider, for whoever another site sent: nobody is signed in somewhere without knowing it. */
export const leadPage = (connection: string, path: string): Page => ({
  title: 'Sign in',
  body: html`<h1>Sign in with ${connection}?</h1>
<p class="dim">Another site sent you here. Go on if you wanted to sign in.</p>
<div class="row"><a class="button primary" href="${path}">Continue to ${connection}</a><a href="/console/signin">Another way in</a></div>`,
})

/** The page that leads to a provider by itself. A form may not be answered with another site, a page may. */
export const forwardPage = (provider: URL): Page => ({
  title: 'Sign in',
  body: html`<h1>One moment</h1>
<p class="dim">Your organization’s sign-in opens at ${provider.host}.</p>
<div class="row"><a class="button primary" href="${provider.href}">Continue</a></div>`,
})

/** The page that ends a sign-in by SAML by itself: from our own page the browser sends our cookies. */
export const finishPage = (path: string): Page => ({
  title: 'Sign in',
  body: html`<h1>One moment</h1>
<p class="dim">You are being signed in.</p>
<div class="row"><a class="button primary" href="${path}">Continue</a></div>`,
})

/** The page for an address that no connection is known for, whatever the reason. */
export const noConnectionPage: Page = {
  title: 'Sign in',
  body: html`<h1>No single sign-on</h1>
<p class="dim">There is no single sign-on for this e-mail address. Check its spelling, or ask an administrator of your organization for a link.</p>
<div class="row"><a class="button" href="/console/signin">Another way in</a></div>`,
}

/** The page of somebody who has signed out here, and may be signed in at the provider still. */
export const signedOutPage = (provider: URL | undefined): Page => ({
  title: 'Signed out',
  body: html`<h1>You signed out</h1>
${
  provider === undefined
    ? html`<p class="dim">At your organization’s provider you may still be signed in.</p>`
    : html`<p class="dim">At ${provider.host} you may still be signed in.</p>
<div class="row"><a class="button primary" href="${provider.href}">Sign out there too</a></div>`
}
<p class="small"><a href="/console/signin">Sign in again</a></p>`,
})
