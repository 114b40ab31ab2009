import { type Deprecation, documentationOf, surfaceOf } from '../../contract/deprecations/deprecations.ts'
import type { Job } from '../../platform/infra/jobs.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { lastOf } from '../../values/present.ts'
import { timestamp } from '../../values/timestamp.ts'
import type { EventData } from './catalog.ts'
import { emit } from './outbox.ts'
import { listPendingAnnouncements, markAnnounced } from './queries.ts'

const pageSize = 500
const beforeAll = '00000000-0000-0000-0000-000000000000'

/**
 * Announces deprecations once to every organization with a subscription older than the announcement: later ones could read of
 * it in the documentation from the start.
 */
export async function announceDeprecations(
  { sql, clock, addresses }: Pick<Platform, 'sql' | 'clock' | 'addresses'>,
  registry: readonly Deprecation[],
  signal?: AbortSignal,
): Promise<void> {
  const announced = registry
    .map((entry) => ({ entry, id: entry.id, since: `${entry.since}T00:00:00Z` }))
    .filter(({ since }) => Date.parse(since) <= clock.now().getTime())
  if (announced.length === 0) return
  const entries = new Map(announced.map(({ id, entry }) => [id, entry]))
  let after = beforeAll
  for (;;) {
    signal?.throwIfAborted()
    const page = await sql.asOrgs([], (tx) => listPendingAnnouncements(tx, announced, after, pageSize))
    for (const row of page)
      await sql.asOrgs([row.org_id], async (tx) => {
        const pending = new Set(await markAnnounced(tx, row))
        const due = [...entries.values()].filter(({ id }) => pending.has(id))
        await emit(
          tx,
          row.org_id,
          due.map((entry) => ({
            kind: 'deprecation.announced',
            subject: entry.id,
            data: announcementOf(entry, addresses.docsUrl()),
          })),
        )
      })
    if (page.length < pageSize) return
    after = lastOf(page).org_id
  }
}

const announcementOf = (entry: Deprecation, docsUrl: string): EventData<'deprecation.announced'> => ({
  deprecation_id: entry.id,
  surface: surfaceOf(entry),
  since: entry.since,
  sunset: 'sunset' in entry ? timestamp(new Date(entry.sunset)) : null,
  migration: entry.migration,
  documentation: documentationOf(entry, docsUrl),
})

export const announceDeprecationsJob = (platform: Platform, registry: readonly Deprecation[]): Job => ({
  name: 'announce-deprecations',
  schedule: '17 * * * *',
  run: (_payload, signal) => announceDeprecations(platform, registry, signal),
})
