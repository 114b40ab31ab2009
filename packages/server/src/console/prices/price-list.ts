import type { Schemas } from '../api/api.ts'
import {
  blank,
  type Content,
  code,
  counted,
  countText,
  curl,
  facts,
  html,
  linkButton,
  type Markup,
  money,
  note,
  nothing,
  pageHead,
  section,
  table,
} from '../components/components.ts'
import { type ConsolePage, filterForm, messageIn, pager, pageSize, part, type Visit } from '../frame/frame.ts'
import { priceColumns } from './price-columns.ts'

type Prices = Schemas['Prices']

/** Path of the prices of an organization. */
export const pricesPath = '/console/prices'

/** Messages after what was done with prices. */
export const priceMessages: Readonly<Record<string, string>> = {
  set: 'The price counts for every call that is decided from now on.',
  imported: 'The prices are imported, and count for every call that is decided from now on.',
  removed: 'The price is deleted. The list price counts again, if there is one.',
  settings: 'The change counts from the next call on.',
}

/** Prices in effect: since when and from where, own ones first; and models that were called without one. */
export async function pricePage(visit: Visit): Promise<ConsolePage> {
  const { api, query, address, may } = visit
  const wanted = (query.get('model') ?? '').trim().toLowerCase()
  // Prices of the catalogue and of the installation are shown of one model only.
  const [prices, named] = await Promise.all([
    api.get('/v1/orgs/{id}/prices'),
    wanted === '' ? undefined : part(api.get('/v1/orgs/{id}/prices', { query: { model: wanted } })),
  ])
  const mayChange = may('limits:write', 'admin')
  const columns = priceColumns(visit, { path: pricesPath, mayChange })
  const isWanted = ({ model, provider }: { model: string; provider: string | null }) =>
    `${provider ?? ''}/${model}`.toLowerCase().includes(wanted)
  const own = prices.prices.filter(isWanted)
  const listed = prices.list_prices.filter(isWanted)
  const others = named?.value?.list_prices.filter(({ id }) => !listed.some((one) => one.id === id)) ?? []
  const { rows, next } = pageOf([...others, ...listed], query.get('cursor'))
  const message = messageIn(priceMessages, query)
  return {
    title: 'Prices',
    here: pricesPath,
    body: html`${pageHead(
      'Prices',
      `${counted(prices.list_prices.length, 'list price')}, ${counted(prices.prices.length, 'price')} of your own. ${
        prices.unpriced_models.length === 0
          ? 'Every model that was called has a price.'
          : `${counted(prices.unpriced_models.length, 'model was', 'models were')} called without a price.`
      }`,
      mayChange
        ? html`${linkButton(`${pricesPath}/import`, 'Import')}${linkButton(`${pricesPath}/new`, 'New price', { kind: 'primary', iconName: 'plus' })}`
        : nothing,
    )}${message === undefined ? nothing : note('info', message)}${unpricedPart(visit, prices, mayChange)}${filterForm(
      address,
      [{ name: 'model', label: 'Model or provider', type: 'search' }],
    )}<p class="small dim">In US dollars for a million tokens.</p>${section(
      'Your own prices',
      own.length > 0
        ? table(columns, own, { kind: 'budgets', caption: 'Own prices' })
        : wanted === ''
          ? html`${blank('No price of your own', 'A price of your own takes the place of the list price: a discount that you have agreed on, or a model that you run yourself.')}${code('Terminal', curl('POST', `/v1/orgs/${visit.org.id}/prices`, { model: 'our-model', input_usd_per_million: '0.5', output_usd_per_million: '1.5' }), 'the command for a price')}`
          : html`<p class="dim">None matches.</p>`,
    )}${section(
      'List prices',
      rows.length > 0
        ? html`${table(columns, rows, { kind: 'budgets', caption: 'List prices' })}${pager(address, next)}`
        : html`<p class="dim">None matches.</p>`,
    )}${section(
      'Calls without a price',
      settings(prices),
      mayChange
        ? linkButton(`${pricesPath}/unpriced`, 'Change', { kind: 'sm', of: 'what becomes of such calls' })
        : nothing,
    )}`,
  }
}

/** Returns a page of a list that the API gives as a whole: what follows the id of its cursor. */
export function pageOf<Row extends { readonly id: string }>(list: readonly Row[], cursor: string | null) {
  const start = cursor === null ? 0 : list.findIndex(({ id }) => id === cursor) + 1
  const rows = list.slice(start, start + pageSize)
  return { rows, next: start + pageSize < list.length ? rows.at(-1)?.id : undefined }
}

function unpricedPart({ times }: Visit, { unpriced_models: models, unpriced }: Prices, mayChange: boolean): Content {
  if (models.length === 0) return nothing
  return section(
    'Called without a price',
    html`<p>${unpriced === 'refuse' ? 'Their calls are refused until they have one.' : 'Their calls pass without a price of their own.'}</p>${table(
      [
        {
          name: 'Model',
          kind: 'who',
          cell: ({ model, provider }) => html`<b>${model}</b> <span class="kind">${provider ?? ''}</span>`,
        },
        { name: 'First called', label: 'First called', cell: ({ first_seen_at }) => times.time(first_seen_at) },
        { name: 'Last called', label: 'Last called', cell: ({ last_seen_at }) => times.time(last_seen_at) },
        {
          name: 'Actions',
          isAction: true,
          cell: ({ model, provider }) =>
            html`${linkButton(`/console/refusals?model=${encodeURIComponent(model)}`, 'Refused calls', { kind: 'sm quiet', of: model })}${
              mayChange
                ? linkButton(
                    `${pricesPath}/new?model=${encodeURIComponent(model)}&provider=${encodeURIComponent(provider ?? '')}`,
                    'Set a price',
                    { kind: 'sm primary', of: model },
                  )
                : nothing
            }`,
        },
      ],
      models,
      { kind: 'budgets', caption: 'Models called without a price' },
    )}`,
  )
}

const policies: Readonly<Record<string, string>> = {
  refuse: 'Refused',
  ceiling: 'Held at a fixed amount',
  estimate: 'Held at the estimate of the caller',
}

const settings = ({ unpriced, unpriced_ceiling_usd, min_hold_usd, default_max_output_tokens }: Prices): Markup =>
  facts([
    ['A call whose model has no price', policies[unpriced] ?? unpriced],
    ['Fixed amount', unpriced_ceiling_usd === null ? 'none' : money(unpriced_ceiling_usd)],
    ['Least that a call holds', money(min_hold_usd)],
    ['Output tokens where a call names none', countText(default_max_output_tokens)],
  ])
