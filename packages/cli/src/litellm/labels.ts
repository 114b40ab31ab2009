import { type Json, textOf } from '../values.ts'

const longestLabel = 200
// The server refuses them in names.
const control = /\p{Cc}/gu

/** Returns a name as Weir takes it; undefined where nothing is left of it. */
export function labelOf(text: string, most = longestLabel): string | undefined {
  const label = Array.from(text.toWellFormed().replace(control, '').trim()).slice(0, most).join('')
  return label === '' || label === '.' || label === '..' ? undefined : label
}

// Names that are in their normal form already, as nearly all are.
const plain = /^[a-z0-9][a-z0-9.:@_/-]*$/
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu
const hyphens = /[\u2010-\u2015\u2043\u2212\ufe58]/g

/** Returns the form in which Weir compares names of teams, users and end users, so that a limit is found again that it has under another spelling. */
export function normalName(name: string): string {
  if (plain.test(name)) return name
  const folded = name.normalize('NFKC').replace(invisible, '').replace(hyphens, '-').toUpperCase().toLowerCase()
  return folded.normalize('NFKC').replace(/\s+/g, ' ').trim()
}

/** The name under which something is shown: its alias, else its id. */
export const nameOf = (row: Json, alias: string, id: string): string =>
  labelOf(textOf(row, alias) || textOf(row, id), 100) ?? 'LiteLLM'

/** Returns a time of LiteLLM's, which has no zone and is UTC. */
export function timeOf(text: string): Date | undefined {
  if (text === '') return undefined
  const iso = text.replace(' ', 'T')
  const time = new Date(/(Z|[+-]\d\d:?\d\d)$/.test(iso) ? iso : `${iso}Z`)
  return Number.isNaN(time.getTime()) ? undefined : time
}
