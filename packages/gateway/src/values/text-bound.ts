/**
 * Returns a number that the tokens of a JSON body cannot exceed, whatever the vocabulary: a token is at least one byte of text. Tokenizers
 * that normalise first can make more bytes of a character than it had (U+FDFA: 3, then 33), so bytes are counted after that too.
 * `media` are strings of base64 in it, which no tokenizer sees; `size` is its length in bytes.
 */
export function textBound(
  text: string,
  body: unknown,
  media: ReadonlySet<string>,
  normalises: boolean,
  size = Buffer.byteLength(text),
): number {
  let bytes = size
  for (const string of media) bytes -= string.length
  if (!normalises || (size === text.length && !text.includes('\\u'))) return bytes
  // Each is left out once: a caller may say the same bytes again as text.
  const left = new Set(media)
  const decoded =
    media.size === 0 ? JSON.stringify(body) : JSON.stringify(body, (_, value) => (left.delete(value) ? '' : value))
  return Math.max(bytes, Buffer.byteLength(normalised(decoded)))
}

/** Returns a number that the tokens of a value cannot exceed when it is written as text. */
export function valueBound(value: unknown): number {
  const text = JSON.stringify(value)
  return Math.max(Buffer.byteLength(text), Buffer.byteLength(normalised(text)))
}

/** More marks on one character than any writing has. */
const mostMarks = 32

/**
 * Marks, two letters of Japanese that become some, and halves of pairs that may be some: 1 at the code of each. Second halves come first: a first
 * half before a second one would be one character.
 */
const marks = Uint8Array.from({ length: 0x10000 }, (_, code) =>
  code >= 0x300 && /[\p{M}\udc00-\udfff\ud800-\ud83b\uff9e\uff9f]/u.test(String.fromCharCode(code)) ? 1 : 0,
)

/**
 * Normalises a text as a tokenizer might. To sort many marks on one character takes time that grows with the square of their number, so these
 * are written three times instead: taken apart, none has more bytes than that, and put together again they have no more.
 */
export function normalised(text: string): string {
  let result = ''
  let from = 0
  let start = 0
  for (let i = 0; i <= text.length; i += 1) {
    if (i < text.length && marks[text.charCodeAt(i)] === 1) continue
    if (i - start > mostMarks) {
      const base = Math.max(from, start - 1)
      result +=
        text.slice(from, base).normalize('NFKC') +
        text.slice(base, start).normalize('NFKD') +
        text.slice(start, i).repeat(3)
      from = i
    }
    start = i + 1
  }
  return result + text.slice(from).normalize('NFKC')
}

/** Counts the members of all objects and the elements of all arrays in a value. */
export function partsOf(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0
  let parts = 0
  for (const inner of Object.values(value)) parts += 1 + partsOf(inner)
  return parts
}
