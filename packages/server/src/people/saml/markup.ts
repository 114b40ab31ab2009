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

/** Returns the place after a delimiter, or the end of the text if it never comes. */
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

/** Scans a document. The time is linear in the text: nothing is expanded, and every character is passed a bounded number of times. */
export function scanMarkup(text: string): MarkupScan {
  const found = { hasDeclaration: false, hasComment: false, hasCharacterData: false, hasInstruction: false }
  let [elements, depth, attributesOfOne, roots] = [0, 0, 0, 0]
  let isWellFormed = charactersAreLegal(text)
  const open: string[] = []
  const names = new Set<string>()
  const prefixes = new Set<string>()

  const passTag = (at: number): number => {
    const start = matchAt(tagStart, text, at)
    if (start === null) return text.length + 1
    let place = at + start[0].length
    const attributes = new Set<string>()
    let count = 0
    const isClosing = start[1] === '/'
    for (
      let next = matchAt(attribute, text, place);
      next !== null && !isClosing;
      next = matchAt(attribute, text, place)
    ) {
      const attributeName = next[1] ?? ''
      attributes.add(attributeName)
      if (attributeName.startsWith('xmlns')) prefixes.add(attributeName)
      count += 1
      place += next[0].length
    }
    const end = matchAt(tagEnd, text, place)
    const isEmpty = end?.[1] === '/'
    if (end === null || attributes.size < count || (isClosing && isEmpty)) return text.length + 1
    const tag = start[2] ?? ''
    if (isClosing) isWellFormed &&= open.pop() === tag
    else {
      elements += 1
      names.add(tag)
      attributesOfOne = Math.max(attributesOfOne, count)
      if (open.length === 0) roots += 1
      depth = Math.max(depth, open.length + 1)
      if (!isEmpty) open.push(tag)
    }
    return place + end[0].length
  }

  const passMarkup = (at: number): number => {
    if (text.startsWith('<!--', at)) {
      found.hasComment = true
      return after(text, '-->', at + 4)
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
    return passTag(at)
  }

  let at = xmlDeclaration.exec(text)?.[0].length ?? 0
  while (at < text.length) {
    const next = text.indexOf('<', at)
    const end = next < 0 ? text.length : next
    if (open.length === 0 && /[^ \t\n\r]/.test(text.slice(at, end))) isWellFormed = false
    at = next < 0 ? end : passMarkup(next)
  }
  // A piece of markup that does not end puts the place beyond the text.
  isWellFormed &&= at === text.length && open.length === 0 && roots === 1
  return {
    ...found,
    hasUnknownReference: !hasOnlyKnownReferences(text),
    isWellFormed,
    size: { elements, depth, attributesOfOne, names: names.size, prefixes: prefixes.size },
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
