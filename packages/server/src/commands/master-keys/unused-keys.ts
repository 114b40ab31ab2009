import { auditKeyring, record } from '../../access/audit/audit.ts'
import { emit } from '../../access/events/events.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { newTraceId } from '../../platform/infra/trace.ts'
import { notifyAccessChange, recordAccessChange } from '../../platform/nodes/nodes.ts'
import { revokeUnused } from '../../tenants/keys/keys.ts'
import { present } from '../../values/present.ts'
import { findUnusedKeys, type UnusedKey } from './queries.ts'

const pageSize = 200

/** Revokes keys that depend on an old master key and have long been unused, and records it for their organizations. */
export async function revokeUnusedKeys(platform: Platform, since: Date): Promise<number> {
  const { sql, config } = platform
  const old = config.masterKeys().slice(1)
  const keyIds = old.map(({ id }) => id)
  let revoked = 0
  for (;;) {
    const unusedKeys = await findUnusedKeys(sql, keyIds, since, pageSize)
    for (const key of unusedKeys) if (await revokeOne(platform, key, since)) revoked++
    if (unusedKeys.length > 0) await notifyAccessChange(sql)
    if (unusedKeys.length < pageSize) return revoked
  }
}

/** Revokes one key, unless it was used meanwhile. */
const revokeOne = (platform: Platform, { org_id: orgId, id }: UnusedKey, since: Date) =>
  platform.sql.asOrgs([orgId], async (tx) => {
    const change = await revokeUnused(platform, tx, { orgId, id, since })
    if (!change) return false
    const { before, after } = change
    const subject = after.id
    await emit(tx, orgId, [
      {
        kind: 'key.revoked',
        subject,
        data: { key_id: subject, name: after.name, role: after.role, revoked_at: present(after.revoked_at) },
      },
    ])
    await recordAccessChange(tx, orgId)
    await record(tx, auditKeyring(platform.config.masterKeys()), orgId, {
      actor: { kind: 'system', id: 'rekey', role: 'operator' },
      action: 'key.revoked',
      target: { kind: 'key', id: subject },
      before,
      after,
      address: null,
      traceId: newTraceId(),
    })
    return true
  })
