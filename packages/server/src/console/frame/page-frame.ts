import type { Role } from '../../contract/routes.ts'
import { type Content, html, icon, type Markup, mark, nothing, sprite, when } from '../components/components.ts'
import { type NavCounts, type NavGroup, navigation, operatorNavigation, orgNavigation } from './navigation.ts'

/** A page of the console, as its function returns it. */
export interface ConsolePage {
  readonly title: string
  readonly body: Content
  /** Path of the entry of the navigation that it belongs to. */
  readonly here: string
  readonly status?: number
}

/** Colours of the page: those of the system, or the reader's choice. */
export const themes = ['auto', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** Support access: an operator inside an organization, said on every page. */
export interface SupportBanner {
  readonly scope: string
  readonly orgName: string
  readonly until: string
}

/** All that the frame of a page shows of whoever looks at it. */
export interface Viewer {
  /** Name of the person or key. */
  readonly name: string
  readonly role: string
  readonly isOperator: boolean
  /** True when whoever looks has a scope and a role. */
  readonly may: (scope: string, role?: Role) => boolean
  readonly orgName: string
  readonly csrfToken: string
  readonly theme: Theme
  readonly counts: NavCounts
  readonly support: SupportBanner | undefined
  /** Path and query of the page. */
  readonly address: string
}

const themeNames = { auto: 'As the system', light: 'Light', dark: 'Dark' } as const
const themeIcons = { auto: 'auto', light: 'sun', dark: 'moon' } as const

const themeForm = ({ theme, csrfToken, address }: Viewer): Markup =>
  html`<form action="/console/appearance" method="post" data-submit-on-change><input type="hidden" name="csrf_token" value="${csrfToken}"><input type="hidden" name="return_to" value="${address}"><fieldset class="theme"><legend class="hidden">Appearance</legend>${themes.map(
    (name) =>
      html`<label title="${themeNames[name]}"><input type="radio" name="theme" id="theme-${name}" value="${name}"${name === theme ? html` checked` : nothing}><span class="hidden">${themeNames[name]}</span>${icon(themeIcons[name])}</label>`,
  )}</fieldset><noscript><button class="btn sm" type="submit">Apply</button></noscript></form>`

const initials = (name: string) =>
  name
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => word.slice(0, 1).toUpperCase())
    .join('')

const brand = (orgName: string): Markup =>
  html`<a class="brand" href="/console">${mark}<span>Weir</span> <span>${orgName}</span></a>`

const jump: Markup = html`<div id="jump" class="jump" popover role="dialog" aria-label="Search and jump"><form action="/console/search" role="search"><label class="hidden" for="jump-q">Search pages, or paste an id</label><input id="jump-q" name="q" type="search" placeholder="Search, or paste an id (run_, dec_, bud_, key_)" autocomplete="off" autofocus></form><ul id="jump-list"></ul><p class="keys"><span><kbd>Enter</kbd> open</span><span><kbd>Esc</kbd> close</span><span><button class="btn sm quiet" type="button" popovertarget="keys">All keys</button></span></p></div>`

const keysHelp = (groups: readonly NavGroup[]): Markup =>
  html`<div id="keys" class="jump" popover role="dialog" aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2><dl class="facts">${[
    ['⌘K or Ctrl K', 'search and jump'],
    ['/', 'search in the list'],
    ['J and K', 'next and previous row'],
    ['N', 'the first action of the page, such as a new budget'],
    ['?', 'this list'],
    ['G H', 'Overview'],
    ...groups.flatMap(({ entries }) =>
      entries.flatMap(({ key, name }) => (key === undefined ? [] : [[`G ${key.toUpperCase()}`, name]])),
    ),
  ].map(
    ([keys = '', what = '']) => html`<dt><kbd>${keys}</kbd></dt><dd>${what}</dd>`,
  )}</dl><p class="keys"><span><kbd>Esc</kbd> close</span></p></div>`

const supportBanner = ({ scope, orgName, until }: SupportBanner, csrfToken: string): Markup =>
  html`<div class="banner support" role="region" aria-label="Support access"><b>Support access to ${orgName}</b> <span>may ${scope}, until ${until}. Everything is on its audit log.</span><form class="inline" method="post" action="/console/signout"><input type="hidden" name="csrf_token" value="${csrfToken}"><button class="btn sm" type="submit">Leave</button></form></div>`

/** Returns a whole page: the frame with the navigation, and the page in it. */
export function pageFrame({ title, body, here }: ConsolePage, viewer: Viewer): Markup {
  const { name, role, isOperator, may, orgName, counts, theme, support, csrfToken } = viewer
  const groups = isOperator ? operatorNavigation : orgNavigation
  const needed = Object.values(counts).reduce((sum, { count }) => sum + count, 0)
  return html`<!doctype html>
<html lang="en"${theme === 'auto' ? nothing : html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${orgName} · Weir</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/console/console.css">
<script type="module" src="/console/console.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
${sprite}
${when(support, (grant) => supportBanner(grant, csrfToken))}
<div class="shell">
<header class="topbar">${brand(orgName)}<button class="icon-btn touch" type="button" popovertarget="jump" aria-label="Search">${icon('search')}</button><button class="icon-btn touch" type="button" popovertarget="nav" aria-label="${needed > 0 ? `Menu, ${needed} need you` : 'Menu'}">${icon('menu')}${needed > 0 ? html`<span class="pip"></span>` : nothing}</button></header>
<nav id="nav" class="side" popover aria-label="Console">
${brand(orgName)}
<button class="searchbtn" type="button" popovertarget="jump">${icon('search')}Search or jump<kbd>⌘K</kbd></button>
<a class="item" href="/console"${here === '/console' ? html` aria-current="page"` : nothing} data-go="h">${icon('overview')}${isOperator ? 'Installation' : 'Overview'}</a>
${navigation(groups, may, here, counts)}
<div class="foot"><span class="avatar" aria-hidden="true">${initials(name)}</span><span><a class="plain" href="/console/profile">${name}</a><br><span class="faint">${role}</span></span>${themeForm(viewer)}</div>
</nav>
<div><main id="main" class="main" tabindex="-1"><div class="page">
${body}
</div></main></div>
</div>
${jump}
${keysHelp(groups)}
</body>
</html>
`
}
