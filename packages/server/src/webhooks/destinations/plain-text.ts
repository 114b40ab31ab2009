/** Characters that change how the text around them is read: controls, and marks of writing direction. */
const treacherous = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/gu

/** Addresses that programs make into links by themselves, bare names of hosts too. A character without width keeps them text. */
const linked = /:\/\/|@(?=\w)|(?<=[\p{L}\p{N}-])[.\u3002\uff0e\uff61](?=\p{L})/gu
const unlinked: Readonly<Record<string, string>> = { '://': ':\u200b//' }

/** Returns what somebody has named as one line of text that is only read: no controls, no links, no mentions, at most `most` characters. */
export function plainText(text: string, most = 200): string {
  const line = text.toWellFormed().replace(treacherous, ' ').replace(/\s+/gu, ' ').trim()
  const characters = Array.from(line)
  const cut = characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line
  return cut.replace(linked, (found) => unlinked[found] ?? `${found}\u200b`)
}
