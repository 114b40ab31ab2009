const illegal = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u
const reference = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\dA-Fa-f]{1,6}));|&/g

export const charactersAreLegal = (text: string) => !illegal.test(text)

/** Tells whether all references of a text are to characters: the five names of XML, or numbers of legal characters. */
export function hasOnlyKnownReferences(text: string): boolean {
  for (const [, known, decimal, hexadecimal] of text.matchAll(reference)) {
    if (known !== undefined) continue
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
    if (!(code <= 0x10ffff) || illegal.test(String.fromCodePoint(code))) return false
  }
  return true
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Decodes base64, with line breaks where a sender wraps it; undefined unless it is the one spelling of its bytes. */
export function strictBase64(text: string): Buffer | undefined {
  const compact = text.replace(/[ \t\r\n]+/g, '')
  if (compact === '' || !base64.test(compact)) return undefined
  const bytes = Buffer.from(compact, 'base64')
  return bytes.toString('base64') === compact ? bytes : undefined
}

const utcTime = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/

/** Reads a time as SAML writes it, in UTC with a `Z`; undefined for everything else, days that do not exist included. */
export function samlTime(text: string | undefined): number | undefined {
  const day = text === undefined ? undefined : utcTime.exec(text)?.[1]
  if (text === undefined || day === undefined) return undefined
  const ms = Date.parse(text)
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== day ? undefined : ms
}
