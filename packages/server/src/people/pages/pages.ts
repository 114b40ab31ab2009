import { readFileSync } from 'node:fs'
import { parseCookie } from 'cookie'
import type { FastifyReply } from 'fastify'
import { html } from 'hono/html'
import { contentPolicy } from '../../contract/content-policy.ts'

/** Markup that is safe to send: whatever was put into a template was escaped. */
export type Markup = ReturnType<typeof html>

const sources = ["style-src 'self'", "img-src 'self'", "form-action 'self'"] as const
const policy = contentPolicy(...sources)
const scriptPolicy = contentPolicy(...sources, "script-src 'self'", "connect-src 'self'")

export const stylesheet = readFileSync(new URL('./style.css', import.meta.url), 'utf8')

const mark = html`<svg class="mark" viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d="M2 2v16h16V2M2 6.500c2.700 0 2.700 1.800 5.300 1.800S10 6.500 12.700 6.500s2.600 1.800 5.300 1.800M2 11c2.700 0 2.700 1.800 5.300 1.800S10 11 12.700 11s2.600 1.800 5.300 1.800"/></svg>`

const aloneStyles = html`<link rel="stylesheet" href="/docs/style.css">
<link rel="stylesheet" href="/console/style.css">`
const insideStyles = html`<link rel="stylesheet" href="/console/console.css">`

/** Returns the colours that a reader has chosen in the console; undefined for those of the system. */
const themeOf = (cookies: string | undefined): string | undefined => {
  const chosen = parseCookie(cookies ?? '')['weir-theme']
  return chosen === 'light' || chosen === 'dark' ? chosen : undefined
}

/** A page that stands alone: sign-in, an error, the profile. */
export interface Page {
  readonly title: string
  readonly status?: number
  readonly body: Markup
  /** True for a page of whoever is signed in, which looks like those of the console. */
  readonly isInside?: boolean
  /** Path of the only script that the page runs; undefined for a page that runs none. */
  readonly script?: string | undefined
}

/** Sends a page. It runs no script but its own, is framed by nobody, and is kept by no cache. */
export async function sendPage(reply: FastifyReply, { title, status = 200, body, isInside = false, script }: Page) {
  const theme = isInside ? themeOf(reply.request.headers.cookie) : undefined
  const page = await html`<!doctype html>
<html lang="en"${theme === undefined ? '' : html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Weir</title>
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/docs/icon.svg">
${isInside ? insideStyles : aloneStyles}
${script === undefined ? '' : html`<script type="module" src="${script}"></script>`}
</head>
<body${isInside ? '' : html` class="solo"`}>
<main${isInside ? html` class="alone"` : ''}>
${isInside ? html`<a class="brand" href="/console">${mark}<span>Weir</span></a>` : html`<p class="brand">${mark}Weir</p>`}
${body}
</main>
</body>
</html>
`
  return (
    reply
      .code(status)
      .type('text/html; charset=utf-8')
      .header('content-security-policy', script === undefined ? policy : scriptPolicy)
      .header('cross-origin-opener-policy', 'same-origin')
      // The address of a form's page tells its server that the form is its own.
      .header('referrer-policy', 'same-origin')
      .send(page.toString())
  )
}
