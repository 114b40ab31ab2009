/** A normalised text, with the position of each of its characters in the original. */
export interface Folded {
  readonly text: string
  /** The original index of the character at each index; undefined when the text is unchanged. */
  readonly origins: Int32Array | undefined
}

type Ranges = readonly (readonly [first: number, last: number])[]

/** Zero-width characters; combining accents too, since `é` may be two characters. */
const invisible: Ranges = [
  [0x00ad, 0x00ad],
  [0x0300, 0x036f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
]
/** Ranges of characters that look like one ASCII character. */
const lookalikes: readonly (readonly [ascii: string, of: Ranges])[] = [
  [
    ' ',
    [
      [0x00a0, 0x00a0],
      [0x1680, 0x1680],
      [0x2000, 0x200a],
      [0x202f, 0x202f],
      [0x205f, 0x205f],
      [0x3000, 0x3000],
    ],
  ],
  [
    '-',
    [
      [0x2010, 0x2015],
      [0x2212, 0x2212],
      [0xfe58, 0xfe58],
      [0xfe63, 0xfe63],
    ],
  ],
  ["'", [[0x2018, 0x201b]]],
  ['"', [[0x201c, 0x201f]]],
  ['\n', [[0x2028, 0x2029]]],
]
const shiftedRanges: readonly (readonly [ascii: string, first: number, last: number])[] = [
  ['!', 0xff01, 0xff5e],
  ['0', 0x0660, 0x0669],
  ['0', 0x06f0, 0x06f9],
  ['0', 0x0966, 0x096f],
]

const unchanged = 0
const dropped = 0xffff
const table = new Uint16Array(0x10000)
const fill = (ranges: Ranges, reading: (code: number, first: number) => number) => {
  for (const [first, last] of ranges) for (let code = first; code <= last; code++) table[code] = reading(code, first)
}
fill(invisible, () => dropped)
for (const [ascii, ranges] of lookalikes) fill(ranges, () => ascii.charCodeAt(0))
for (const [ascii, first, last] of shiftedRanges) fill([[first, last]], (code) => ascii.charCodeAt(0) + code - first)

/** High surrogates: of mathematical letters and digits, and of tags and variation selectors, which have no width. */
const mathematicalSurrogate = 0xd835
const selectorSurrogate = 0xdb40

/** A text without any of these characters is left unchanged. */
const beyondLatin = /[\u{300}-\u{10ffff}\u{a0}\u{ad}]/u

/** Replaces lookalike characters by one spelling, so that a detector needs to know only that one. */
export function fold(original: string): Folded {
  if (!beyondLatin.test(original)) return { text: original, origins: undefined }
  const codes = new Uint16Array(original.length)
  const origins = new Int32Array(original.length)
  let length = 0
  const put = (code: number, origin: number) => {
    codes[length] = code
    origins[length++] = origin
  }
  for (let i = 0; i < original.length; i++) {
    const code = original.charCodeAt(i)
    const reading = table[code]!
    if (code === mathematicalSurrogate || code === selectorSurrogate) {
      if (code === mathematicalSurrogate) put(plain(original, i), i)
      i++
    } else if (reading !== dropped) put(reading === unchanged ? code : reading, i)
  }
  return { text: Buffer.from(codes.buffer, 0, length * 2).toString('utf16le'), origins }
}

const firstMathematical = 0x1d400
const mathematicalReadings = Uint16Array.from({ length: 0x400 }, (_, i) =>
  String.fromCodePoint(firstMathematical + i)
    .normalize('NFKC')
    .charCodeAt(0),
)
/** Returns a mathematical letter or digit without its style. */
const plain = (text: string, index: number) =>
  mathematicalReadings[text.codePointAt(index)! - firstMathematical] ?? text.charCodeAt(index)

/** Maps a non-empty range of the folded text to the original. */
export function unfold(original: string, { origins }: Folded, start: number, end: number) {
  if (!origins) return { start, end }
  const last = origins[end - 1]!
  return { start: origins[start]!, end: last + (isPairAt(original, last) ? 2 : 1) }
}

const isPairAt = (text: string, index: number) => (text.codePointAt(index) ?? 0) > 0xffff
