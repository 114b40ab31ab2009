import type { Role } from '../../contract/routes.ts'
import { html, type IconName, icon, type Markup, nothing, when } from '../components/components.ts'

/** An entry of the navigation: a page, and the scope without which it would show nothing. */
export interface NavEntry {
  readonly path: string
  readonly name: string
  readonly icon: IconName
  readonly scope?: string
  /** Role without which it would show nothing. */
  readonly role?: Role
  /** Letter that goes there after `g`. */
  readonly key?: string
}

/** Entries under one heading. */
export interface NavGroup {
  readonly name: string
  readonly entries: readonly NavEntry[]
}

/** Pages of an organization, by what somebody wants to do. */
export const orgNavigation: readonly NavGroup[] = [
  {
    name: 'Watch',
    entries: [
      { path: '/console/usage', name: 'Usage', icon: 'usage', scope: 'usage:read', key: 'u' },
      { path: '/console/my-usage', name: 'My usage', icon: 'eye', key: 'y' },
      { path: '/console/runs', name: 'Runs', icon: 'runs', scope: 'runs:read', key: 'n' },
      { path: '/console/refusals', name: 'Refusals', icon: 'refusals', scope: 'limits:read', key: 'r' },
      { path: '/console/forecasts', name: 'Forecasts', icon: 'clock', scope: 'forecasts:read', key: 'f' },
      { path: '/console/benchmarks', name: 'Benchmarks', icon: 'chains', scope: 'benchmarks:read' },
      { path: '/console/showback', name: 'Showback', icon: 'customers', scope: 'usage:read' },
      { path: '/console/reconciliations', name: 'Bills of providers', icon: 'audit', scope: 'usage:read' },
    ],
  },
  {
    name: 'Limit',
    entries: [
      { path: '/console/budgets', name: 'Budgets', icon: 'budgets', scope: 'limits:read', key: 'b' },
      { path: '/console/limits', name: 'Other limits', icon: 'lock', scope: 'limits:read', key: 'l' },
      { path: '/console/customers', name: 'Customers', icon: 'customers', scope: 'limits:read', key: 'c' },
      { path: '/console/prices', name: 'Prices', icon: 'prices', scope: 'limits:read', key: 'p' },
      { path: '/console/ledger', name: 'Ledger', icon: 'audit', scope: 'limits:read', key: 'j' },
    ],
  },
  {
    name: 'Decide',
    entries: [
      { path: '/console/rules', name: 'Rules', icon: 'rules', scope: 'policies:read', key: 'e' },
      { path: '/console/approvals', name: 'Approvals', icon: 'approvals', scope: 'policies:read', key: 'a' },
      { path: '/console/content-safety', name: 'Content safety', icon: 'safety', scope: 'policies:read' },
      { path: '/console/routing', name: 'Routing', icon: 'routing', scope: 'routing:read' },
    ],
  },
  {
    name: 'Connect',
    entries: [
      { path: '/console/keys', name: 'Keys', icon: 'keys', scope: 'keys:read', role: 'admin', key: 'k' },
      {
        path: '/console/webhooks',
        name: 'Webhooks',
        icon: 'webhooks',
        scope: 'webhooks:read',
        role: 'admin',
        key: 'w',
      },
      { path: '/console/deprecations', name: 'Deprecations', icon: 'clock' },
    ],
  },
  {
    name: 'Organization',
    entries: [
      { path: '/console/members', name: 'Members', icon: 'customers', scope: 'members:read', role: 'admin', key: 'm' },
      { path: '/console/audit-log', name: 'Audit log', icon: 'audit', scope: 'audit:read', role: 'admin', key: 'd' },
      { path: '/console/settings', name: 'Settings', icon: 'settings', scope: 'orgs:read', key: 's' },
    ],
  },
]

/** Pages of those who run the installation. */
export const operatorNavigation: readonly NavGroup[] = [
  {
    name: 'Installation',
    entries: [
      { path: '/console/orgs', name: 'Organizations', icon: 'customers', scope: 'admin:read', key: 'o' },
      { path: '/console/support-grants', name: 'Support access', icon: 'eye', scope: 'admin:read' },
      { path: '/console/operator-keys', name: 'Operator keys', icon: 'keys', scope: 'admin:read', key: 'k' },
      { path: '/console/installation-prices', name: 'Prices', icon: 'prices', scope: 'admin:read', key: 'p' },
      { path: '/console/nodes', name: 'Nodes and ledger', icon: 'settings', scope: 'admin:read' },
      { path: '/console/operator-audit-log', name: 'Audit log', icon: 'audit', scope: 'admin:read', key: 'd' },
    ],
  },
]

/** Counts beside entries: only where somebody must act. */
export type NavCounts = Readonly<
  Record<string, { readonly count: number; readonly what: string; readonly isStop?: boolean }>
>

const entryLink = ({ path, name, icon: iconName, key }: NavEntry, here: string, counts: NavCounts): Markup =>
  html`<a class="item" href="${path}"${here === path ? html` aria-current="page"` : nothing}${when(key, (letter) => html` data-go="${letter}"`)}>${icon(iconName)}${name}${when(
    counts[path],
    ({ count, what, isStop }) =>
      html`<span class="count${isStop ? ' stop' : ''}">${count}<span class="hidden"> ${what}</span></span>`,
  )}</a>`

/** The list of pages, with the current one marked. Pages for which a scope is missing are left out. */
export function navigation(
  groups: readonly NavGroup[],
  may: (scope: string, role?: Role) => boolean,
  here: string,
  counts: NavCounts,
): Markup {
  const seen = groups
    .map(({ name, entries }) => ({
      name,
      entries: entries.filter(({ scope, role }) => scope === undefined || may(scope, role)),
    }))
    .filter(({ entries }) => entries.length > 0)
  return html`${seen.map(({ name, entries }) => {
    const id = `nav-${name.toLowerCase()}`
    return html`<h2 id="${id}">${name}</h2><ul aria-labelledby="${id}">${entries.map((entry) => html`<li>${entryLink(entry, here, counts)}</li>`)}</ul>`
  })}`
}

/** A page that somebody looks for by its name. */
export type FoundPage = Pick<NavEntry, 'path' | 'name'>

/** Returns the pages whose name has a word, as far as somebody may see them. */
export const pagesNamed = (
  word: string,
  may: (scope: string, role?: Role) => boolean,
  isOperator: boolean,
): readonly FoundPage[] =>
  (isOperator ? operatorNavigation : orgNavigation)
    .flatMap(({ entries }) => entries)
    .filter(({ scope, role }) => scope === undefined || may(scope, role))
    .filter(({ name }) => name.toLowerCase().includes(word.toLowerCase()))
