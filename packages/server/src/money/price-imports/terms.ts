import { formatUsd } from '../../values/money.ts'
import { factorOf, type PriceEntry, type Rates, ratesFor, serviceTiers, usdPerMillion } from '../prices/prices.ts'

/** One thing that a price says, as people read it: what it costs before and after. */
export interface TermChange {
  readonly term: string
  readonly before: string | null
  readonly after: string | null
  /** By how much it rises or falls; null where there is nothing to compare with. */
  readonly percent: number | null
}

/** Comparison of a price with the one before it. */
export type Comparison = 'added' | 'dearer' | 'cheaper' | 'both' | 'unchanged'

interface Term {
  readonly pico: bigint
  readonly text: string
}

/** Compares two prices in everything that a call can be charged for. */
export function compare(before: PriceEntry | undefined, after: PriceEntry) {
  const said = new Set([...(before?.tiers ?? []), ...(after.tiers ?? [])].map(({ above }) => above))
  // Sources disagree whether a tier begins with its threshold or after it: one token makes no other tier.
  const lengths = [...said].filter((above) => !said.has(above + 1))
  const kinds = [before, after].flatMap((entry) => Object.keys(entry?.others ?? {}))
  const [old, now] = [before, after].map((entry) =>
    entry ? termsOf(entry, lengths, [...new Set(kinds)]) : new Map<string, Term>(),
  )
  const names = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])]
  const changed = names.flatMap((term) => {
    const [a, b] = [old?.get(term), now?.get(term)]
    return a?.pico === b?.pico ? [] : [{ term, a, b }]
  })
  const isUp = changed.some(({ a, b }) => (b?.pico ?? 0n) > (a?.pico ?? 0n))
  const isDown = changed.some(({ a, b }) => (b?.pico ?? 0n) < (a?.pico ?? 0n))
  const comparison: Comparison = !before
    ? 'added'
    : isUp && isDown
      ? 'both'
      : isUp
        ? 'dearer'
        : isDown
          ? 'cheaper'
          : 'unchanged'
  const changes: TermChange[] = changed.map(({ term, a, b }) => ({
    term,
    before: a?.text ?? null,
    after: b?.text ?? null,
    percent: a && b && a.pico > 0n ? Number(((b.pico - a.pico) * 1_000n) / a.pico) / 10 : null,
  }))
  return { comparison, changes }
}

function termsOf(entry: PriceEntry, lengths: readonly number[], kinds: readonly string[]): Map<string, Term> {
  const perMillion = (pico: bigint): Term => ({ pico, text: usdPerMillion(pico) })
  const rates = [0, ...lengths.toSorted((a, b) => a - b)].flatMap((above) =>
    ratesOf(ratesFor(entry, above + 1), kinds).map(
      ([kind, pico]) => [above === 0 ? kind : `${kind} above ${above} tokens`, perMillion(pico)] as const,
    ),
  )
  const units = Object.entries(entry.units ?? {}).map(
    ([unit, pico]) => [`each ${unit}`, { pico, text: `$${formatUsd((pico + 999n) / 1_000n)}` }] as const,
  )
  const factors = serviceTiers.map((tier) => {
    const pico = factorOf(entry, tier)
    return [tier, { pico, text: `× ${formatUsd(pico * 1_000_000n)}` }] as const
  })
  return new Map([...rates, ...units, ...factors.filter(([tier]) => tier !== 'standard')])
}

function ratesOf(rates: Rates, kinds: readonly string[]): (readonly [string, bigint])[] {
  const { inputPico, outputPico, cacheReadPico, cacheWritePico } = rates
  const others: Readonly<Record<string, bigint | undefined>> = { ...rates.others }
  const plain = (kind: string) =>
    kind === 'cache_write_1h'
      ? cacheWritePico
      : kind.startsWith('cache')
        ? cacheReadPico
        : kind.startsWith('output')
          ? outputPico
          : inputPico
  return [
    ['input', inputPico],
    ['output', outputPico],
    ['cache_read', cacheReadPico],
    ['cache_write', cacheWritePico],
    ...kinds.map((kind) => [kind, others[kind] ?? plain(kind)] as const),
  ]
}
