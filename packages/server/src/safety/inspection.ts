import { ApiError } from '../contract/errors.ts'
import { type Allows, allowing } from './allow-list.ts'
import { detectors } from './detectors.ts'
import { type Folded, fold, unfold } from './folding.ts'
import type { Hit } from './hit.ts'
import { type CompiledPattern, compilePattern } from './own-patterns.ts'
import { sampleOf } from './sample.ts'
import type { SafetyInput } from './schema.ts'
import type { Mode, SafetySettings } from './settings.ts'
import { Slices } from './slices.ts'

/** What was found. The sample is for whoever submitted the text and for nobody else. */
export interface Finding {
  readonly detector: string
  readonly mode: Exclude<Mode, 'off'>
  /** How many distinct ones. */
  readonly hits: number
  readonly score: number
  readonly threshold: number
  readonly sample: string
}

interface Watch {
  readonly detector: string
  readonly mode: Exclude<Mode, 'off'>
  readonly threshold: number
  /** Made when it is first needed: nobody waits for fifty patterns at once. */
  readonly search: () => CompiledPattern
  readonly searchInOriginal?: CompiledPattern
}

/** What an organization looks for, ready to be used again and again. */
export interface SafetyCheck {
  readonly watches: readonly Watch[]
  readonly allows: Allows | undefined
}

/** How much of a text a detector is given at once, and how much it sees before and after it. */
const piece = { pieceLength: 8_192, margin: 512 }
/** Beyond so many nobody learns more by counting on. */
const maxDistinct = 1_000

/** Makes settings ready. Detectors in a fixed order, then the organization's own patterns in theirs. */
export function compileSafety({ detectors: set, patterns, allow_list }: SafetySettings): SafetyCheck {
  const watches: Watch[] = []
  for (const { name, find, findInOriginal } of detectors) {
    const { mode, threshold } = set[name]!
    if (mode === 'off') continue
    const searchInOriginal = findInOriginal && { searchInOriginal: { ...piece, find: findInOriginal } }
    watches.push({ detector: name, mode, threshold, search: () => ({ ...piece, find }), ...searchInOriginal })
  }
  for (const { name, pattern, mode, threshold } of patterns) {
    let compiled: CompiledPattern | undefined
    const search = () => (compiled ??= compilePattern(pattern))
    if (mode !== 'off') watches.push({ detector: `custom:${name}`, mode, threshold, search })
  }
  return { watches, allows: allowing(allow_list) }
}

/**
 * What stands in a text that should not. Detectors that fire, in the order of the check; with `belowToo` also those that found
 * less than their threshold. Gives way to others every few milliseconds.
 */
export async function inspect(
  { watches, allows }: SafetyCheck,
  input: SafetyInput,
  options: { readonly belowToo?: boolean } = {},
): Promise<Finding[]> {
  if (watches.length === 0) return []
  const slices = new Slices()
  const parts: { original: string; folded: Folded }[] = []
  for (const original of Array.isArray(input) ? input : [input]) {
    parts.push({ original, folded: fold(original) })
    await slices.giveWay()
  }
  const findings: Finding[] = []
  for (const { detector, mode, threshold, search, searchInOriginal } of watches) {
    const found = new Found()
    for (const { original, folded } of parts) {
      await look(search(), original, folded, allows, found, slices)
      if (searchInOriginal) await look(searchInOriginal, original, asItIs(original), allows, found, slices)
    }
    const { hits, score, sample } = found
    const isTold = score >= threshold || (options.belowToo === true && hits > 0)
    if (isTold) findings.push({ detector, mode, hits, score, threshold, sample })
  }
  return findings
}

const asItIs = (text: string): Folded => ({ text, origins: undefined })

/** Distinct hits of one detector. */
class Found {
  private readonly weights = new Map<string, number>()
  private heaviest = 0
  score = 0
  sample = ''

  get hits(): number {
    return this.weights.size
  }

  get isFull(): boolean {
    return this.weights.size >= maxDistinct
  }

  /** Whether it counts already, and for as much. */
  counts(key: string, weight: number): boolean {
    return (this.weights.get(key) ?? 0) >= weight
  }

  add(key: string, weight: number, sample: () => string) {
    this.score += weight - (this.weights.get(key) ?? 0)
    this.weights.set(key, weight)
    if (weight > this.heaviest) {
      this.heaviest = weight
      this.sample = sample()
    }
  }
}

/**
 * Looks at a text piece by piece. What begins in a piece is its hit, however far into the next it reaches; what begins in the margin
 * is seen again by the next one.
 */
async function look(
  { pieceLength, margin, find }: CompiledPattern,
  original: string,
  folded: Folded,
  allows: Allows | undefined,
  found: Found,
  slices: Slices,
) {
  const { text } = folded
  const isAllowed = allows?.(text)
  for (let from = 0; from < text.length && !found.isFull; from += pieceLength) {
    const offset = Math.max(0, from - margin)
    const seen = text.slice(offset, from + pieceLength + margin)
    for (const hit of find(seen)) {
      if (slices.isOver) await slices.giveWay()
      if (!hit) continue
      const start = hit.start + offset
      const end = hit.end + offset
      if (start < from || start >= from + pieceLength) continue
      const key = hit.key ?? keyOf(seen, hit)
      const weight = hit.weight ?? 1
      if (found.counts(key, weight) || isAllowed?.(start, end)) continue
      found.add(key, weight, () => sampleOf(original, unfold(original, folded, start, end)))
    }
    await slices.giveWay()
  }
}

const keyOf = (text: string, { start, end }: Hit) =>
  text
    .slice(start, end)
    .replace(/[\s.\-/()]/g, '')
    .toLowerCase()

/** What a caller is refused with: the first finding that blocks. */
export function blockedBy(findings: readonly Finding[]): ApiError | undefined {
  const blocking = findings.find(({ mode, score, threshold }) => mode === 'block' && score >= threshold)
  return blocking && new ApiError('content_safety_blocked', { detector: blocking.detector, sample: blocking.sample })
}
