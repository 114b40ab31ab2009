/** Characters that nobody sees: zero-width ones, soft hyphens, fillers, variation selectors, marks of direction, the empty braille cell. */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]|(?!\s)\p{Cc}/gu

/** Hyphens, dashes and the minus sign, which look alike and are typed for each other. */
const hyphens = /[\u2010-\u2015\u2043\u2212\ufe58]/g

/** Text that is in normal form already, as nearly every name is. */
const plain = /^[a-z0-9][a-z0-9.:@_/-]*$/

/** Returns a text without differences of compatibility, letter case, dashes and invisible characters. Blanks stay. */
export const folded = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(invisible, '')
    .replace(/\s/g, ' ')
    .replace(hyphens, '-')
    // Upper case first: letters with two lower-case forms become one.
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')

/**
 * Returns the form in which names that callers choose are compared, stored and shown: compatibility characters, letter case,
 * invisible characters, the kind of dash and blanks around them make no difference, and several blanks are one. Letters of other alphabets that look
 * alike stay different.
 */
export function normalForm(text: string): string {
  if (text === '' || plain.test(text)) return text
  // Taking letters apart can leave others to be put together.
  let form = text
  for (;;) {
    const next = folded(form).replace(/ +/g, ' ').trim()
    if (next === form) return form
    form = next
  }
}

/** True when two names are one, however they are spelled. */
export const isSameForm = (a: string, b: string): boolean => a === b || normalForm(a) === normalForm(b)

/** True when a name has something that names: a letter, a digit or a symbol. */
export const namesSomething = (text: string): boolean => plain.test(text) || /[\p{L}\p{N}\p{S}]/u.test(normalForm(text))
