import { type Json, textOf } from '../values.ts'

const longestLabel = 200
// The server refuses them in names.
const control = /\p{Cc}/gu

/** Returns a name as Weir takes it; undefined where nothing is left of it. */
export function labelOf(text: string, most = longestLabel): string | undefined {
  const label = Array.from(text.toWellFormed().replace(control, '').trim()).slice(0, most).join('')
  return label === '' || label === '.' || label === '..' ? undefined : label
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
