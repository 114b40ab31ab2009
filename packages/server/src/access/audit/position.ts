import type { AuditPosition } from './queries.ts'

const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}\+00:00$/
const number = /^[1-9]\d{0,17}$/

/** Formats a place in a chain as text; callers see it encrypted. */
export const formatAuditPosition = ({ at, seq }: AuditPosition): string => JSON.stringify([at, seq.toString()])

export function parseAuditPosition(cursor: string): AuditPosition | undefined {
  try {
    const parts: unknown = JSON.parse(cursor)
    if (!Array.isArray(parts) || parts.length !== 2) return undefined
    const [at, seq] = parts as unknown[]
    if (typeof at !== 'string' || typeof seq !== 'string') return undefined
    return time.test(at) && !Number.isNaN(Date.parse(at)) && number.test(seq) ? { at, seq: BigInt(seq) } : undefined
  } catch {
    return undefined
  }
}
