import { Refused } from './fault.ts'

const mostCharacters = 4_096
const deepest = 30
const mostSigns = 4

// Matches comments, strings, names, and every other character by itself. The prefix of a string is matched as a name before it,
// which is harmless.
const token =
  /\/\/[^\n]*|"""(?:\\[^]|(?!""")[^\\])*"""|'''(?:\\[^]|(?!''')[^\\])*'''|"(?:\\[^]|[^"\\\n\r])*"|'(?:\\[^]|[^'\\\n\r])*'|[A-Za-z_][A-Za-z0-9_]*|[^\s]/gy

const openings = new Set(['(', '[', '{'])
const closings = new Set([')', ']', '}'])
const space = /\s*/gy

/**
 * Bounds an expression before the library parses it: the parser recurses for every bracket and sign, and caches every function
 * name that it ever meets.
 */
export function scan(text: string, isFunction: (name: string) => string | null) {
  if (text.length > mostCharacters)
    throw new Refused(`An expression can have at most ${mostCharacters} characters.`, mostCharacters)
  let [depth, signs] = [0, 0]
  let name: { text: string; offset: number } | null = null
  for (const { text: word, offset } of wordsOf(text)) {
    if (word === '(' && name !== null) {
      const refusal = isFunction(name.text)
      if (refusal !== null) throw new Refused(refusal, name.offset)
    }
    if (openings.has(word) && ++depth > deepest)
      throw new Refused(`Brackets can be nested at most ${deepest} levels deep.`, offset)
    if (closings.has(word)) depth--
    signs = word === '!' || word === '-' ? signs + 1 : 0
    if (signs > mostSigns) throw new Refused(`At most ${mostSigns} signs can follow each other.`, offset)
    name = /^[A-Za-z_]/.test(word) ? { text: word, offset } : null
  }
}

function* wordsOf(text: string) {
  for (let at = 0; at < text.length; ) {
    space.lastIndex = at
    space.exec(text)
    at = space.lastIndex
    token.lastIndex = at
    const word = token.exec(text)?.[0]
    // An unterminated string: the library stops here too.
    if (word === undefined || word === '"' || word === "'") return
    at += word.length
    if ((word === '""' || word === "''") && text[at] === word[0]) return
    if (!word.startsWith('//')) yield { text: word, offset: at - word.length }
  }
}
