import { canonicalSchema } from './canonical.ts'
import { narrowings } from './narrowing.ts'
import type { PublishedError } from './surface.ts'

/** Clients switch on codes, statuses and details: the catalog only grows. */
export function catalogFaults(released: readonly PublishedError[], current: readonly PublishedError[]): string[] {
  return released.flatMap(({ code, statuses, details }) => {
    const now = current.find((entry) => entry.code === code)
    if (!now) return [`the error code ${code} was removed`]
    return [
      ...statuses
        .filter((status) => !now.statuses.includes(status))
        .map((status) => `the error code ${code} lost the status ${status}`),
      ...narrowings(canonicalSchema(details), canonicalSchema(now.details), 'response', `${code}.details`),
    ]
  })
}
