import { CompileError } from './fault.ts'

const maxCharacters = 4_096
const maxDepth = 30
const maxSigns = 4

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
export function scan(text: string, functionRefusal: (name: string) => string | null) {
  if (text.length > maxCharacters)
    throw new CompileError(`An expression can have at most ${maxCharacters} characters.`, maxCharacters)
  let [depth, signs] = [0, 0]
  let name: { text: string; offset: number } | null = null
  for (const { text: word, offset } of tokensOf(text)) {
    if (word === '(' && name !== null) {
      const refusal = functionRefusal(name.text)
      if (refusal !== null) throw new CompileError(refusal, name.offset)
    }
    if (openings.has(word) && ++depth > maxDepth)
      throw new CompileError(`Brackets can be nested at most ${maxDepth} levels deep.`, offset)
    if (closings.has(word)) depth--
    signs = word === '!' || word === '-' ? signs + 1 : 0
    if (signs > maxSigns) throw new CompileError(`At most ${maxSigns} signs can follow each other.`, offset)
    name = /^[A-Za-z_]/.test(word) ? { text: word, offset } : null
  }
}

function* tokensOf(text: string) {
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
