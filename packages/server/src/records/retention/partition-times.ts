import { timeOfUuid } from '../../values/id.ts'

const upper = /TO \('([^']+)'\)/
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-/

/** Returns the end of a partition, from its bounds as PostgreSQL writes them: ids with a time inside, times, or dates. */
export function endOfBound(bound: string): number | undefined {
  const text = upper.exec(bound)?.[1]
  if (text === undefined) return undefined
  const ms = uuid.test(text) ? timeOfUuid(text) : Date.parse(utc(text))
  return Number.isNaN(ms) ? undefined : ms
}

/** `2026-11-15`, or `2026-11-15 00:00:00+00` in the zone of the session. */
const utc = (text: string) =>
  text.length === 10 ? `${text}T00:00:00Z` : text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')
