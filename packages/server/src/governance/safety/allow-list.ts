import { lowerCase } from './lower-case.ts'
import { fold } from './normalization.ts'

/** Tells whether a range of a text is covered by the allow-list, and so is no hit. */
type IsAllowed = (start: number, end: number) => boolean

/** A prepared allow-list: given a text, returns the test for its ranges. */
export type AllowList = (text: string) => IsAllowed

interface Occurrence {
  readonly entry: string
  /** The hit's offset in the entry. */
  readonly at: number
}

/** Prepares an allow-list. A hit that equals an allowed text, or lies within one, does not count, whatever its capitalisation. */
export function compileAllowList(entries: readonly string[]): AllowList | undefined {
  if (entries.length === 0) return undefined
  const texts = entries.map((entry) => lowerCase(fold(entry).text))
  const domains = new Set(texts.filter((entry) => entry.startsWith('@')))
  return (text) => {
    const lower = lowerCase(text)
    // A text can have thousands of hits, most of them equal.
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
