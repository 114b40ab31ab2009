import { formatUsd, parseUsd } from '../../values/money.ts'
import type { Schemas } from '../api/api.ts'
import { type Content, countText, html, moneyText, nothing, section } from '../components/components.ts'
import type { ShownRun } from './run-words.ts'

type Prices = Schemas['Prices']
type Price = Prices['list_prices'][number] | Prices['prices'][number]

interface CostPart {
  readonly name: string
  readonly tokens: number
  readonly rate: string
  readonly sub?: string
}

const million = 1_000_000n

/** Returns the price of a run: the one that was decided with, or the newest that was in effect when it started. */
export function priceOf(
  { prices, list_prices: listed }: Prices,
  run: ShownRun,
  priceId: string | null,
): Price | undefined {
  const all: Price[] = [...prices, ...listed]
  const inEffect = ({ effective_from: from }: Price) => from === null || from <= run.started_at
  return (
    all.find(({ id }) => id === priceId) ??
    all
      .filter((price) => price.model === run.model && inEffect(price))
      .toSorted((a, b) => ((a.effective_from ?? '') < (b.effective_from ?? '') ? 1 : -1))[0]
  )
}

/** Returns the parts of a run's cost at a price; the input without what a cache read or wrote. */
function partsOf(run: ShownRun, price: Price): readonly CostPart[] {
  const read = run.cache_read_input_tokens ?? 0
  const written = run.cache_creation_input_tokens ?? 0
  const hour = run.usage_detail?.cache_creation_1h_input_tokens ?? 0
  const input = price.input_usd_per_million
  const write = price.cache_write_usd_per_million ?? input
  const reasoning = run.reasoning_output_tokens ?? 0
  const parts: CostPart[] = [
    { name: 'Input', tokens: (run.input_tokens ?? 0) - read - written, rate: input },
    { name: 'Read from cache', tokens: read, rate: price.cache_read_usd_per_million ?? input },
    { name: 'Written to cache', tokens: written - hour, rate: write },
    {
      name: 'Written to cache for an hour',
      tokens: hour,
      rate: price.other_usd_per_million?.['cache_write_1h'] ?? write,
    },
    {
      name: 'Output',
      tokens: run.output_tokens ?? 0,
      rate: price.output_usd_per_million,
      ...(reasoning > 0 && { sub: `of that ${countText(reasoning)} reasoning` }),
    },
  ]
  return parts.filter(({ tokens }) => tokens > 0)
}

/** Returns an amount to four decimals, or with all of them where it has more: parts must add up on the page. */
const exactText = (nano: bigint): string => {
  const usd = formatUsd(nano)
  return nano % 100_000n === 0n ? moneyText(usd, 'small') : `$${usd}`
}

const bases: Readonly<Record<string, string>> = {
  computed: 'computed from its tokens',
  estimated: 'what had been held, because nothing else was reported',
  reported: 'reported by the caller',
}

/** Returns where a run's cost comes from, in words. */
export const costBasisText = (basis: string | null): string => (basis === null ? '' : (bases[basis] ?? basis))

/** The section on the cost of a run: its tokens at their rates, if these add up to it; else where the cost comes from. */
export function costSection(run: ShownRun, price: Price | undefined): Content {
  if (run.cost_usd === null) return nothing
  const cost = parseUsd(run.cost_usd)
  const parts = price === undefined ? [] : partsOf(run, price)
  const nanoOf = ({ tokens, rate }: CostPart) => BigInt(tokens) * parseUsd(rate)
  const sum = parts.reduce((all, one) => all + nanoOf(one), 0n)
  const isWhole = parts.length > 0 && parts.every((one) => nanoOf(one) % million === 0n) && sum === cost * million
  if (!isWhole)
    return section(
      'How the cost came about',
      html`<p>${exactText(cost)}, ${costBasisText(run.cost_basis)}. ${countText(run.input_tokens ?? 0)} tokens in, ${countText(run.output_tokens ?? 0)} out.</p>`,
    )
  const rows = parts.map(
    (one) =>
      html`<tr><th scope="row">${one.name}${one.sub === undefined ? nothing : html`<span class="sub">${one.sub}</span>`}</th><td class="n">${countText(one.tokens)}</td><td class="n">${moneyText(one.rate)}</td><td class="n">${exactText(nanoOf(one) / million)}</td></tr>`,
  )
  return section(
    'How the cost came about',
    html`<table class="t dense still costs"><thead><tr><th scope="col">Tokens</th><th scope="col" class="n">Count</th><th scope="col" class="n">Per million</th><th scope="col" class="n">Cost</th></tr></thead><tbody>${rows}</tbody><tfoot><tr><th scope="row">Together</th><td class="n">${countText(parts.reduce((all, { tokens }) => all + tokens, 0))}</td><td></td><td class="n">${exactText(cost)}</td></tr></tfoot></table>`,
    price === undefined ? nothing : html`<code>${price.id}</code>`,
  )
}
