import { setImmediate } from 'node:timers/promises'
import { present } from '../values/present.ts'

type Container = unknown[] | Record<string, unknown>

/** A part of a value: the entries of the container at a path, some of which are empty here and filled by later pieces. */
export interface Piece {
  readonly path: readonly (string | number)[]
  readonly value: unknown
}

/** Weight that takes a millisecond or two to receive from another thread. */
const maxWeight = 8_000
const charactersPerWeight = 100

/**
 * Cuts a value into pieces, none of which is much work to receive. The first is the value itself, without its too large parts.
 */
export function splitValue(value: unknown, most = maxWeight): Piece[] {
  const weights = new Map<object, number>()
  weigh(value, weights)
  const pieces: Piece[] = []
  const emptied: { readonly path: readonly (string | number)[]; readonly container: Container }[] = []
  const inline = (inner: unknown, path: () => readonly (string | number)[]): unknown => {
    if (inner === null || typeof inner !== 'object' || present(weights.get(inner)) <= most) return inner
    emptied.push({ path: path(), container: inner as Container })
    return Array.isArray(inner) ? [] : {}
  }
  pieces.push({ path: [], value: inline(value, () => []) })
  for (const { path, container } of emptied) {
    const isArray = Array.isArray(container)
    let entries: [string | number, unknown][] = []
    let weight = 0
    const flush = () => {
      if (entries.length === 0) return
      pieces.push({ path, value: isArray ? entries.map(([, inner]) => inner) : Object.fromEntries(entries) })
      entries = []
      weight = 0
    }
    for (const [key, inner] of isArray ? container.entries() : Object.entries(container)) {
      const own = weightOf(inner, weights)
      const added = own > most ? 1 : own
      if (weight + added > most) flush()
      entries.push([key, inline(inner, () => [...path, key])])
      weight += added
    }
    flush()
  }
  return pieces
}

const weightOf = (value: unknown, weights: ReadonlyMap<object, number>): number => {
  if (typeof value === 'string') return 1 + value.length / charactersPerWeight
  return value !== null && typeof value === 'object' ? present(weights.get(value)) : 1
}

function weigh(value: unknown, weights: Map<object, number>) {
  if (value === null || typeof value !== 'object') return
  let weight = 1
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key]
    weigh(inner, weights)
    weight += weightOf(inner, weights) + (Array.isArray(value) ? 0 : 1)
  }
  weights.set(value, weight)
}

/** Reassembles a value, yielding between the pieces. */
export async function assembleValue<P>(pieces: readonly P[], read: (piece: P) => Piece): Promise<unknown> {
  const root: { value: unknown } = { value: undefined }
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await setImmediate()
    const { path, value } = read(piece)
    if (index === 0) {
      root.value = value
      continue
    }
    const target = path.reduce((inner, key) => (inner as Record<string | number, unknown>)[key], root.value)
    if (Array.isArray(target)) target.push(...(value as unknown[]))
    else for (const [key, inner] of Object.entries(value as object)) define(target as object, key, inner)
  }
  return root.value
}

/** Gives an object an entry of any name: `__proto__`, when assigned, would be no entry. */
const define = (target: object, key: string, value: unknown) =>
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
