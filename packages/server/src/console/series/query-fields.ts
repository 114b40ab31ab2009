import { html, type Markup, nothing } from '../components/components.ts'
import { metrics } from './usage-sums.ts'
import { granularities, ranges } from './usage-window.ts'

/** A choice of a field of a view. */
export const queryOption = (value: string, text: string, chosen: string) =>
  html`<option value="${value}"${value === chosen ? html` selected` : nothing}>${text}</option>`

/** A field of a view whose values are choices; part of a form that is sent to the address. */
export const querySelect = (name: string, label: string, options: Markup[]): Markup =>
  html`<label class="hidden" for="q-${name}">${label}</label><select class="in" id="q-${name}" name="${name}">${options}</select>`

/** Fields for the range of a view; two dates where it is between dates. */
export function rangeFields(query: URLSearchParams): Markup {
  const range = query.get('range') ?? (query.has('from') ? 'dates' : 'month')
  const date = (name: string, label: string) =>
    html`<label class="hidden" for="q-${name}">${label}</label><input class="in" type="date" id="q-${name}" name="${name}" value="${query.get(name) ?? ''}">`
  return html`${querySelect(
    'range',
    'Range',
    ranges.map(([value, text]) => queryOption(value, text, range)),
  )}${range === 'dates' ? html`${date('from', 'First day')}${date('to', 'Last day')}` : nothing}`
}

/** Fields for the length of the bars and the number that they show. */
export const barFields = (length: string, metric: string): Markup =>
  html`${querySelect(
    'granularity',
    'Each bar is',
    granularities.map((name) => queryOption(name, `by ${name}`, length)),
  )}${querySelect(
    'metric',
    'Show',
    metrics.map((name) => queryOption(name, { cost: 'Cost', runs: 'Runs', tokens: 'Tokens' }[name], metric)),
  )}`
