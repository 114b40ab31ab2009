import { RE2JS, RE2JSException } from 're2js'
import { CompileError } from './fault.ts'

export interface Pattern {
  readonly matches: (text: string) => boolean
  /** The number of instructions of the compiled program: a match takes at most that many steps per character. */
  readonly size: number
}

const maxCharacters = 500
const maxProgramSize = 250
const maxRepetitions = 1_000
const stateBytes = 65_536

// A Unicode class has hundreds of ranges, and each is compared wherever the class is repeated.
const unicodeClassSize = 30

/** Compiles a pattern for the linear-time engine, after checking that compiling and matching stay cheap. */
export function compileExpressionPattern(pattern: string, offset: number): Pattern {
  if (pattern.length > maxCharacters)
    throw new CompileError(`A pattern can have at most ${maxCharacters} characters.`, offset)
  if (sizeOf(pattern) > maxProgramSize) throw new CompileError('This pattern has too many repetitions.', offset)
  if (/\(\?[a-z]*i/i.test(pattern) && /[^\0-\x7f]-|-[^\0-\x7f]|\\x\{/i.test(pattern))
    throw new CompileError(
      'A pattern with the flag i cannot have a range beyond ASCII. List the letters, or use a class such as \\p{Greek}.',
      offset,
    )
  try {
    const compiled = RE2JS.compile(pattern)
    if (compiled.programSize() > maxProgramSize)
      throw new CompileError('This pattern has too many repetitions.', offset)
    // The DFA caches its states as they are met. States beyond the budget are computed again, still in linear time.
    const { dfa } = compiled.re2()
    dfa.stateBudget = stateBytes
    dfa.memBudget = stateBytes
    return { matches: (text) => compiled.test(text), size: compiled.programSize() }
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    throw new CompileError(`Invalid pattern: ${error.message.replace('error parsing regexp: ', '')}.`, offset)
  }
}

const part = /\\p\{[^}]*\}|\\p.?|\\[^]|\[\^?\]?(?:\[:[^\]]*:\]|\\p|\\[^]|[^\]\\])*\]?|\{(\d*),?(\d*)\}|[^]/gi

/** Estimates the size of the compiled program: the content of a counted group is copied once per repetition. */
function sizeOf(pattern: string): number {
  const open: number[] = [0]
  let last = 0
  for (const [text, least, most] of pattern.matchAll(part)) {
    if (text === '(') {
      open.push(2)
      last = 0
    } else if (text === ')' && open.length > 1) {
      last = open.pop()!
      open[open.length - 1]! += last
    } else if (least !== undefined) {
      const times = Math.min(maxRepetitions, Math.max(Number(least) + 1, Number(most)))
      open[open.length - 1]! += last * (times - 1)
      last *= times
    } else {
      const own = 1 + unicodeClassSize * (text.match(/\\p/gi)?.length ?? 0)
      last = '*+?'.includes(text) ? last + own : own
      open[open.length - 1]! += own
    }
  }
  return open.reduce((sum, size) => sum + size, 0)
}
