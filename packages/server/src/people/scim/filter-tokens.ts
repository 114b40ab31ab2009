import { badFilter } from './refusals.ts'

/** Longest filter or path. Directories send some dozens of characters. */
export const maxFilterLength = 1_000

export type FilterToken =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'value'; readonly value: string | number }
  | { readonly kind: '(' | ')' | '[' | ']' }

const space = /[ \t]+/y
const word = /\.?[A-Za-z$][\w$.:-]*/y
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y
/** A JSON string. Each of its characters can match in one way only, so the time is linear. */
const text = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/uy

/** Splits a filter into its tokens. */
export function tokensOf(filter: string): FilterToken[] {
  if (filter.length > maxFilterLength) throw badFilter(`A filter has at most ${maxFilterLength} characters.`)
  const tokens: FilterToken[] = []
  let at = 0
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at
    const found = pattern.exec(filter)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  while (at < filter.length) {
    if (match(space) !== undefined) continue
    const mark = filter[at]
    if (mark === '(' || mark === ')' || mark === '[' || mark === ']') {
      tokens.push({ kind: mark })
      at += 1
      continue
    }
    const start = at
    const literal = match(text) ?? match(number)
    if (literal !== undefined) {
      tokens.push({ kind: 'value', value: JSON.parse(literal) as string | number })
      continue
    }
    const name = match(word)
    if (name === undefined) throw badFilter(`The filter cannot be read from character ${start + 1} on.`)
    tokens.push({ kind: 'word', text: name })
  }
  return tokens
}
