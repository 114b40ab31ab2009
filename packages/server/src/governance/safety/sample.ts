/** The longest excerpt of submitted text that a response shows. */
export const maxSampleLength = 80
const ellipsis = '…'

/**
 * Returns an excerpt around a hit, of at most `maxSampleLength` UTF-16 units and so of at most as many characters. It never
 * splits a surrogate pair, and is well-formed even when the text is not.
 */
export function sampleOf(text: string, hit: { readonly start: number; readonly end: number }): string {
  if (text.length <= maxSampleLength) return text.toWellFormed()
  const capacity = maxSampleLength - 2 * ellipsis.length
  const spare = Math.max(0, capacity - (hit.end - hit.start))
  const start = Math.max(0, Math.min(hit.start - Math.floor(spare / 2), text.length - capacity))
  const from = isInsidePair(text, start) ? start + 1 : start
  const to = Math.min(text.length, start + capacity)
  const excerpt = text.slice(from, isInsidePair(text, to) ? to - 1 : to)
  return `${from > 0 ? ellipsis : ''}${excerpt}${to < text.length ? ellipsis : ''}`.toWellFormed()
}

function isInsidePair(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1)
  const at = text.charCodeAt(index)
  return before >= 0xd800 && before <= 0xdbff && at >= 0xdc00 && at <= 0xdfff
}
