import { DOMParser } from '@xmldom/xmldom'
import { charactersAreLegal, hasOnlyKnownReferences } from './characters.ts'

/** Findings of one linear pass over the text of an XML document, before any parser builds something from it. */
export interface MarkupScan {
  readonly hasDeclaration: boolean
  readonly hasComment: boolean
  readonly hasCharacterData: boolean
  readonly hasInstruction: boolean
  readonly hasUnknownReference: boolean
  /** False for what a lenient parser would mend: tags that do not match, attributes without quotes or twice, a second root. */
  readonly isWellFormed: boolean
  readonly size: MarkupSize
}

/** Counts by which the work of a parser grows. */
export interface MarkupSize {
  readonly elements: number
  readonly depth: number
  readonly attributesOfOne: number
  /** Different names of elements; the parser searches the whole text once for each. */
  readonly names: number
  /** Different prefixes of namespaces; the parser copies all of them with each that is declared. */
  readonly prefixes: number
}

export const isWithin = (size: MarkupSize, bounds: MarkupSize) =>
  size.elements <= bounds.elements &&
  size.depth <= bounds.depth &&
  size.attributesOfOne <= bounds.attributesOfOne &&
  size.names <= bounds.names &&
  size.prefixes <= bounds.prefixes

const name = '[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?'
const xmlDeclaration =
  /^<\?xml\s+version\s*=\s*(?:"1\.0"|'1\.0')(?:\s+encoding\s*=\s*(?:"[Uu][Tt][Ff]-8"|'[Uu][Tt][Ff]-8'))?(?:\s+standalone\s*=\s*(?:"(?:yes|no)"|'(?:yes|no)'))?\s*\?>/
const tagStart = new RegExp(`<(/?)(${name})`, 'y')
const tagEnd = /\s*(\/?)>/y
const attribute = new RegExp(`\\s+(${name})\\s*=\\s*(?:"[^"<]*"|'[^'<]*')`, 'y')
const subsetEnd = /\]\s*>/g

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Returns the place after a delimiter, or one beyond the text if it never comes. */
function after(text: string, delimiter: string, from: number): number {
  const found = text.indexOf(delimiter, from)
  return found < 0 ? text.length + 1 : found + delimiter.length
}

function afterDeclaration(text: string, at: number): number {
  const end = after(text, '>', at)
  // Only up to its end, or many declarations would each search the whole text.
  const subset = text.slice(at, end).indexOf('[')
  if (subset < 0) return end
  const found = matchAt(subsetEnd, text, at + subset)
  return found === null ? text.length + 1 : found.index + found[0].length
}

interface Tag {
  readonly name: string
  readonly isClosing: boolean
  readonly isEmpty: boolean
  readonly attributes: readonly string[]
  readonly end: number
}

/** Reads the tag that begins at a place; undefined for one that is not written as the standard wants it. */
function tagAt(text: string, at: number): Tag | undefined {
  const start = matchAt(tagStart, text, at)
  if (start === null) return undefined
  const attributes: string[] = []
  let place = at + start[0].length
  for (let next = matchAt(attribute, text, place); next !== null; next = matchAt(attribute, text, place)) {
    attributes.push(next[1] ?? '')
    place += next[0].length
  }
  const end = matchAt(tagEnd, text, place)
  const isClosing = start[1] === '/'
  const isEmpty = end?.[1] === '/'
  if (end === null || new Set(attributes).size < attributes.length) return undefined
  if (isClosing && (isEmpty || attributes.length > 0)) return undefined
  return { name: start[2] ?? '', isClosing, isEmpty, attributes, end: place + end[0].length }
}

/** Follows the tags of a document: whether they match, and how many there are. */
function followTags() {
  const open: string[] = []
  const names = new Set<string>()
  const prefixes = new Set<string>()
  let [elements, depth, attributesOfOne, roots, isMatched] = [0, 0, 0, 0, true]
  return {
    isInside: () => open.length > 0,
    isComplete: () => isMatched && open.length === 0 && roots === 1,
    size: (): MarkupSize => ({ elements, depth, attributesOfOne, names: names.size, prefixes: prefixes.size }),
    pass: ({ name, isClosing, isEmpty, attributes }: Tag) => {
      if (isClosing) {
        isMatched &&= open.pop() === name
        return
      }
      elements += 1
      roots += open.length === 0 ? 1 : 0
      depth = Math.max(depth, open.length + 1)
      attributesOfOne = Math.max(attributesOfOne, attributes.length)
      names.add(name)
      for (const it of attributes) if (it.startsWith('xmlns')) prefixes.add(it)
      if (!isEmpty) open.push(name)
    },
  }
}

/** Scans a document. The time is linear in the text: nothing is expanded, and every character is passed a bounded number of times. */
export function scanMarkup(text: string): MarkupScan {
  const found = { hasDeclaration: false, hasComment: false, hasCharacterData: false, hasInstruction: false }
  const tags = followTags()

  /** Passes one piece of markup and returns its end, which is beyond the text if it does not end. */
  const pass = (at: number): number => {
    if (text.startsWith('<!--', at)) {
      found.hasComment = true
      return after(text, '-->', at + '<!--'.length)
    }
    if (text.startsWith('<![CDATA[', at)) {
      found.hasCharacterData = true
      return after(text, ']]>', at)
    }
    if (text.startsWith('<!', at)) {
      found.hasDeclaration = true
      return afterDeclaration(text, at)
    }
    if (text.startsWith('<?', at)) {
      found.hasInstruction = true
      return after(text, '?>', at)
    }
    const tag = tagAt(text, at)
    if (tag !== undefined) tags.pass(tag)
    return tag?.end ?? text.length + 1
  }

  let hasStrayText = false
  let at = xmlDeclaration.exec(text)?.[0].length ?? 0
  while (at < text.length) {
    const next = text.indexOf('<', at)
    const end = next < 0 ? text.length : next
    hasStrayText ||= !tags.isInside() && /[^ \t\n\r]/.test(text.slice(at, end))
    at = next < 0 ? end : pass(next)
  }
  return {
    ...found,
    hasUnknownReference: !hasOnlyKnownReferences(text),
    isWellFormed: at === text.length && !hasStrayText && tags.isComplete() && charactersAreLegal(text),
    size: tags.size(),
  }
}

/** Parses a document, or returns undefined. `strict` refuses whatever the parser remarks on. */
export function parseMarkup(text: string, { strict }: { readonly strict: boolean }): Document | undefined {
  let isClean = true
  const note = () => {
    isClean = false
  }
  try {
    const handler = { warning: note, error: note, fatalError: note }
    const document = new DOMParser({ errorHandler: handler }).parseFromString(text, 'text/xml')
    return document?.documentElement && (isClean || !strict) ? document : undefined
  } catch {
    return undefined
  }
}
