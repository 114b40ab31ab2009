/** Whitespace, or one token of JSON. */
const part =
  /\s+|"[^"\\]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]/y

/** Kinds of tokens that may come next. */
type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing'

/** Names of fields, and positions in lists, that lead to a value. */
export type Place = readonly (string | number)[]

/** Lines of a JSON text. */
export interface JsonLines {
  /** Position at which the text stops being JSON; undefined for JSON throughout. */
  readonly fault: { readonly line: number; readonly column: number } | undefined
  /** Returns the line on which a value begins. */
  readonly lineOf: (place: Place) => number | undefined
}

/** Depth to which places are recorded: a model is at most three below the top. */
const maxDepth = 3

const keyOf = (place: Place) => JSON.stringify(place)

/** Reads a text token by token, since the parser of the engine tells neither lines nor, of every fault, its position. */
export function readLines(text: string): JsonLines {
  const lines = new Map<string, number>()
  const stack: (string | number)[] = []
  let expected: Expected = 'value'
  let line = 1
  let lineStart = 0
  let at = 0

  const closed = (): Expected => (stack.length === 0 ? 'nothing' : 'comma or end')
  const isDone = () => expected === 'nothing'
  const isIn = (kind: 'string' | 'number') => typeof stack.at(-1) === kind

  /** Takes a token that fits; false for one that does not. */
  const take = (token: string): boolean => {
    const isEnd = expected === 'comma or end' || expected === (token === '}' ? 'key or end' : 'value or end')
    if (token === '}' || token === ']') {
      if (!isEnd || !isIn(token === '}' ? 'string' : 'number')) return false
      stack.pop()
      expected = closed()
      return true
    }
    if (token === ',') {
      if (expected !== 'comma or end') return false
      const last = stack.at(-1)
      if (typeof last === 'number') stack[stack.length - 1] = last + 1
      expected = typeof last === 'number' ? 'value' : 'key'
      return true
    }
    if (token === ':') {
      if (expected !== 'colon') return false
      expected = 'value'
      return true
    }
    if (expected === 'key' || expected === 'key or end') {
      if (!token.startsWith('"')) return false
      if (stack.length <= maxDepth) stack[stack.length - 1] = String(JSON.parse(token))
      if (stack.length <= maxDepth) lines.set(keyOf(stack), line)
      expected = 'colon'
      return true
    }
    if (expected !== 'value' && expected !== 'value or end') return false
    if (isIn('number') && stack.length <= maxDepth) lines.set(keyOf(stack), line)
    if (token === '{' || token === '[') {
      stack.push(token === '{' ? '' : 0)
      expected = token === '{' ? 'key or end' : 'value or end'
    } else expected = closed()
    return true
  }

  while (at < text.length) {
    part.lastIndex = at
    const [found] = part.exec(text) ?? []
    const isBlank = found !== undefined && found.trim() === ''
    if (found === undefined || !(isBlank || take(found))) break
    for (let end = isBlank ? found.indexOf('\n') : -1; end >= 0; end = found.indexOf('\n', end + 1)) {
      line += 1
      lineStart = at + end + 1
    }
    at += found.length
  }
  const isWhole = at === text.length && isDone()
  return {
    fault: isWhole ? undefined : { line, column: at - lineStart + 1 },
    lineOf: (place) => lines.get(keyOf(place)),
  }
}
