import { isRecord } from '../../values/records.ts'
import { html, type Markup, nothing } from '../components/components.ts'

/** A field of an entry's target, before and after a change. */
interface FieldChange {
  readonly name: string
  readonly before: unknown
  readonly after: unknown
}

const sameText = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** Returns the fields that differ; of anything that is no object, the whole. */
function changesOf(before: unknown, after: unknown): readonly FieldChange[] {
  if (!isRecord(before) && !isRecord(after)) return sameText(before, after) ? [] : [{ name: 'value', before, after }]
  const [from, to] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}]
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])]
  return names
    .filter((name) => !sameText(from[name], to[name]))
    .map((name) => ({ name, before: from[name], after: to[name] }))
}

const valueText = (value: unknown): string =>
  value === undefined || value === null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value)

/** A table of the fields that a change has altered, each before and after it. */
export function differenceTable(before: unknown, after: unknown): Markup {
  const changes = changesOf(before, after)
  if (changes.length === 0) return html`<p class="dim">Nothing was altered.</p>`
  const rows = changes.map(
    ({ name, before: from, after: to }) =>
      html`<tr><th scope="row">${name.replaceAll('_', ' ')}</th>${before === null ? nothing : html`<td><span class="dim">${valueText(from)}</span></td>`}${after === null ? nothing : html`<td><b>${valueText(to)}</b></td>`}</tr>`,
  )
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Fields that were altered"><table class="t dense still"><thead><tr><th scope="col">Field</th>${before === null ? nothing : html`<th scope="col">Before</th>`}${after === null ? nothing : html`<th scope="col">After</th>`}</tr></thead><tbody>${rows}</tbody></table></div>`
}
