import { type IconName, icon } from './icons.ts'
import { type Content, html, type Markup, nothing, when } from './markup.ts'

/** Kinds of badges: `loud` only for what refuses now. */
export type BadgeKind = 'loud' | 'stop' | 'warn' | 'ok' | 'info' | 'line' | ''

/** A state in a word or two. */
export const badge = (text: string, kind: BadgeKind = '', iconName?: IconName): Markup =>
  html`<span class="badge ${kind}">${when(iconName, icon)}${text}</span>`

/** A link that looks like a button. `of` names what it is about to those who do not see the row. */
export const linkButton = (
  href: string,
  text: string,
  { kind = '', iconName, of }: { kind?: string; iconName?: IconName; of?: string } = {},
): Markup =>
  html`<a class="btn ${kind}" href="${href}">${when(iconName, icon)}${text}${when(of, (name) => html`<span class="hidden"> ${name}</span>`)}</a>`

/** A message in the page: `stop` for what refuses, `warn` for what will, `info` for what was done. */
export const note = (kind: 'stop' | 'warn' | 'info' | '', body: Content, ...actions: readonly Content[]): Markup =>
  html`<div class="note ${kind} row"${kind === 'stop' ? html` role="alert"` : kind === 'info' ? html` role="status"` : nothing}><div>${body}</div>${actions}</div>`

/** The head of a page: its title, a sentence or number that answers why somebody came, and what can be done. */
export const pageHead = (title: Content, sub: Content = nothing, ...actions: readonly Content[]): Markup =>
  html`<div class="head"><div><h1>${title}</h1>${sub === nothing ? nothing : html`<p class="sub">${sub}</p>`}</div>${
    actions.length === 0 ? nothing : html`<div class="actions">${actions}</div>`
  }</div>`

/** A section with its heading. */
export const section = (title: string, body: Content, end: Content = nothing): Markup =>
  html`<section class="sect gap"><div class="hd"><h2>${title}</h2>${end === nothing ? nothing : html`<span class="end">${end}</span>`}</div>${body}</section>`

/** One of the numbers at the top of a page. */
export interface Figure {
  readonly label: Content
  readonly aside?: Content
  readonly big: Content
  readonly small?: Content
  readonly gauge?: Markup
  readonly foot?: Content
}

/** The strip of numbers at the top of a page. */
export const figures = (list: readonly Figure[]): Markup =>
  html`<div class="figures${list.length === 5 ? ' five' : ''}">${list.map(
    ({ label, aside, big, small, gauge, foot }) =>
      html`<div class="figure"><p class="lbl">${label}${when(aside, (text) => html`<span>${text}</span>`)}</p><p class="big">${big}${when(small, (text) => html`<small>${text}</small>`)}</p>${gauge ?? nothing}${when(foot, (text) => html`<p class="ft">${text}</p>`)}</div>`,
  )}</div>`

/** Something that is not there yet: a title, a sentence on why it is good to have, and what to do. */
export const blank = (title: string, text: Content, ...actions: readonly Content[]): Markup =>
  html`<div class="blank"><h2>${title}</h2><p>${text}</p>${actions}</div>`

/** Text for a terminal or an editor, to be copied. */
export const code = (heading: string, text: string, label: string): Markup =>
  html`<div class="code"><div class="hd"><span>${heading}</span><copy-button><button class="icon-btn" type="button" aria-label="Copy ${label}" hidden>${icon('copy')}</button></copy-button></div><pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre></div>`

/** A curl command of the API, as it works when pasted with WEIR and KEY set. */
export function curl(method: string, path: string, body?: unknown): string {
  const lines = [`curl -s${method === 'GET' ? '' : ` -X ${method}`} "$WEIR${path}" -H "authorization: Bearer $KEY"`]
  if (body !== undefined)
    lines.push(`  -H 'content-type: application/json' -d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`)
  return lines.join(' \\\n')
}

/** Kinds of things of which an open page notices that they have changed. */
export type LiveKind = 'budgets' | 'approvals' | 'refusals' | 'runs'

/**
 * A part of a page that is kept up to date while it is open, when things of some kinds change. One that has others in it is left alone, and
 * they are renewed. `from` is the address of the page with all that it shows, where that is not the address that was opened.
 */
export const liveRegion = (id: string, about: readonly LiveKind[], body: Content, from?: string): Markup =>
  html`<div id="live-${id}" data-live="${about.join(' ')}"${when(from, (address) => html` data-from="${address}"`)}>${body}</div>`

/** Facts of one thing, in two columns. */
export const facts = (list: readonly (readonly [string, Content])[]): Markup =>
  html`<dl class="facts">${list.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`

const shownIdLength = 14

/** An id in a list: its head, whole in its title. */
export const shortId = (id: string): Markup =>
  html`<span class="mono" title="${id}">${id.length > shownIdLength ? `${id.slice(0, shownIdLength)}…` : id}</span>`

/** Links between parts of one subject; the current one is marked. */
export const tabs = (
  label: string,
  list: readonly { readonly href: string; readonly text: string; readonly isHere: boolean }[],
): Markup =>
  html`<nav class="tabs" aria-label="${label}">${list.map(
    ({ href, text, isHere }) => html`<a href="${href}"${isHere ? html` aria-current="page"` : nothing}>${text}</a>`,
  )}</nav>`
