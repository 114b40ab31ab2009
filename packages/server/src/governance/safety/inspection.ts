import { ApiError } from '../../contract/errors.ts'
import { TimeSlice } from '../../platform/infra/time-slice.ts'
import { present } from '../../values/present.ts'
import { type AllowList, compileAllowList } from './allow-list.ts'
import { detectors } from './detectors.ts'
import type { Hit } from './hit.ts'
import { type Folded, fold, unfold } from './normalization.ts'
import { type CompiledPattern, compileOwnPattern } from './own-patterns.ts'
import { sampleOf } from './sample.ts'
import type { SafetyInput } from './schema.ts'
import type { Mode, SafetySettings } from './settings.ts'

/** A detector's result. The sample is for the caller who submitted the text, and for nobody else. */
export interface Finding {
  readonly detector: string
  readonly mode: Exclude<Mode, 'off'>
  /** The number of distinct hits. */
  readonly hits: number
  readonly score: number
  readonly threshold: number
  readonly sample: string
}

interface Watch {
  readonly detector: string
  readonly mode: Exclude<Mode, 'off'>
  readonly threshold: number
  /** Compiled on first use, so that no request waits for fifty patterns at once. */
  readonly search: () => CompiledPattern
  readonly searchInOriginal?: CompiledPattern
}

/** An organization's content safety settings, compiled for repeated use. */
export interface SafetyCheck {
  readonly settings: SafetySettings
  readonly watches: readonly Watch[]
  readonly allows: AllowList | undefined
}

/** The size of the pieces that a detector is given, and of the context that it sees before and after each. */
const pieceSize = { pieceLength: 8_192, margin: 512 }
/** The number of distinct hits at which counting stops: a higher count would tell the caller nothing more. */
const maxDistinct = 1_000

/** Compiles settings: the detectors in their fixed order, then the organization's own patterns in theirs. */
export function compileSafety(settings: SafetySettings): SafetyCheck {
  const { detectors: set, patterns, allow_list } = settings
  const watches: Watch[] = []
  for (const { name, find, findInOriginal } of detectors) {
    const { mode, threshold } = present(set[name])
    if (mode === 'off') continue
    const searchInOriginal = findInOriginal && { searchInOriginal: { ...pieceSize, find: findInOriginal } }
    watches.push({ detector: name, mode, threshold, search: () => ({ ...pieceSize, find }), ...searchInOriginal })
  }
  for (const { name, pattern, mode, threshold } of patterns) {
    let compiled: CompiledPattern | undefined
    const search = () => (compiled ??= compileOwnPattern(pattern))
    if (mode !== 'off') watches.push({ detector: `custom:${name}`, mode, threshold, search })
  }
  return { settings, watches, allows: compileAllowList(allow_list) }
}

export interface InspectionOptions {
  readonly includeBelowThreshold?: boolean
  /** Ends an inspection that nobody waits for any more. */
  readonly signal?: AbortSignal
}

/**
 * Returns the detectors that fire on a text, in the order of the check; on request also those whose score is below their
 * threshold. Yields to other work every few milliseconds.
 */
export async function inspect(
  { watches, allows }: SafetyCheck,
  input: SafetyInput,
  options: InspectionOptions = {},
): Promise<Finding[]> {
  if (watches.length === 0) return []
  const slices = new TimeSlice()
  const parts: { original: string; folded: Folded }[] = []
  for (const original of Array.isArray(input) ? input : [input]) {
    parts.push({ original, folded: fold(original) })
    await slices.yieldIfOver()
  }
  const findings: Finding[] = []
  for (const { detector, mode, threshold, search, searchInOriginal } of watches) {
    const found = new DistinctHits()
    for (const { original, folded } of parts) {
      options.signal?.throwIfAborted()
      await scanText(search(), original, folded, allows, found, { slices, signal: options.signal })
      if (searchInOriginal)
        await scanText(searchInOriginal, original, unfolded(original), allows, found, {
          slices,
          signal: options.signal,
        })
    }
    const { hits, score, sample } = found
    const isReported = score >= threshold || (options.includeBelowThreshold === true && hits > 0)
    if (isReported) findings.push({ detector, mode, hits, score, threshold, sample })
  }
  return findings
}

const unfolded = (text: string): Folded => ({ text, origins: undefined })

/** The distinct hits of one detector. */
class DistinctHits {
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

  /** True when the hit already counts with at least this weight. */
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
 * Searches a text piece by piece. A hit belongs to the piece in which it begins, however far it reaches into the next; a hit that
 * begins in the margin is found again by the next piece.
 */
async function scanText(
  { pieceLength, margin, find }: CompiledPattern,
  original: string,
  folded: Folded,
  allows: AllowList | undefined,
  found: DistinctHits,
  { slices, signal }: { readonly slices: TimeSlice; readonly signal: AbortSignal | undefined },
) {
  const { text } = folded
  const isAllowed = allows?.(text)
  for (let from = 0; from < text.length && !found.isFull; from += pieceLength) {
    const offset = Math.max(0, from - margin)
    const seen = text.slice(offset, from + pieceLength + margin)
    for (const hit of find(seen)) {
      if (slices.isOver) await slices.yieldIfOver()
      if (!hit) continue
      const start = hit.start + offset
      const end = hit.end + offset
      if (start < from || start >= from + pieceLength) continue
      const key = hit.key ?? keyOf(seen, hit)
      const weight = hit.weight ?? 1
      if (found.counts(key, weight) || isAllowed?.(start, end)) continue
      found.add(key, weight, () => sampleOf(original, unfold(original, folded, start, end)))
    }
    await slices.yieldIfOver()
    signal?.throwIfAborted()
  }
}

const keyOf = (text: string, { start, end }: Hit) =>
  text
    .slice(start, end)
    .replace(/[\s.\-/()]/g, '')
    .toLowerCase()

/** Returns the error of the first finding that blocks. */
export function blockingError(findings: readonly Finding[]): ApiError | undefined {
  const blocking = findings.find(({ mode, score, threshold }) => mode === 'block' && score >= threshold)
  return blocking && new ApiError('content_safety_blocked', { detector: blocking.detector, sample: blocking.sample })
}
