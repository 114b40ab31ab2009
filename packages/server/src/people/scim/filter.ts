import { type FilterToken, tokensOf } from './filter-tokens.ts'
import { badFilter, badPath, type ScimError } from './refusals.ts'

/** Filters and paths by RFC 7644, sections 3.4.2.2 and 3.5.2, read within bounds. */

const maxDepth = 10
const maxComparisons = 50

const operators = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const
export type ScimOperator = (typeof operators)[number]
export type ScimValue = string | number | boolean | null

/** Name of an attribute, and of one of its parts. The schema is undefined unless it was written. */
export interface ScimName {
  readonly schema: string | undefined
  readonly name: string
  readonly part: string | undefined
}

export type ScimFilter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly ScimFilter[] }
  | { readonly kind: 'not'; readonly filter: ScimFilter }
  | { readonly kind: 'present'; readonly name: ScimName }
  | { readonly kind: 'compare'; readonly name: ScimName; readonly operator: ScimOperator; readonly value: ScimValue }
  /** True for a resource that has one value of the attribute for which the filter is true. */
  | { readonly kind: 'has'; readonly name: ScimName; readonly filter: ScimFilter }

/** Target of an operation of a patch: an attribute, some of its values, a part of it. */
export interface ScimPath extends ScimName {
  readonly filter: ScimFilter | undefined
}

/** Parses the filter of a list. */
export function parseFilter(text: string): ScimFilter {
  const reader = new FilterReader(tokensOf(text), badFilter)
  const filter = reader.readAlternatives(0)
  reader.requireEnd()
  return filter
}

/** Parses the path of an operation. */
export function parsePath(text: string): ScimPath {
  let tokens: FilterToken[]
  try {
    tokens = tokensOf(text)
  } catch {
    throw badPath('The path cannot be read.')
  }
  const reader = new FilterReader(tokens, badPath)
  const path = reader.readPath()
  reader.requireEnd()
  return path
}

const urn = /^(urn:.*):([^:]*)$/i
const attributeName = /^[A-Za-z$][\w$-]*$/

class FilterReader {
  readonly #tokens: readonly FilterToken[]
  readonly #fault: (detail: string) => ScimError
  #at = 0
  #comparisons = 0

  constructor(tokens: readonly FilterToken[], fault: (detail: string) => ScimError) {
    this.#tokens = tokens
    this.#fault = fault
  }

  requireEnd() {
    if (this.#at < this.#tokens.length) throw this.#fault('There is something behind the end of the expression.')
  }

  readAlternatives(depth: number): ScimFilter {
    return this.#readChain('or', () => this.#readChain('and', () => this.#readTerm(depth)))
  }

  readPath(): ScimPath {
    const name = this.#readName()
    if (!this.#take('[')) return { ...name, filter: undefined }
    if (name.part !== undefined) throw this.#fault('Only values of an attribute can be selected, not those of a part.')
    const filter = this.readAlternatives(1)
    this.#expect(']')
    return { ...name, filter, part: this.#readPartBehind() }
  }

  #readChain(kind: 'and' | 'or', read: () => ScimFilter): ScimFilter {
    const filters = [read()]
    while (this.#takeWord(kind)) filters.push(read())
    const [only] = filters
    return filters.length === 1 && only ? only : { kind, filters }
  }

  #readTerm(depth: number): ScimFilter {
    if (depth >= maxDepth) throw this.#fault(`Expressions stand in at most ${maxDepth} brackets.`)
    if (this.#takeWord('not')) {
      this.#expect('(')
      return { kind: 'not', filter: this.#readGroup(depth) }
    }
    if (this.#take('(')) return this.#readGroup(depth)
    const name = this.#readName()
    return this.#take('[') ? this.#readSelection(name, depth) : this.#readComparison(name)
  }

  #readGroup(depth: number): ScimFilter {
    const filter = this.readAlternatives(depth + 1)
    this.#expect(')')
    return filter
  }

  /** Reads `emails[type eq "work"]`, also with a comparison behind it: `emails[type eq "work"].value eq "…"`. */
  #readSelection(name: ScimName, depth: number): ScimFilter {
    if (name.part !== undefined) throw this.#fault('Only values of an attribute can be selected, not those of a part.')
    const filter = this.readAlternatives(depth + 1)
    this.#expect(']')
    const part = this.#readPartBehind()
    if (part === undefined) return { kind: 'has', name, filter }
    const comparison = this.#readComparison({ schema: undefined, name: part, part: undefined })
    return { kind: 'has', name, filter: { kind: 'and', filters: [filter, comparison] } }
  }

  #readComparison(name: ScimName): ScimFilter {
    this.#comparisons += 1
    if (this.#comparisons > maxComparisons) throw this.#fault(`A filter has at most ${maxComparisons} comparisons.`)
    const word = this.#readWord().toLowerCase()
    if (word === 'pr') return { kind: 'present', name }
    const operator = operators.find((each) => each === word)
    if (!operator) throw this.#fault(`There is no operator ${word}.`)
    return { kind: 'compare', name, operator, value: this.#readValue() }
  }

  #readValue(): ScimValue {
    const token = this.#tokens[this.#at++]
    if (token?.kind === 'value') return token.value
    const constant = token?.kind === 'word' ? constants.get(token.text.toLowerCase()) : undefined
    if (constant === undefined)
      throw this.#fault('A comparison needs a value: text in quotes, a number, true, false or null.')
    return constant
  }

  #readName(): ScimName {
    const text = this.#readWord()
    const [, schema, rest = text] = urn.exec(text) ?? []
    const [name = '', part, ...more] = rest.split('.')
    if (more.length > 0 || ![name, part ?? name].every((each) => attributeName.test(each)))
      throw this.#fault(`There can be no attribute ${text}.`)
    return { schema, name, part }
  }

  #readPartBehind(): string | undefined {
    const token = this.#tokens[this.#at]
    if (token?.kind !== 'word' || !token.text.startsWith('.')) return undefined
    this.#at += 1
    const part = token.text.slice(1)
    if (!attributeName.test(part)) throw this.#fault(`There can be no attribute ${part}.`)
    return part
  }

  #readWord(): string {
    const token = this.#tokens[this.#at++]
    if (token?.kind !== 'word') throw this.#fault('The expression ends too early, or has a value where a name must be.')
    return token.text
  }

  #take(kind: FilterToken['kind']): boolean {
    if (this.#tokens[this.#at]?.kind !== kind) return false
    this.#at += 1
    return true
  }

  #takeWord(word: string): boolean {
    const token = this.#tokens[this.#at]
    if (token?.kind !== 'word' || token.text.toLowerCase() !== word) return false
    this.#at += 1
    return true
  }

  #expect(kind: '(' | ')' | ']') {
    if (!this.#take(kind)) throw this.#fault(`The expression lacks a ${kind}.`)
  }
}

const constants = new Map<string, ScimValue>([
  ['true', true],
  ['false', false],
  ['null', null],
])
