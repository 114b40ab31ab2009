import { operatorsOrgId } from '../../values/id.ts'
import { blank, html, joined, linkButton, type Markup, nothing, pageHead, section } from '../components/components.ts'
import { type ConsolePage, type ConsoleRoutes, pagesNamed, part, type Visit } from '../frame/frame.ts'

const idForm = /^([a-z]{3})_[0-9a-hjkmnp-tv-z]{26}$/

/** Pages of things by the prefix of their ids. A hold, its decision and its run share the rest of their ids. */
const pageOf: Readonly<Record<string, (id: string) => string>> = {
  apr: (id) => `/console/approvals/${id}`,
  bud: (id) => `/console/budgets/${id}`,
  dec: (id) => `/console/decisions/${id}`,
  key: (id) => `/console/keys/${id}`,
  mbr: (id) => `/console/members/${id}`,
  rfs: (id) => `/console/refusals?id=${id}`,
  rsv: (id) => `/console/decisions/${id.replace(/^rsv/, 'dec')}`,
  rul: (id) => `/console/rules/${id}`,
  run: (id) => `/console/runs/${id}`,
  sgr: (id) => `/console/audit-log?actor_id=${id}`,
  sub: (id) => `/console/webhooks/${id}`,
}

const links = (list: readonly { readonly path: string; readonly name: string }[]): Markup =>
  html`<ul>${list.map(({ path, name }) => html`<li><a href="${path}">${name}</a></li>`)}</ul>`

/** Returns the budgets whose name or scope contains a text. */
async function budgetsNamed({ api, may }: Visit, text: string) {
  if (!may('limits:read')) return { budgets: [], isWhole: true }
  const { value } = await part(api.get('/v1/orgs/{id}/budgets', { query: { limit: 200 } }))
  const budgets = (value?.data ?? [])
    .filter(({ name, scope_id }) => `${name} ${scope_id ?? ''}`.toLowerCase().includes(text))
    .map(({ id, name }) => ({ path: `/console/budgets/${id}`, name }))
  return { budgets, isWhole: value?.next_cursor === null }
}

/** The jump list without script: an id leads to its page, a word to the pages and budgets that have it in their names. */
async function searchPage(visit: Visit): Promise<string | ConsolePage> {
  const { query, may, caller } = visit
  const wanted = (query.get('q') ?? '').trim().toLowerCase()
  const [, prefix = ''] = idForm.exec(wanted) ?? []
  const address = pageOf[prefix]?.(wanted)
  if (address !== undefined) return address
  const isOperator = caller.orgId === operatorsOrgId
  const pages = wanted === '' ? [] : pagesNamed(wanted, may, isOperator)
  const { budgets, isWhole } =
    wanted === '' || isOperator ? { budgets: [], isWhole: true } : await budgetsNamed(visit, wanted)
  return {
    title: 'Search',
    here: '',
    body: html`${pageHead('Search', wanted === '' ? 'Write a word, or paste an id.' : html`for “${wanted}”`)}<form class="tools gap" method="get" action="/console/search" role="search"><label class="hidden" for="search-q">Page, budget or id</label><input class="in find" id="search-q" name="q" type="search" value="${wanted}"><button class="btn" type="submit">Search</button></form>${
      pages.length + budgets.length === 0
        ? blank('Nothing has this name', 'Paste an id such as run_, dec_, bud_ or key_ to open what it names.')
        : joined([
            pages.length > 0 ? section('Pages', links(pages)) : nothing,
            budgets.length > 0 ? section('Budgets', links(budgets)) : nothing,
          ])
    }${isWhole ? nothing : html`<p class="small dim gap16">Not all budgets were searched. ${linkButton('/console/budgets', 'Budgets', { kind: 'sm' })}</p>`}`,
  }
}

/** The page of searches. */
export function searchPages({ page }: ConsoleRoutes) {
  page('/console/search', searchPage)
}
