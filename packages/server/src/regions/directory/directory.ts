import { Counter } from 'prom-client'
import { createLookups } from '../../access/identity/identity.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { parseId } from '../../values/id.ts'
import { Lru } from '../../values/lru.ts'
import { isRecord } from '../../values/records.ts'
import { type CellLink, CellUnavailable } from '../link/link.ts'
import { findEntries, hasMovedOrgs } from './queries.ts'

export { introduce } from './introduction.ts'

/** Whereabouts of the organization behind an id. */
export interface DirectoryEntry {
  /** Name of the cell in which it lives. */
  readonly home: string
  readonly region: string
  readonly residency: 'none' | 'strict'
  /** Number of its homes so far. */
  readonly epoch: number
  /** True for the id of a support grant: what is refused to it is on the record of its organization. */
  readonly support?: true
}

export interface Directory {
  /** Finds an id that this cell knows: it has minted it, or its organization has moved here. */
  readonly own: (publicId: string) => Promise<DirectoryEntry | undefined>
  /** Finds where the organization of an id lives that this cell has minted, at its new home if it has moved. */
  readonly follow: (publicId: string, source: string, isOver: boolean) => Promise<DirectoryEntry | undefined>
  /** False while no organization has moved away from here, so that nobody needs to be followed. */
  readonly hasMoved: () => boolean | Promise<boolean>
  /**
   * Asks the cell that has minted an id, or answers from what it said within the last two seconds; throws {@link CellUnavailable}.
   * The questions of a source that has presented too many invalid keys wait for each other.
   */
  readonly find: (
    cell: string,
    publicId: string,
    source: string,
    isOver: boolean,
  ) => Promise<DirectoryEntry | undefined>
}

/** Longest use of an answer of another cell. */
const cacheMs = 2_000
const maxCached = 50_000
/** Longest time for which nobody asks whether an organization has moved away. What it is served meanwhile is nothing: the database refuses it. */
const movedMs = 1_000
/** Homes through which an organization is followed, for it may move between two answers. */
const mostHomes = 8
/** Pause after a failure, in which nobody waits for a cell that is away. */
const awayMs = 500
const ownLimits = { queries: 4, idsPerQuery: 200, pauseMs: 0 }
const promptLimits = { queries: 32, idsPerQuery: 1, pauseMs: 0 }
const slowLimits = { queries: 1, idsPerQuery: 1, pauseMs: 50 }

type Known = { readonly entry: DirectoryEntry | undefined; readonly untilMs: number }

/** Path at which another cell reports what it has refused to a caller of ours. */
export const refusalsPath = '/internal/refusals'

/** Returns the path at which a cell is asked for an id. */
export const directoryPath = (publicId: string) => `/internal/directory/${publicId}`

/** Returns the UUID of an id as it stands in a token; undefined for anything else. */
export const uuidOf = (publicId: string): string | undefined => parseId('key', `key_${publicId}`)

