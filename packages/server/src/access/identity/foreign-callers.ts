import type { Platform } from '../../platform/infra/platform.ts'
import { elementAt } from '../../values/present.ts'
import { type Caller, callerFrom } from './caller.ts'
import { createForeignDigests } from './foreign-digests.ts'
import { findForeignCallers } from './queries.ts'

/** Creates the lookup of callers by the digests of foreign keys. */
export function createForeignReader(platform: Pick<Platform, 'sql' | 'config'>) {
  const digests = createForeignDigests(platform)
  return async (wanted: readonly string[]): Promise<Map<string, Caller>> => {
    const rows = await findForeignCallers(platform.sql, wanted.map(digests.all))
    const found = new Map<string, Caller>()
    for (const [i, row] of rows.entries()) {
      if (!row) continue
      const digest = elementAt(wanted, i)
      const [caller, current, endsAtMs] = [callerFrom(row), digests.current(digest), row.foreign_ends_at.getTime()]
      const foreign = {
        id: row.foreign_id,
        digest: Buffer.from(digest, 'hex'),
        endsAtMs,
        rehash: row.foreign_mac_key_id === current.mac_key_id ? undefined : current,
        readAtMs: performance.now(),
      }
      found.set(digest, { ...caller, expiresAtMs: Math.min(caller.expiresAtMs, endsAtMs), foreign })
    }
    return found
  }
}
