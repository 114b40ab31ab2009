import type { Random } from '../support/random.ts'

/** Texts of every kind that is dear: those of which a tokenizer makes many tokens, and those that look shorter than they are. */

const words =
  'the agent reads a file, writes "code" & runs tests; fn(x) => x*2 \\ /* why */ {"a":1} <b> 3.14 foo_bar $HOME'.split(
    ' ',
  )
/** Characters that compatibility normalisation makes longer, the longest first. */
const expanding = Array.from(
  '\ufdfa\ufdfb\u33ff\u3300\u334d\u3357\ufb03\u2a74\u2a75\u2057\u222d\u3250\u{1f14e}\u{1f200}½…℀㍿',
)
const specials = ['<|endoftext|>', '<|im_start|>', '<|im_sep|>', '</s>', '[INST]', '\n\nHuman:', '<|fim_prefix|>']
const emoji = ['👩‍👩‍👧‍👦', '🏳️‍🌈', '🤷🏽‍♀️', '🇩🇪', '©️', '🫠']

const repeated = (random: Random, most: number, make: () => string) =>
  Array.from({ length: random.size(most) }, make).join('')
const between = (random: Random, first: number, last: number) => String.fromCodePoint(random.between(first, last))

const kinds: readonly ((random: Random, most: number) => string)[] = [
  (random, most) => repeated(random, most / 5, () => `${random.pick(words)} `),
  (random, most) => repeated(random, most / 2, () => random.pick(expanding)),
  (random, most) => random.pick(expanding).repeat(random.size(most)),
  (random, most) => repeated(random, most / 3, () => between(random, 0x12000, 0x123ff)),
  (random, most) => repeated(random, most / 3, () => between(random, 0x4e00, 0x9fff)),
  (random, most) => repeated(random, most / 3, () => between(random, 0xac00, 0xd7a3)),
  (random, most) => repeated(random, most / 3, () => between(random, 0x900, 0x97f)),
  (random, most) =>
    repeated(random, most, () => random.pick(Array.from('abcdefghijklmnopqrstuvwxyzABCDEFXYZ0123456789+/'))),
  (random, most) => repeated(random, most, () => String(random.between(0, 9))),
  (random, most) => repeated(random, most, () => between(random, 0x20, 0x7e)),
  (random, most) => repeated(random, most / 10, () => random.pick(emoji)),
  (random, most) => repeated(random, most / 10, () => random.pick(specials)),
  (random, most) => repeated(random, most / 2, () => between(random, 0, 0x1f)),
  (random, most) => repeated(random, most / 3, () => `a${between(random, 0x300, 0x36f)}`),
  // Halves of characters, which no text has and JSON can say.
  (random, most) => repeated(random, most / 6, () => between(random, 0xd800, 0xdfff)),
  (random, most) => repeated(random, most / 4, () => between(random, 0, 0xd7ff)),
  (random, most) => repeated(random, most / 4, () => between(random, 0x10000, 0x10ffff)),
  (random, most) => random.pick([' ', '\n', '\t', '"', '\\', ',', 'a', '0', '-']).repeat(random.size(most)),
]

/** A text of about so many bytes at most. */
export function textOf(random: Random, most = 250): string {
  const parts = random.chance(0.7) ? 1 : 3
  return Array.from({ length: parts }, () => random.pick(kinds)(random, Math.max(1, most / parts))).join('')
}

/** Writes a value as JSON in one of the ways that are allowed: with spaces, and with escapes that need not be. */
export function written(random: Random, value: unknown, as: 'caller' | 'provider' = 'caller'): string {
  const space = random.pick(['', '', ' ', '\n  '])
  const escapes = random.pick([0, 0, 0.02, 0.5, 1])
  // Providers escape what is not ASCII or must be; callers may escape whatever they like, keys too.
  const isEscapedHere = (character: string) =>
    (as === 'caller' || character > '\u007f') && isEscaped(random, character, escapes)
  return writeValue(value, space, isEscapedHere)
}

const isEscaped = (random: Random, character: string, share: number) =>
  /[\ud800-\udfff]/.test(character) ? character.length === 1 || random.chance(share) : random.chance(share)

type Escapes = (character: string) => boolean

function writeValue(value: unknown, space: string, escapes: Escapes): string {
  if (typeof value === 'string') return writeString(value, escapes)
  if (Array.isArray(value))
    return `[${value.map((inner) => space + writeValue(inner, space, escapes)).join(',')}${space}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return `{${members
    .map(([key, inner]) => `${space}${writeString(key, escapes)}:${space}${writeValue(inner, space, escapes)}`)
    .join(',')}${space}}`
}

function writeString(text: string, escapes: Escapes): string {
  let out = '"'
  for (const character of text) {
    if (!escapes(character)) out += JSON.stringify(character).slice(1, -1)
    else
      for (let i = 0; i < character.length; i += 1) out += `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`
  }
  return `${out}"`
}
