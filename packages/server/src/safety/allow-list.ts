import { fold } from './folding.ts'
import { lowerCase } from './lower-case.ts'

/** Says of a stretch of a text whether it is no hit. */
type IsAllowed = (start: number, end: number) => boolean

/** An allow-list made ready; for each text it is asked about, one more step. */
export type Allows = (text: string) => IsAllowed

interface Occurrence {
  readonly entry: string
  /** Where in the entry the hit stands. */
  readonly at: number
}

/** A hit that is an allowed text, or stands within one, does not count, however it is capitalised. */
export function allowing(entries: readonly string[]): Allows | undefined {
  if (entries.length === 0) return undefined
  const texts = entries.map((entry) => lowerCase(fold(entry).text))
  const domains = new Set(texts.filter((entry) => entry.startsWith('@')))
  return (text) => {
    const lower = lowerCase(text)
    // A text can have thousands of hits, most of them alike.
    const known = new Map<string, readonly Occurrence[]>()
    return (start, end) => {
      const hit = lower.slice(start, end)
      const at = hit.lastIndexOf('@')
      if (at > 0 && domains.has(hit.slice(at))) return true
      let occurrences = known.get(hit)
      if (!occurrences) known.set(hit, (occurrences = texts.flatMap((entry) => occurrencesIn(entry, hit))))
      return occurrences.some((one) => one.at <= start && lower.startsWith(one.entry, start - one.at))
    }
  }
}

function occurrencesIn(entry: string, hit: string): Occurrence[] {
  const found: Occurrence[] = []
  for (let at = entry.indexOf(hit); at >= 0; at = entry.indexOf(hit, at + 1)) found.push({ entry, at })
  return found
}
