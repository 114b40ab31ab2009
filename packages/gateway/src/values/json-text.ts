/**
 * JSON texts as they were written: where the members of an object stand, and edits that leave every other byte alone. All of it expects
 * a text that `JSON.parse` has accepted.
 */

export interface Member {
  readonly key: string
  /** The position at which its key begins; in an array that of its value. */
  readonly from: number
  /** Positions at which the value begins and ends. */
  readonly start: number
  readonly end: number
}

export interface Structure {
  /** Members of the outermost object, or elements of the outermost array by their position. */
  readonly members: readonly Member[]
  /** The position after the first brace. */
  readonly inside: number
  /** Keys of all objects, at every depth, each as often as it is written. */
  readonly keys: number
  readonly depth: number
}

/** A new value for one member, at any depth; a member of an object that is missing is added. Without a value an outermost member is removed. */
export interface Edit {
  readonly path: readonly [string, ...string[]]
  readonly value: unknown
}

const quote = 0x22
const backslash = 0x5c
const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** Returns the position of the quotation mark that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes += 1
    if (slashes % 2 === 0) return end
  }
}

/** True for a text with more values than so many, at all depths; it need not be JSON. */
export function hasMoreValues(text: string, most: number): boolean {
  let values = 1
  for (let i = 0; i < text.length && values <= most; i += 1) {
    const code = text.charCodeAt(i)
    if (code === quote) {
      i = endOfString(text, i)
      if (i < 0) return false
    } else if (code === 0x2c || code === 0x5b || code === 0x7b) values += 1
  }
  return values > most
}

export function structureOf(text: string): Structure {
  const members: Member[] = []
  let open: { key: string; from: number; start: number } | undefined
  let isArray = false
  let inside = 0
  let keys = 0
  let depth = 0
  let deepest = 0
  const skipSpaces = (from: number) => {
    let at = from
    while (isSpace(text.charCodeAt(at))) at += 1
    return at
  }
  const openElement = (from: number) => {
    const start = skipSpaces(from)
    if (isArray && depth === 1) open = { key: String(members.length), from: start, start }
  }
  const close = (at: number) => {
    if (open === undefined) return
    let end = at
    while (isSpace(text.charCodeAt(end - 1))) end -= 1
    if (end > open.start) members.push({ ...open, end })
    open = undefined
  }
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code === quote) {
      const end = endOfString(text, i)
      const next = skipSpaces(end + 1)
      if (text.charCodeAt(next) === 0x3a) {
        keys += 1
        if (depth === 1)
          open = { key: JSON.parse(text.slice(i, end + 1)) as string, from: i, start: skipSpaces(next + 1) }
        i = next
      } else i = end
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1
      if (depth > deepest) deepest = depth
      if (depth > 1) continue
      inside = i + 1
      isArray = code === 0x5b
      openElement(inside)
    } else if (code === 0x7d || code === 0x5d) {
      if (depth === 1) close(i)
      depth -= 1
    } else if (code === 0x2c && depth === 1) {
      close(i)
      openElement(i + 1)
    }
  }
  return { members, inside, keys, depth: deepest }
}

/** Counts the keys of all objects in a parsed value. Fewer than are written means that some are written twice. */
export function countKeys(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0
  if (Array.isArray(value)) {
    let count = 0
    for (const inner of value) count += countKeys(inner)
    return count
  }
  let count = 0
  for (const key of Object.keys(value)) count += 1 + countKeys((value as Record<string, unknown>)[key])
  return count
}

/** Applies edits to the text of an object, or of an array whose elements they name by position. */
export function applyEdits(text: string, edits: readonly Edit[], structure = structureOf(text)): string {
  return piecesAfter(text, edits, structure).join('')
}

/** Applies edits to a text of so many bytes, and returns its bytes. What is plain is copied once. */
export function editedBytes(
  { text, size, structure }: { readonly text: string; readonly size: number; readonly structure: Structure },
  edits: readonly Edit[],
): Buffer {
  const pieces = piecesAfter(text, edits, structure)
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const isPlain = size === text.length && edits.every(({ path, value }) => isAsciiText(JSON.stringify([path, value])))
  if (!isPlain) return Buffer.from(pieces.join(''))
  const bytes = Buffer.allocUnsafe(length)
  let at = 0
  for (const piece of pieces) at += bytes.write(piece, at, 'latin1')
  return bytes
}

const isAsciiText = (text: string) => Buffer.byteLength(text) === text.length

/** Returns the pieces of an edited text: those that stay as they were, and new values between them. */
function piecesAfter(text: string, edits: readonly Edit[], structure: Structure): string[] {
  const gone = new Set(edits.flatMap(({ path: [key], value }) => (value === undefined ? [key] : [])))
  if (gone.size === 0) return withValues(text, edits, structure)
  const kept = edits.filter(({ value }) => value !== undefined)
  const rest = without(text, gone, structure)
  return withValues(rest, kept, structureOf(rest))
}

/** Removes outermost members; those that stay are as they were written. */
function without(text: string, keys: ReadonlySet<string>, { members, inside }: Structure): string {
  const last = members.at(-1)
  if (last === undefined || !members.some(({ key }) => keys.has(key))) return text
  const kept = members.filter(({ key }) => !keys.has(key)).map(({ from, end }) => text.slice(from, end))
  return text.slice(0, inside) + kept.join(',') + text.slice(last.end)
}

function withValues(text: string, edits: readonly Edit[], { members, inside }: Structure): string[] {
  const replaced: { start: number; end: number; value: string }[] = []
  const added: string[] = []
  for (const [key, own] of Map.groupBy(edits, (edit) => edit.path[0])) {
    const member = members.find((one) => one.key === key)
    const old = member === undefined ? undefined : text.slice(member.start, member.end)
    const value = editedValue(old, own)
    if (member === undefined) added.push(`${JSON.stringify(key)}:${value}`)
    else replaced.push({ start: member.start, end: member.end, value })
  }
  const pieces = [text.slice(0, inside), added.join(',')]
  if (added.length > 0 && members.length > 0) pieces.push(',')
  let from = inside
  for (const { start, end, value } of replaced.sort((a, b) => a.start - b.start)) {
    pieces.push(text.slice(from, start), value)
    from = end
  }
  pieces.push(text.slice(from))
  return pieces
}

/** Returns the text of a member's value after the edits of it and of what it contains. */
function editedValue(old: string | undefined, edits: readonly Edit[]): string {
  const last = edits.at(-1)
  if (last?.path.length === 1) return JSON.stringify(last.value)
  const inner = edits.flatMap(({ path: [, first, ...rest], value }): Edit[] =>
    first === undefined ? [] : [{ path: [first, ...rest], value }],
  )
  return applyEdits(old?.startsWith('{') || old?.startsWith('[') ? old : '{}', inner)
}
