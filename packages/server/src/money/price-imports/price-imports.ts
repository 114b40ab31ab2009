import {
  entryOfInput,
  installationBook,
  maxPrices,
  ownBook,
  type PriceBook,
  type PriceEntry,
  type PriceInput,
} from '../prices/prices.ts'
import { entryOfListing } from './entries.ts'
import type { PriceFile } from './formats.ts'
import type { Listing } from './listings.ts'
import { candidateOf, chooser, keyOf, type ModelChoice, type Offer, offersOf, type Remark } from './offers.ts'
import { type Comparison, compare, type TermChange } from './terms.ts'

export { maxPrices as maxEntries } from '../prices/prices.ts'
export { formats, type PriceFormat, readPriceFile, UnreadableFile } from './formats.ts'
export type { ModelChoice, Remark } from './offers.ts'
export type { TermChange } from './terms.ts'

/** An entry that an import adds, changes or removes. */
export interface ChangedEntry {
  readonly model: string
  readonly provider: string | null
  readonly effective_from: string | null
  readonly comparison: Comparison | 'removed'
  readonly changes: readonly TermChange[]
}

/** Changes that an import would make. */
export interface ImportPlan {
  readonly format: PriceFile['format']
  readonly models: number
  readonly chosen: number
  readonly changed: readonly ChangedEntry[]
  readonly unchanged: number
  /** Entries that the file does not have and that stay. */
  readonly kept: number
  /** Parts of the file that entries cannot say. */
  readonly notExpressed: readonly Remark[]
  /** Parts of prices that the file does not say and that stay as they are in effect. */
  readonly notInFile: readonly Remark[]
  readonly leftOut: readonly Remark[]
  readonly refused: readonly Remark[]
  /** All entries afterwards. */
  readonly entries: readonly PriceInput[]
}

interface Made {
  readonly input: PriceInput
  readonly listing: Listing
  readonly kept: readonly string[]
  readonly notes: readonly string[]
  readonly comparison: Comparison
  readonly changes: readonly TermChange[]
}

/**
 * Plans the import of a file into the entries that the installation has; into those of an organization where `behind` are the entries of the
 * installation behind them.
 */
export function planImport(
  { format, listings }: PriceFile,
  choice: ModelChoice,
  standing: readonly PriceInput[],
  {
    replaces,
    nowMs,
    behind,
  }: { readonly replaces: boolean; readonly nowMs: number; readonly behind?: readonly PriceEntry[] | undefined },
): ImportPlan {
  const isChosen = chooser(choice)
  const chosen = listings.filter((listing) => isChosen(candidateOf(listing)))
  const { offers, leftOut, refused } = offersOf(chosen, choice)
  const entries = standing.map(entryOfInput)
  const book = behind ? ownBook(entries, behind) : installationBook(entries)
  const groups = [...Map.groupBy(offers, ({ model, listing }) => keyOf({ model, provider: listing.provider }))].map(
    ([key, group]) => [key, ahead(group, nowMs).map((offer) => makeEntry(book, offer, nowMs))] as const,
  )
  const made = new Map(groups.filter(([, group]) => choice.withFree || !group.some(becomesFree)))
  const given = groups.filter(([key]) => !made.has(key)).flatMap(([, group]) => group)
  const isGone = (entry: PriceInput) =>
    replaces && !groups.some(([key]) => key === keyOf(entry)) && isChosen(candidateOfEntry(entry))
  const isChanged = (group: readonly Made[]) => group.some(({ comparison }) => comparison !== 'unchanged')
  const others = standing.filter((entry) => !isGone(entry) && !isChanged(made.get(keyOf(entry)) ?? []))
  const all = [...made.values()].flat()
  const changed = all.filter(({ comparison }) => comparison !== 'unchanged')
  return {
    format,
    models: listings.length,
    chosen: chosen.length,
    changed: [
      ...changed.map(({ input, comparison, changes }) => ({ ...headOf(input), comparison, changes })),
      ...standing.filter(isGone).map((entry) => ({ ...headOf(entry), comparison: 'removed' as const, changes: [] })),
    ],
    unchanged: all.length - changed.length,
    kept: others.filter((entry) => !made.has(keyOf(entry))).length,
    notExpressed: remarksOf(all, ({ notes }) => notes),
    notInFile: remarksOf(changed, ({ kept }) => kept),
    leftOut: [...leftOut, ...remarksOf(given, () => ['a part of it costs nothing any more'])],
    refused,
    entries: [...others, ...[...made.values()].filter(isChanged).flatMap((group) => group.map(({ input }) => input))],
  }
}

/** True where tokens that cost something in effect cost nothing in the file: most often the file only does not know. */
const becomesFree = ({ changes, comparison }: Made): boolean =>
  comparison !== 'added' && changes.some(({ before, after }) => after === '0' && before !== '0')

const remarksOf = (made: readonly Made[], whats: (made: Made) => readonly string[]): Remark[] => {
  const all = made.flatMap((each) =>
    whats(each).map((what) => ({ entry: each.listing.name, what, line: each.listing.line })),
  )
  return [...new Map(all.map((remark) => [`${remark.entry}\0${remark.what}`, remark])).values()]
}

/** True when a plan has more entries than there can be. */
export const isTooLong = ({ entries }: ImportPlan): boolean => entries.length > maxPrices

/** Returns how many entries each provider would have, the largest first. */
export const entriesByProvider = ({ entries }: ImportPlan): (readonly [provider: string, entries: number])[] =>
  [...Map.groupBy(entries, ({ provider }) => provider ?? 'any provider')]
    .map(([provider, group]) => [provider, group.length] as const)
    .toSorted(([, a], [, b]) => b - a)

const headOf = ({ model, provider, effective_from }: PriceInput) => ({
  model,
  provider: provider ?? null,
  effective_from: effective_from ?? null,
})

const candidateOfEntry = ({ model, provider }: PriceInput) => ({
  names: [model, `${provider ?? ''}/${model}`],
  providers: [provider ?? ''],
})

const fromMs = ({ price }: Offer) => (price.from === undefined ? 0 : Date.parse(price.from))

/** Returns the price of today and those of later days. */
function ahead(group: readonly Offer[], nowMs: number): Offer[] {
  const inOrder = group.toSorted((a, b) => fromMs(a) - fromMs(b))
  const today = inOrder.findLastIndex((offer) => fromMs(offer) <= nowMs)
  return inOrder.slice(Math.max(0, today))
}

function makeEntry(book: PriceBook, offer: Offer, nowMs: number): Made {
  const { listing, model, price } = offer
  const inEffect = book.entryOf(model, listing.provider, Math.max(nowMs, fromMs(offer)))
  const { input, kept, notes } = entryOfListing(listing, model, price, inEffect)
  return { input, listing, kept, notes, ...compare(inEffect, entryOfInput(input)) }
}
