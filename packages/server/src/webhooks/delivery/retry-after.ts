const httpDate = /^(mon|tue|wed|thu|fri|sat|sun)/i

/**
 * Returns the seconds for which an endpoint asks to be left alone: the value of its `Retry-After` header, a number of seconds or
 * one of the three forms of an HTTP date. 0 where it says nothing that can be read, or a time that has passed.
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  if (!httpDate.test(text)) return 0
  // The oldest form names no time zone; it is UTC as in the others.
  const atMs = Date.parse(/GMT$/i.test(text) ? text : `${text} GMT`)
  return Number.isNaN(atMs) ? 0 : Math.max(0, Math.ceil((atMs - nowMs) / 1_000))
}
