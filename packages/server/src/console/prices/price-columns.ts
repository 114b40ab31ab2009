import type { Schemas } from '../api/api.ts'
import { type Column, type Content, countText, html, linkButton, moneyText, nothing } from '../components/components.ts'
import type { Visit } from '../frame/frame.ts'

type ListPrice = Schemas['Prices']['list_prices'][number]

/** A price as its table shows it: one that somebody set, or one of the list with its source. */
export type ShownPrice = Omit<ListPrice, 'source'> & { readonly source?: string }

const sources: Readonly<Record<string, string>> = {
  installation: 'set by whoever runs Weir',
  list: 'built-in list',
  catalog: 'built-in catalogue',
}

/** Parts of a price beyond those that have a column, counted. */
function furtherText({ tiers, units_usd, multipliers, other_usd_per_million }: ShownPrice): Content {
  const parts = [
    ...tiers.map(({ above_input_tokens }) => `dearer or cheaper above ${countText(above_input_tokens)} tokens`),
    ...Object.keys(other_usd_per_million).map((name) => name.replaceAll('_', ' ')),
    ...Object.keys(units_usd).map((name) => name.replaceAll('_', ' ')),
    ...Object.keys(multipliers),
  ]
  return parts.length === 0 ? nothing : html`<span class="sub">Also priced: ${parts.join(', ')}</span>`
}

/** Columns of a table of prices, in dollars for a million tokens. */
export const priceColumns = (
  { times }: Visit,
  { path, mayChange }: { readonly path: string; readonly mayChange: boolean },
): readonly Column<ShownPrice>[] => [
  {
    name: 'Model',
    kind: 'who',
    cell: (price) =>
      html`<b>${price.model}</b> <span class="kind">${price.provider ?? 'any provider'}</span> ${furtherText(price)}`,
  },
  {
    name: 'Input',
    isNumber: true,
    label: 'Input',
    cell: ({ input_usd_per_million }) => moneyText(input_usd_per_million, 'small'),
  },
  {
    name: 'Output',
    isNumber: true,
    label: 'Output',
    cell: ({ output_usd_per_million }) => moneyText(output_usd_per_million, 'small'),
  },
  {
    name: 'Cache read',
    isNumber: true,
    label: 'Cache read',
    cell: ({ cache_read_usd_per_million }) => moneyText(cache_read_usd_per_million, 'small'),
  },
  {
    name: 'Cache write',
    isNumber: true,
    label: 'Cache write',
    cell: ({ cache_write_usd_per_million }) => moneyText(cache_write_usd_per_million, 'small'),
  },
  {
    name: 'In effect since',
    label: 'Since',
    cell: ({ effective_from }) =>
      new Date(effective_from).getTime() <= 0
        ? html`<span class="dim">always</span>`
        : new Date(effective_from) > times.now
          ? html`from ${times.time(effective_from)}`
          : times.time(effective_from),
  },
  {
    name: 'From',
    label: 'From',
    cell: ({ source }) => (source === undefined ? 'set here' : (sources[source] ?? source)),
  },
  {
    name: 'Actions',
    isAction: true,
    cell: ({ id, model, provider, source }) =>
      !mayChange
        ? nothing
        : source === undefined
          ? html`${linkButton(`${path}/${id}/edit`, 'Change', { kind: 'sm quiet', of: model })}${linkButton(`${path}/${id}/delete`, 'Delete', { kind: 'sm quiet', of: model })}`
          : linkButton(
              `${path}/new?model=${encodeURIComponent(model)}&provider=${encodeURIComponent(provider ?? '')}`,
              'Set own',
              { kind: 'sm quiet', of: model },
            ),
  },
]
