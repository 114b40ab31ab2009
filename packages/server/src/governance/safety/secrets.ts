import { present } from '../../values/present.ts'
import { type Detector, type Hit, isWordAt, matches } from './hit.ts'
import { looksRandom, secretFormats } from './secret-formats.ts'

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
const allStarts = [...new Set(secretFormats.flatMap(({ starts }) => starts))].sort((a, b) => b.length - a.length)
const anyStart = new RegExp(allStarts.map(escapeRegExp).join('|'), 'g')
const byStart = new Map(
  allStarts.map((start) => [start, secretFormats.filter(({ starts }) => starts.some((own) => start.startsWith(own)))]),
)

/** Placeholders that documentation shows in place of a key. */
const placeholder =
  /example|sample|your[_-]?|placeholder|dummy|changeme|change_me|redacted|insert|replace|xxxx|\*\*\*|<[a-z]|\.\.\.|1234567890(?:abcdef|1234)|0123456789abcdef|abcdefghijklmnop/i
const leastBits = 3

/** A name that indicates a secret, and its value: `password = …`, `"api_key": "…"`, `--token …`. */
const assignment =
  /(?:pass(?:word|wd|phrase)?|pwd|passwort|contrase[ñn]a|mot[_ ]?de[_ ]?passe|secret|token|api[_-]?key|apikey|access[_-]?key(?:[_-]?id)?|auth[_-]?key|private[_-]?key|client[_-]?secret|credentials?|account[_-]?key)["'\])]{0,3}[ \t]{0,4}(?:=>|:=|[:=]|\bis\b)[ \t]{0,4}(?:Bearer |Basic )?(["'`]?)([^\s"'`]{8,200})\1/gi
/** `scheme://user:password@host`. */
const urlCredentials = /[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{1,64}:([^\s:/@]{3,100})@[\w.-]{1,100}/gi
/** AWS secret keys, which have no prefix and are recognised by the name beside them. */
const awsSecret = /aws[\w .:"'-]{0,30}(?:secret|key)[\w "'-]{0,24}[=:][ "']{0,4}([0-9A-Za-z+/]{40})(?![0-9A-Za-z+/=])/gi
/** Twilio keys: a two-letter kind and 32 hexadecimal digits. */
const twilio = /\b(?:AC|SK)[0-9a-f]{32}\b/g

export const secretDetector: Detector = {
  name: 'secret',
  description:
    'Keys, tokens and passwords: those of common providers by their format, JSON Web Tokens, private keys, and values assigned to a name such as `password`.',
  defaultThreshold: 1,
  *find(text) {
    const seen = new Set<number>()
    for (const hit of [...findFormatted(text), ...findAssigned(text)]) {
      if (seen.has(hit.start)) continue
      seen.add(hit.start)
      yield hit
    }
  },
}

function* findFormatted(text: string): Generator<Hit> {
  for (const { 0: start, index } of matches(text, anyStart)) {
    for (const { shape, anywhere, isValid } of present(byStart.get(start))) {
      if (anywhere !== true && isWordAt(text, index - 1)) continue
      shape.lastIndex = index
      const found = shape.exec(text)?.[0]
      if (found === undefined || isValid?.(found) === false) continue
      // Formats that may stand anywhere are literal throughout, and need no entropy check.
      const randomPart = found.slice(start.length)
      if (!anywhere && (placeholder.test(found) || (randomPart.length >= 20 && !looksRandom(randomPart, leastBits))))
        continue
      yield { start: index, end: index + found.length }
      break
    }
  }
}

function* findAssigned(text: string): Generator<Hit> {
  for (const { 0: found, 2: value = '', index } of matches(text, assignment))
    if (isPassword(value)) yield valueHit(index, found, value)
  if (text.includes('://'))
    for (const { 0: found, 1: value = '', index } of matches(text, urlCredentials))
      if (!placeholder.test(value) && !/^[$<{%]|^(?:password|pass|pw|secret|token)$/i.test(value))
        yield valueHit(index, found, value)
  if (/aws/i.test(text))
    for (const { 0: found, 1: value = '', index } of matches(text, awsSecret))
      if (!placeholder.test(value) && looksRandom(value, 4)) yield valueHit(index, found, value)
  for (const { 0: found, index } of matches(text, twilio))
    if (looksRandom(found.slice(2), leastBits)) yield { start: index, end: index + found.length }
}

function valueHit(index: number, found: string, value: string): Hit {
  const start = index + found.lastIndexOf(value)
  return { start, end: start + value.length }
}

/** True when a value looks like a chosen or random secret, and not like code, a name or a placeholder. */
function isPassword(given: string): boolean {
  const value = given.replace(/[,;:.()[\]{}]+$/, '')
  if (value.length < 8 || placeholder.test(value)) return false
  // Excludes templates, variables, code paths and calls.
  if (/^[$<{%@[(&*]|\$\{|\{\{|%\w+%|::|->|=>|\(\)?|^https?:|^[/~.]/.test(value)) return false
  if (/^[A-Za-z_]\w*(?:[.[][A-Za-z_]\w*\]?)+$/.test(value)) return false
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^0-9A-Za-z]/].filter((kind) => kind.test(value)).length
  // Words joined by dashes or underscores are names.
  if (/^[A-Za-z]+(?:[_-][A-Za-z]+)*\d{0,2}$/.test(value) && (kinds < 3 || !looksRandom(value, 3.6))) return false
  return kinds >= 2 && /[0-9]|[^\w]/.test(value) && looksRandom(value, value.length < 12 ? 2.5 : leastBits)
}
