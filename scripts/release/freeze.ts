import { canonical } from './canonical.ts'
import type { Document } from './document.ts'
import { breakingChanges } from './oasdiff.ts'
import { operationFaults } from './operations.ts'

/**
 * How the current OpenAPI document breaks the released one. Two readings, oasdiff's and our own, and either is enough:
 * `/v1` only grows, and there is no override.
 */
export async function freezeFaults(released: Document, current: Document): Promise<string[]> {
  const [before, after] = [canonical(released), canonical(current)]
  const changes = await breakingChanges(before, after)
  return [
    ...stabilityFaults(current),
    ...changes.map(({ operation, path, text, id }) => `${operation ?? ''} ${path ?? ''}: ${text} (${id})`.trim()),
    ...operationFaults(before, after),
  ]
}

/** `x-stability-level` tells oasdiff to forgive what is marked with it. */
export function stabilityFaults(document: Document): string[] {
  return placesOf('x-stability-level', document, '#').map(
    (place) => `${place} lowers the freeze; /v1 has one level of stability`,
  )
}

function placesOf(wanted: string, node: unknown, at: string): string[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, value]) => [
    ...(key === wanted ? [`${at}/${key}`] : []),
    ...placesOf(wanted, value, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  ])
}
