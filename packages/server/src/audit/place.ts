import type { Place } from './queries.ts'

const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}\+00:00$/
const number = /^[1-9]\d{0,17}$/

/** A place in a chain as callers hold it: opaque, and refused here where it is none of ours. */
export const writePlace = ({ at, seq }: Place): string =>
  Buffer.from(JSON.stringify([at, seq.toString()])).toString('base64url')

export function readPlace(cursor: string): Place | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (!Array.isArray(parts) || parts.length !== 2) return undefined
    const [at, seq] = parts as unknown[]
    if (typeof at !== 'string' || typeof seq !== 'string') return undefined
    return time.test(at) && !Number.isNaN(Date.parse(at)) && number.test(seq) ? { at, seq: BigInt(seq) } : undefined
  } catch {
    return undefined
  }
}
