import type { Sql } from '../../platform/infra/sql.ts'
import { lastOf } from '../../values/present.ts'
import { dayMs } from '../../values/time.ts'
import { genesis, type SealedEntry } from './chain.ts'
import { type FormatName, formats } from './formats.ts'
import { formatAuditPosition } from './position.ts'
import { type AuditPosition, findSealBefore, readWindowPage } from './queries.ts'

const maxPageRows = 1_000
const firstPageRows = 100
const pageBytes = 262_144

/**
 * Yields the entries of a window as text, page by page: while the reader takes its time, neither a transaction nor more than a
 * page is held. Pages shrink when entries are large.
 */
export async function* exportAudit(
  sql: Sql,
  orgId: string,
  window: { from: Date; to: Date },
  formatName: FormatName,
  after?: AuditPosition,
  cursorOf: (place: AuditPosition) => string = formatAuditPosition,
): AsyncGenerator<string, void, undefined> {
  const format = formats[formatName]
  if (format.header !== undefined && after === undefined) yield format.header
  let place = after
  let previous: SealedEntry | undefined
  let limit = firstPageRows
  for (;;) {
    const entries = await readWindowPage(sql, orgId, window, place, limit)
    const first = entries[0]
    if (!first) return
    let seal = previous?.mac ?? (await sealBefore(sql, orgId, first))
    let text = ''
    for (const entry of entries) {
      text += format.line({ ...entry, cursor: cursorOf(entry) }, seal)
      seal = entry.mac
    }
    previous = lastOf(entries)
    place = previous
    yield text
    if (entries.length < limit) return
    const fitting = Math.floor((pageBytes * entries.length) / text.length)
    limit = Math.max(1, Math.min(maxPageRows, fitting, limit * 4))
  }
}

const sealBefore = (sql: Sql, orgId: string, entry: SealedEntry) =>
  entry.seq === 1n ? Promise.resolve(genesis) : findSealBefore(sql, orgId, entry)

const maxWindowMs = 90 * dayMs
/** Tolerance for the database's clock, which may be ahead of ours, and the newest entries are what readers look for. */
const clockSkewMs = 60_000

/** Returns the window of a query, by default the last 90 days. */
export function exportWindow({ from, to }: { from?: string; to?: string }, now: Date): { from: Date; to: Date } {
  const nowMs = now.getTime()
  const latest = nowMs + clockSkewMs
  // A request for the last 90 days arrives a moment after its beginning was computed.
  const longest = from === undefined ? latest : Date.parse(from) + maxWindowMs
  const end = to !== undefined ? Date.parse(to) : longest < nowMs - clockSkewMs ? latest : Math.min(latest, longest)
  return { from: new Date(end - maxWindowMs), to: new Date(end) }
}
