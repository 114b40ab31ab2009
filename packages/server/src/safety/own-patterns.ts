import { RE2JS } from 're2js'
import { type FieldFault, validationFailed } from '../contract/errors.ts'
import type { Find } from './hit.ts'
import type { SafetyDraft } from './settings.ts'
import { Slices } from './slices.ts'

/** How large the program of one pattern, and of all of an organization's, may be: what looking at a character can cost. */
const maxProgramSize = 520
const maxProgramSizeTogether = 2_000
/**
 * What the automaton of a pattern may remember. Enough for what people write; one that would need exponentially more gives up early
 * and is followed state by state, in linear time.
 */
const automatonBytes = 65_536
/** How many program steps a piece of text may take, so that looking at one stays within a few milliseconds. */
const stepsAtOnce = 100_000
const leastPiece = 256
const largestPiece = 4_096
/** The longest match that is sure to be found wherever it stands. */
const longestMatch = 256
const maxFinds = 256

/** A pattern of an organization, ready to be looked for. */
export interface CompiledPattern {
  /** How much of a text to give it at once, and how much more for matches that reach beyond. */
  readonly pieceLength: number
  readonly margin: number
  readonly find: Find
}

/** Compiles a pattern on an engine that takes linear time, or throws what is wrong with it. */
export function compilePattern(pattern: string): CompiledPattern & { readonly programSize: number } {
  const compiled = RE2JS.compile(pattern)
  const { dfa } = compiled.re2()
  dfa.memBudget = dfa.stateBudget = automatonBytes
  const programSize = compiled.programSize()
  return {
    programSize,
    pieceLength: Math.min(largestPiece, Math.max(leastPiece, Math.floor(stepsAtOnce / programSize))),
    margin: longestMatch,
    *find(text) {
      if (!compiled.test(text)) return
      const matcher = compiled.matcher(text)
      for (let finds = 0; finds < maxFinds && matcher.find(); finds++) {
        const [start, end] = [matcher.start(), matcher.end()]
        // Hits are told one by one, so that whoever asks can give way to others in between.
        if (end > start) yield { start, end }
      }
    },
  }
}

/** Refuses patterns that cannot be read or would cost too much, each by its field. */
export async function checkedPatterns({ patterns = [] }: SafetyDraft, path: string): Promise<void> {
  const slices = new Slices()
  const faults: FieldFault[] = []
  let together = 0
  for (const [index, { pattern }] of patterns.entries()) {
    await slices.giveWay()
    const size = programSizeOf(pattern)
    const message =
      typeof size === 'string'
        ? size
        : (together += size) > maxProgramSizeTogether
          ? `All patterns together are too large: a program of ${together} steps, more than ${maxProgramSizeTogether}.`
          : undefined
    if (message !== undefined)
      faults.push({ field: `${path}patterns.${index}.pattern`, code: 'invalid_value', message })
  }
  if (faults.length > 0) throw validationFailed(faults)
}

/** How large a pattern's program is, or what is wrong with it. */
function programSizeOf(pattern: string): number | string {
  try {
    const compiled = RE2JS.compile(pattern)
    const size = compiled.programSize()
    if (size > maxProgramSize) return `This is too large: a program of ${size} steps, more than ${maxProgramSize}.`
    return compiled.test('') ? 'This must not match an empty text.' : size
  } catch (error) {
    return `This is not a regular expression: ${(error as Error).message}.`
  }
}