export function createDirectory({ sql, config, metrics }: Platform, link: CellLink): Directory {
  const { cell: home, region = '' } = config
  const questions = new Counter({
    name: 'svc_cell_lookups_total',
    help: 'Questions to other cells for where an organization lives, by cell and outcome.',
    labelNames: ['cell', 'outcome'],
    registers: [metrics],
  })
  const local = createLookups((ids) => findEntries(sql, ids), ownLimits)
  const remote = new Map([...link.cells.keys()].map((cell) => [cell, createRemote(cell)]))

  function createRemote(cell: string) {
    for (const outcome of ['found', 'unknown', 'failed']) questions.inc({ cell, outcome }, 0)
    const cache = new Lru<string, Known>(maxCached)
    let awayUntilMs = 0
    const ask = async (publicId: string): Promise<DirectoryEntry | undefined> => {
      const askedMs = performance.now()
      if (askedMs < awayUntilMs) throw new CellUnavailable(cell, 'has just not answered')
      try {
        const { status, body } = await link.ask(cell, directoryPath(publicId))
        const entry = status === 200 ? entryIn(body) : undefined
        if (!entry && status !== 404) throw new CellUnavailable(cell, `answered ${status}`)
        questions.inc({ cell, outcome: entry ? 'found' : 'unknown' })
        cache.set(publicId, { entry, untilMs: askedMs + cacheMs })
        return entry
      } catch (error) {
        awayUntilMs = performance.now() + awayMs
        questions.inc({ cell, outcome: 'failed' })
        throw error
      }
    }
    const readOne = async (ids: readonly string[]) => {
      const found = new Map<string, DirectoryEntry>()
      for (const id of ids) {
        const entry = await ask(id)
        if (entry) found.set(id, entry)
      }
      return found
    }
    return { cache, prompt: createLookups(readOne, promptLimits), slow: createLookups(readOne, slowLimits) }
  }

  async function own(publicId: string): Promise<DirectoryEntry | undefined> {
    const id = uuidOf(publicId)
    const row = id === undefined ? undefined : await local.find(id, home, undefined)
    if (!row) return undefined
    const there = row.elsewhere ?? home
    const thereRegion = row.elsewhere === null ? region : (link.cells.get(there)?.region ?? '')
    return { home: there, region: thereRegion, residency: row.residency, epoch: Number(row.home_epoch) }
  }

  async function askCell(cell: string, publicId: string, source: string, isOver: boolean) {
    const found = remote.get(cell)
    if (!found) throw new CellUnavailable(cell, 'is not listed in SVC_CELLS')
    const known = found.cache.get(publicId)
    if (known && performance.now() < known.untilMs) return known.entry
    // One question serves all who wait for it: whoever asks while it is on its way is no later than the cache would be.
    return found[isOver ? 'slow' : 'prompt'].find(publicId, source, 0n)
  }

  /** Asks from home to home until one says that the organization lives there. */
  async function settle(
    first: DirectoryEntry | undefined,
    from: string,
    publicId: string,
    source: string,
    isOver: boolean,
  ) {
    let entry = first
    let asked = from
    for (let hops = 0; entry && entry.home !== asked; hops++) {
      if (hops === mostHomes)
        throw new CellUnavailable(entry.home, 'and others do not agree where an organization lives')
      asked = entry.home
      const next = asked === home ? await own(publicId) : await askCell(asked, publicId, source, isOver)
      // The new home does not know it yet, or still names the earlier one: it is on its way.
      if (!next || next.epoch < entry.epoch) throw new CellUnavailable(asked, 'is taking the organization in')
      entry = next
    }
    return entry
  }

  const here = new Lru<string, Known>(maxCached)
  let moved = false
  let movedUntilMs = 0
  return {
    own,
    follow: async (publicId, source, isOver) => {
      const known = here.get(publicId)
      if (known && performance.now() < known.untilMs) return known.entry
      const askedMs = performance.now()
      const entry = await settle(await own(publicId), home, publicId, source, isOver)
      // Whoever is served here by mistake is refused by the database.
      if (entry?.home === home) here.set(publicId, { entry, untilMs: askedMs + movedMs })
      return entry
    },
    hasMoved: () => {
      if (moved || performance.now() < movedUntilMs) return moved
      return hasMovedOrgs(sql).then((has) => {
        moved = has
        movedUntilMs = performance.now() + movedMs
        return has
      })
    },
    find: async (cell, publicId, source, isOver) =>
      settle(await askCell(cell, publicId, source, isOver), cell, publicId, source, isOver),
  }
}

function entryIn(body: string): DirectoryEntry | undefined {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return undefined
  }
  if (!isRecord(value)) return undefined
  const { home, region, residency, epoch, support } = value
  const isEntry =
    typeof home === 'string' &&
    typeof region === 'string' &&
    (residency === 'none' || residency === 'strict') &&
    typeof epoch === 'number'
  return isEntry ? { home, region, residency, epoch, ...(support === true && { support }) } : undefined
}
