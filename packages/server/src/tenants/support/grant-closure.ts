import { type AuditRecord, auditKeyring, recordAll } from '../../access/audit/audit.ts'
import { emit, type NewEvent } from '../../access/events/events.ts'
import type { Job } from '../../platform/infra/jobs.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { newTraceId } from '../../platform/infra/trace.ts'
import { formatId } from '../../values/id.ts'
import { closeGrant, type EndedGrant, listEndedGrants, lockGrant, revokeGrant } from './queries.ts'
import type { EndTraces } from './traces.ts'
import { grantView } from './view.ts'

const pageSize = 100
const system = { kind: 'system', id: 'support-grants', role: 'operator' } as const

/**
 * Closes grants that have ended: what they have made ends too, recorded for the organization. A grant whose operator's key was
 * revoked is revoked with it; its token is refused from that moment on.
 */
export async function closeGrants(platform: Platform, endTraces: EndTraces, signal?: AbortSignal) {
  for (;;) {
    signal?.throwIfAborted()
    const endedGrants = await listEndedGrants(platform.sql, pageSize)
    for (const grant of endedGrants) await close(platform, endTraces, grant)
    if (endedGrants.length < pageSize) return
  }
}

async function close({ sql, config, clock }: Platform, endTraces: EndTraces, { org_id: orgId, id }: EndedGrant) {
  const keyring = auditKeyring(config.masterKeys())
  await sql.asOrgs([orgId], async (tx) => {
    const found = await lockGrant(tx, orgId, id)
    if (!found || found.closed_at !== null) return
    const entries: AuditRecord[] = []
    const events: NewEvent[] = []
    const common = { actor: system, address: null, traceId: newTraceId() }
    const audit = (entry: Omit<AuditRecord, keyof typeof common>) => void entries.push({ ...entry, ...common })
    const before = grantView(found, clock.now())
    const target = { kind: 'support_grant', id: formatId('grant', id) }
    if (before.status === 'active') {
      const after = grantView(await revokeGrant(tx, orgId, id, system), clock.now())
      audit({ action: 'support_grant.revoked', target, before, after })
    } else {
      await closeGrant(tx, orgId, id)
      if (before.status === 'expired') audit({ action: 'support_grant.expired', target, after: before })
    }
    await endTraces({ tx, audit, emit: (event) => void events.push(event) }, orgId, id)
    await emit(tx, orgId, events)
    await recordAll(tx, keyring, orgId, entries)
  })
}

export const closeGrantsJob = (platform: Platform, endTraces: EndTraces): Job => ({
  name: 'close-support-grants',
  schedule: '* * * * *',
  run: (_payload, signal) => closeGrants(platform, endTraces, signal),
})
