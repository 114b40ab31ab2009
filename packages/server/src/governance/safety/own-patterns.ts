import { RE2JS } from 're2js'
import { type FieldFault, validationFailed } from '../../contract/errors.ts'
import { TimeSlice } from '../../platform/infra/time-slice.ts'
import { errorOf } from '../../values/thrown.ts'
import type { Find } from './hit.ts'
import type { SafetyDraft } from './settings.ts'

/** The largest program of one pattern, and of all of an organization's patterns: the size bounds the cost per character. */
const maxProgramSize = 520
const maxProgramSizeTogether = 2_000
/**
 * The memory for a pattern's DFA. It is enough for realistic patterns; one that would need exponentially more falls back early to
 * simulating the NFA, in linear time.
 */
const dfaBytes = 65_536
/** The number of program steps per piece of text, so that searching a piece takes at most a few milliseconds. */
const stepsPerPiece = 100_000
const minPieceLength = 256
const maxPieceLength = 4_096
/** The longest match that is guaranteed to be found at any position. */
const maxMatchLength = 256
const maxFinds = 256

/** A compiled pattern of an organization. */
export interface CompiledPattern {
  /** The size of the pieces to search, and the extra context for matches that reach beyond a piece. */
  readonly pieceLength: number
  readonly margin: number
  readonly find: Find
}

/** Compiles a pattern for a linear-time engine. Throws when it is invalid. */
export function compileOwnPattern(pattern: string): CompiledPattern & { readonly programSize: number } {
  const compiled = RE2JS.compile(pattern)
  const { dfa } = compiled.re2()
  dfa.memBudget = dfa.stateBudget = dfaBytes
  const programSize = compiled.programSize()
  return {
    programSize,
    pieceLength: Math.min(maxPieceLength, Math.max(minPieceLength, Math.floor(stepsPerPiece / programSize))),
    margin: maxMatchLength,
    *find(text) {
      if (!compiled.test(text)) return
      const matcher = compiled.matcher(text)
      for (let finds = 0; finds < maxFinds && matcher.find(); finds++) {
        const [start, end] = [matcher.start(), matcher.end()]
        // Hits are yielded one by one, so that the caller can yield to other work in between.
        if (end > start) yield { start, end }
      }
    },
  }
}

/** Refuses patterns that are invalid or too expensive, each with its field. */
export async function assertPatterns({ patterns = [] }: SafetyDraft, path: string): Promise<void> {
  const slices = new TimeSlice()
  const faults: FieldFault[] = []
  let totalSize = 0
  for (const [index, { pattern }] of patterns.entries()) {
    await slices.yieldIfOver()
    const size = programSizeOf(pattern)
    const message =
      typeof size === 'string'
        ? size
        : (totalSize += size) > maxProgramSizeTogether
          ? `All patterns together compile to ${totalSize} steps; at most ${maxProgramSizeTogether} are allowed.`
          : undefined
    if (message !== undefined)
      faults.push({ field: `${path}patterns.${index}.pattern`, code: 'invalid_value', message })
  }
  if (faults.length > 0) throw validationFailed(faults)
}

/** Returns the size of a pattern's program, or the error message. */
function programSizeOf(pattern: string): number | string {
  try {
    const compiled = RE2JS.compile(pattern)
    const size = compiled.programSize()
    if (size > maxProgramSize) return `This compiles to ${size} steps; at most ${maxProgramSize} are allowed.`
    return compiled.test('') ? 'This must not match an empty text.' : size
  } catch (error) {
    return `This is not a regular expression: ${errorOf(error).message}.`
  }
}
