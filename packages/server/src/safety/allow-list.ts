import { fold } from './folding.ts'

/** Says of a hit whether the organization allows it. */
export type Allows = (text: string, start: number, end: number) => boolean

/** An allow-list made ready: a hit that is an allowed text, or stands within one, does not count, however it is capitalised. */
export function allowing(entries: readonly string[]): Allows | undefined {
  if (entries.length === 0) return undefined
  const texts = entries.map((entry) => fold(entry).text.toLowerCase())
  const domains = new Set(texts.filter((entry) => entry.startsWith('@')))
  return (text, start, end) => {
    const hit = text.slice(start, end).toLowerCase()
    const at = hit.lastIndexOf('@')
    if (at > 0 && domains.has(hit.slice(at))) return true
    return texts.some((entry) => contains(entry, hit, text, start))
  }
}

/** Whether the text around a hit is the allowed one. */
function contains(entry: string, hit: string, text: string, start: number): boolean {
  for (let at = entry.indexOf(hit); at >= 0; at = entry.indexOf(hit, at + 1)) {
    if (at <= start && text.slice(start - at, start - at + entry.length).toLowerCase() === entry) return true
  }
  return false
}
