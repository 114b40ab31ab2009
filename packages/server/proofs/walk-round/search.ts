import { Random } from '../../test/support/random.ts'
import { drawMoves, type Move, withRaises } from './moves.ts'
import { faultsOf } from './oracle.ts'
import { createOrganization } from './organization.ts'
import type { Settings } from './settings.ts'
import type { Site } from './site.ts'
import { walk } from './walk.ts'

export interface SearchOptions {
  readonly seed: number
  readonly sequences: number
  readonly length: number
  readonly settings: Settings
  /** Whether the caller also asks for more under permits that it has. */
  readonly raises?: boolean
  /** Sequences that may be tried to make a fault's own shorter. */
  readonly shrinks: number
}

export interface SearchResult {
  readonly sequences: number
  readonly answers: Readonly<Record<string, number>>
  readonly found?: { readonly seed: number; readonly faults: readonly string[]; readonly moves: readonly Move[] }
}

/** Walks sequence after sequence, each in an organization of its own, until one ends in a fault, and makes that one short. */
export async function search(site: Site, options: SearchOptions): Promise<SearchResult> {
  const answers: Record<string, number> = {}
  const tried = async (moves: readonly Move[]) => {
    const org = await createOrganization(site.url, site.operator, options.settings)
    const world = {
      url: site.url,
      provider: site.provider,
      org,
      wait: (seconds: number) => site.wait(org.uuid, seconds),
    }
    const walked = await walk(world, moves)
    for (const [name, count] of Object.entries(walked.answers)) answers[name] = (answers[name] ?? 0) + count
    return faultsOf(world, walked, options.settings)
  }
  for (let i = 0; i < options.sequences; i++) {
    const seed = options.seed + i
    const drawn = drawMoves(new Random(seed), options.length)
    const moves = options.raises ? withRaises(drawn, new Random(seed ^ 0x5eed)) : drawn
    const faults = await tried(moves)
    if (faults.length > 0) {
      const shortest = await shortened({ moves, faults }, tried, options.shrinks)
      return { sequences: i + 1, answers, found: { seed, ...shortest } }
    }
  }
  return { sequences: options.sequences, answers }
}

interface Found {
  readonly moves: readonly Move[]
  readonly faults: readonly string[]
}

/** Leaves out move after move, as long as a fault remains. */
async function shortened(
  found: Found,
  tried: (moves: readonly Move[]) => Promise<string[]>,
  attempts: number,
): Promise<Found> {
  let shortest = found
  let left = attempts
  for (let i = found.moves.length - 1; i >= 0 && left > 0; i--, left--) {
    const moves = shortest.moves.toSpliced(i, 1)
    const faults = await tried(moves)
    if (faults.length > 0) shortest = { moves, faults }
  }
  return shortest
}
