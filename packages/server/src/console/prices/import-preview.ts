import type { Schemas } from '../api/api.ts'
import {
  type Column,
  type Content,
  counted,
  countText,
  figures,
  html,
  moneyValue,
  note,
  nothing,
  section,
  table,
} from '../components/components.ts'
import type { Visit } from '../frame/frame.ts'

type PriceImport = Schemas['PriceImport']
type Change = PriceImport['changes'][number]
type Term = Change['terms'][number]
type Remark = PriceImport['refused'][number]

const changeWords: Readonly<Record<string, string>> = {
  added: 'Added',
  dearer: 'Dearer',
  cheaper: 'Cheaper',
  both: 'Dearer and cheaper',
  removed: 'Removed',
}

const termText = (term: string) =>
  term.replaceAll('_', ' ').replaceAll(/\d{4,}/g, (digits) => countText(Number(digits)))
const amountText = (amount: string) => (amount.startsWith('×') ? amount : `$${moneyValue(amount.replace('$', ''))}`)
const signedText = (percent: number) => `${percent < 0 ? '−' : '+'}${Math.abs(percent)}%`

/** True for what a new price says of its own: not the factors of its provider, and no cache that costs what input costs. */
function isTelling({ term, after }: Term, terms: readonly Term[]): boolean {
  const input = terms.find((each) => each.term === 'input')?.after
  return !(after?.startsWith('×') || after === '0' || (term.startsWith('cache') && after === input))
}

const termLine = ({ term, before, after, difference_percent: percent }: Term): Content =>
  html`<li>${termText(term)} ${
    before === null
      ? nothing
      : html`${amountText(before)} <span aria-hidden="true">→</span><span class="hidden"> to </span> `
  }<b>${after === null ? 'none' : amountText(after)}</b>${percent === null ? nothing : ` ${signedText(percent)}`}</li>`

const changeColumns = ({ times }: Visit): readonly Column<Change>[] => [
  {
    name: 'Model',
    kind: 'who',
    cell: ({ model, provider }) => html`<b>${model}</b> <span class="kind">${provider ?? 'any provider'}</span>`,
  },
  { name: 'Change', label: 'Change', cell: ({ change }) => changeWords[change] ?? change },
  {
    name: 'For a million tokens',
    label: 'Rates',
    kind: 'all',
    cell: ({ change, terms }) => {
      const shown = change === 'added' ? terms.filter((term) => isTelling(term, terms)) : terms
      return shown.length === 0
        ? html`<span class="dim">the next price that fits counts again</span>`
        : html`<ul class="plain small">${shown.map(termLine)}</ul>`
    },
  },
  {
    name: 'From',
    label: 'From',
    cell: ({ effective_from: from }) => (from === null || new Date(from) <= times.now ? 'at once' : times.time(from)),
  },
]

const remarkColumns: readonly Column<Remark>[] = [
  { name: 'Model', kind: 'who', cell: ({ model }) => model },
  { name: 'Line', isNumber: true, label: 'Line', cell: ({ line }) => (line === null ? '' : countText(line)) },
  { name: 'What is wrong', label: 'Wrong', kind: 'all', cell: ({ message }) => message },
]

const shownRemarks = 100

/** Remarks that need no answer, folded up. */
const folded = (title: string, remarks: readonly Remark[]): Content =>
  remarks.length === 0
    ? nothing
    : html`<details class="more"><summary>${title} (${countText(remarks.length)})</summary><ul class="small">${remarks
        .slice(0, shownRemarks)
        .map(
          ({ model, line, message }) =>
            html`<li>${line === null ? nothing : `Line ${line}: `}<b>${model}</b>: ${message}</li>`,
        )}${remarks.length > shownRemarks ? html`<li>and ${countText(remarks.length - shownRemarks)} more</li>` : nothing}</ul></details>`

/** Returns the reason that an import cannot be made as it is; undefined where it can. */
export function obstacleOf(
  { refused, entries, max_entries: most, changes }: PriceImport,
  skipsRefused: boolean,
): string | undefined {
  if (refused.length > 0 && !skipsRefused)
    return `${counted(refused.length, 'price')} in the file ${refused.length === 1 ? 'is' : 'are'} invalid. Correct the file, or leave these models out below.`
  if (entries > most)
    return `This would make ${countText(entries)} prices; at most ${countText(most)} are allowed. Choose providers or models below.`
  return changes.length === 0 ? 'There is nothing to change: all that was chosen is in effect already.' : undefined
}

/** As many as an import can make: every price may be another one. */
const shownChanges = 2_000

/** The difference that an import would make: counts, then each price, then what is not taken. */
export function importPreview(visit: Visit, found: PriceImport): Content {
  const { changes, refused } = found
  const count = (change: string) => changes.filter((each) => each.change === change).length
  const directions = [
    [count('dearer'), 'dearer'],
    [count('cheaper'), 'cheaper'],
    [count('both'), 'both'],
  ] as const
  return html`<div class="gap16">${figures([
    { label: 'Added', big: countText(found.added) },
    {
      label: 'Changed',
      big: countText(found.changed),
      foot: directions.flatMap(([number, word]) => (number === 0 ? [] : [`${countText(number)} ${word}`])).join(', '),
    },
    { label: 'Removed', big: countText(found.removed) },
    {
      label: 'Unchanged',
      big: countText(found.unchanged),
      foot:
        found.kept === 0
          ? ''
          : `${counted(found.kept, 'price')} that the file does not have ${found.kept === 1 ? 'stays' : 'stay'}`,
    },
  ])}</div>${
    refused.length === 0
      ? nothing
      : section(
          'Invalid prices',
          html`${table(remarkColumns, refused.slice(0, shownRemarks), { kind: 'budgets', caption: 'Invalid prices' })}${
            refused.length > shownRemarks
              ? note('', `${countText(refused.length - shownRemarks)} more are not shown.`)
              : nothing
          }`,
        )
  }${
    changes.length === 0
      ? nothing
      : section(
          'Differences',
          html`${table(changeColumns(visit), changes.slice(0, shownChanges), { kind: 'budgets', caption: 'Differences' })}${
            changes.length > shownChanges
              ? note('', `${countText(changes.length - shownChanges)} more are not shown.`)
              : nothing
          }`,
        )
  }${folded('Left out', found.left_out)}${folded('Parts of the file that a price cannot express', found.not_expressed)}${folded(
    'Not in the file, stays as it is',
    found.not_in_file,
  )}`
}
