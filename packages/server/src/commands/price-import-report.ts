import {
  type ChangedEntry,
  entriesByProvider,
  type ImportPlan,
  maxEntries,
  type Remark,
  type TermChange,
} from '../money/price-imports/price-imports.ts'

interface Head {
  readonly path: string
  readonly url: string | undefined
  readonly isApplied: boolean
}

/** The whole of a plan, for programs. */
export const jsonReport = (plan: ImportPlan, { path, url, isApplied }: Head): string =>
  JSON.stringify(
    {
      file: path,
      format: plan.format,
      compared_with: url ?? null,
      models: plan.models,
      chosen: plan.chosen,
      changed: plan.changed,
      unchanged: plan.unchanged,
      kept: plan.kept,
      not_expressed: plan.notExpressed,
      not_in_file: plan.notInFile,
      left_out: plan.leftOut,
      refused: plan.refused,
      entries: plan.entries.length,
      applied: isApplied,
    },
    null,
    2,
  )

const shownEntries = 200
const shownNames = 5

const sections = [
  ['added', 'added'],
  ['dearer', 'dearer'],
  ['cheaper', 'cheaper'],
  ['both', 'dearer in one thing, cheaper in another'],
  ['removed', 'removed'],
] as const

/** Changes of a plan, for people. */
export function textReport(plan: ImportPlan, { path, url, isApplied }: Head): string {
  const { format, models, chosen, changed, unchanged, kept, entries } = plan
  const lines = [
    `${path}: ${format}, ${count(models)} models, ${count(chosen)} chosen.`,
    `Compared with the prices in effect at ${url ?? 'no server: the built-in ones'}. Dollars for a million tokens.`,
    ...sections.flatMap(([comparison, title]) =>
      section(title, changed.filter((entry) => entry.comparison === comparison).map(entryLine)),
    ),
    '',
    `${count(unchanged)} unchanged, ${count(kept)} kept that the file does not have.`,
    ...section('not expressed', grouped(plan.notExpressed)),
    ...section('not in the file, stays as it is in effect', grouped(plan.notInFile)),
    ...section('left out; --with-free takes what costs nothing', grouped(plan.leftOut)),
    ...section(
      'refused',
      plan.refused.map(({ entry, what }) => `${entry}: ${what}`),
    ),
    '',
    changed.length === 0
      ? 'There is nothing to change.'
      : isApplied
        ? `Applied. Entries of the installation: ${count(entries.length)}.`
        : `Nothing is applied. Entries of the installation with --apply: ${count(entries.length)}.`,
  ]
  return lines.map(printable).join('\n')
}

/** Says how to choose fewer entries than an installation can have. */
export function tooLongText(plan: ImportPlan): string {
  const largest = entriesByProvider(plan)
    .slice(0, 8)
    .map(([provider, entries]) => `${provider} ${count(entries)}`)
  return printable(
    `These are ${count(plan.entries.length)} entries, and an installation has at most ${count(maxEntries)}. Choose models with --provider or --only. The most are of ${largest.join(', ')}.`,
  )
}

const count = (number: number) => number.toLocaleString('en-US')

/** Replaces characters that move a terminal: the file is somebody else’s. */
const printable = (text: string) => text.replace(/\p{C}/gu, '?')

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  const more = lines.length - shownEntries
  const shown = lines.slice(0, shownEntries).map((line) => `  ${line}`)
  return [
    '',
    `${title} (${count(lines.length)})`,
    ...shown,
    ...(more > 0 ? [`  and ${count(more)} more; --json has all`] : []),
  ]
}

function entryLine({ model, provider, effective_from: from, comparison, changes }: ChangedEntry): string {
  const said = changes
    .filter((change) => comparison !== 'added' || isTelling(change, changes))
    .map(({ term, before, after }) => (before === null ? `${term} ${after}` : `${term} ${before} → ${after ?? 'none'}`))
  const name = `${provider ?? 'any provider'}/${model}${from === null ? '' : ` from ${from.slice(0, 10)}`}`
  return said.length === 0 ? name : `${name}: ${said.join(', ')}`
}

/** True for what a new price says of its own: not the factors of its provider, and no cache that costs what input costs. */
function isTelling({ term, after }: TermChange, changes: readonly TermChange[]): boolean {
  const input = changes.find((each) => each.term === 'input')?.after
  return !(after?.startsWith('×') || after === '0' || (term.startsWith('cache') && after === input))
}

/** One line for each remark, with the models that it is about. */
function grouped(remarks: readonly Remark[]): string[] {
  return [...Map.groupBy(remarks, ({ what }) => what)].map(([what, of]) => {
    const names = of.slice(0, shownNames).map(({ entry }) => entry)
    const more = of.length - names.length
    return `${what}: ${names.join(', ')}${more > 0 ? ` and ${count(more)} more` : ''}`
  })
}
