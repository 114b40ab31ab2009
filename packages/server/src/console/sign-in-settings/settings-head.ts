import { type Content, html, type Markup, pageHead } from '../components/components.ts'
import type { Visit } from '../frame/frame.ts'
import { peopleTabs } from '../people/people.ts'

/** Path of the entry of the navigation that these pages belong to. */
export const here = '/console/members'
export const path = '/console/sign-in-settings'

const parts = [
  ['connections', path, 'Identity providers'],
  ['domains', `${path}/domains`, 'Domains'],
  ['directory', `${path}/directory`, 'Directory'],
  ['policy', `${path}/policy`, 'Sessions'],
] as const

/** The head of a part of the sign-in settings, with links to the others. */
export const settingsHead = (
  visit: Visit,
  current: (typeof parts)[number][0],
  sub: Content,
  ...actions: readonly Content[]
): Markup =>
  html`${pageHead('Sign-in', sub, ...actions)}${peopleTabs(visit, 'sign-in')}<nav class="seg gap16" aria-label="Sign-in settings">${parts.map(
    ([name, href, text]) =>
      html`<a href="${href}"${name === current ? html` aria-current="page"` : html``}>${text}</a>`,
  )}</nav>`
