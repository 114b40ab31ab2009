import { type Content, html, type Markup, nothing, shortId, when } from '../components/components.ts'
import type { Visit } from './visit.ts'

/** Query of the API that a list's address stands for: its filters, and the cursor of its page. */
export const pageSize = 50

/** Returns the filters of an address that a list knows; empty ones are none. */
export const filtersOf = <Name extends string>(query: URLSearchParams, names: readonly Name[]) =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = query.get(name)
      return value === null || value === '' ? [] : [[name, value]]
    }),
  ) as Partial<Record<Name, string>>

/** Returns an address with some of its query replaced; undefined removes a name. Another filter begins at the first page. */
export function addressWith(address: string, changes: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(address, 'http://weir.invalid')
  if (!('cursor' in changes)) {
    url.searchParams.delete('cursor')
    url.searchParams.delete('back')
  }
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  return url.pathname + url.search
}

/** Returns the message about what was just done, as the address names it; nothing for a name that the page does not know. */
export const messageIn = (messages: Readonly<Record<string, string>>, query: URLSearchParams): string | undefined => {
  const done = query.get('done') ?? ''
  return Object.hasOwn(messages, done) ? messages[done] : undefined
}

/** A key that acted, with a link for those who may see keys. */
export const keyLink = (id: string, { may }: Pick<Visit, 'may'>): Markup =>
  id.startsWith('key_') && may('keys:read', 'admin')
    ? html`<a href="/console/keys/${id}">${shortId(id)}</a>`
    : shortId(id)

/** A filter of a list, as a field of the form above it. */
export interface Filter {
  readonly name: string
  readonly label: string
  /** Values to choose from, with the words for each; without them it is a field for text. */
  readonly choices?: readonly (readonly [string, string])[]
  readonly type?: 'search' | 'text' | 'date'
}

/** The form of filters above a list: its fields are the query of the address. */
export const filterForm = (address: string, filters: readonly Filter[], ...more: readonly Content[]): Markup => {
  const { pathname, searchParams } = new URL(address, 'http://weir.invalid')
  return html`<form class="tools gap" method="get" action="${pathname}">${filters.map(
    ({ name, label, choices, type }) => {
      const value = searchParams.get(name) ?? ''
      return html`<label class="${type === 'date' ? 'small dim' : 'hidden'}" for="q-${name}">${label}</label>${
        choices
          ? html`<select class="in" id="q-${name}" name="${name}"><option value="">${label}: any</option>${choices.map(
              ([one, text]) =>
                html`<option value="${one}"${one === value ? html` selected` : nothing}>${text}</option>`,
            )}</select>`
          : html`<input class="in${type === 'search' ? ' find' : ''}" id="q-${name}" name="${name}" type="${type ?? 'text'}" value="${value}" placeholder="${label}">`
      }`
    },
  )}<button class="btn" type="submit">Filter</button>${more}</form>`
}

/** Links to the next page, and back to the first one. Pages are cursors, so there are no numbers. */
export const pager = (address: string, nextCursor: string | null | undefined): Content => {
  const isFirst = !new URL(address, 'http://weir.invalid').searchParams.has('cursor')
  if (isFirst && !nextCursor) return nothing
  return html`<nav class="pager" aria-label="Pages">${isFirst ? nothing : html`<a class="btn sm" href="${addressWith(address, { cursor: undefined })}">First</a>`}${when(
    nextCursor,
    (cursor) => html`<a class="btn sm" rel="next" href="${addressWith(address, { cursor })}">Next</a>`,
  )}</nav>`
}
