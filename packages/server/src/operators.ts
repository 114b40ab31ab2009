import { auditKeyring, ensureAuditPartitions, record } from './audit/audit.ts'
import type { Config } from './config.ts'
import { operatorScopes } from './identity/identity.ts'
import type { Log } from './infra/log.ts'
import { openPlatform } from './infra/platform.ts'
import { newTraceId } from './infra/trace.ts'
import { mint } from './keys/keys.ts'
import { operatorsOrgId } from './values/id.ts'

/** Mints a key for an operator and prints it, once: the way in for the first one, and back in for one that lost theirs. */
export async function createOperatorKey(config: Config, log: Log, name: string) {
  const platform = await openPlatform(config, 'create-operator-key', log)
  try {
    await ensureAuditPartitions(platform.sql, platform.clock.now())
    const { view, secret } = await platform.sql.asOrgs([operatorsOrgId], async (tx) => {
      const minted = await mint(platform, tx, operatorsOrgId, { name, role: 'operator', scopes: operatorScopes })
      await record(tx, auditKeyring(config.masterKeys()), operatorsOrgId, {
        actor: { kind: 'system', id: 'create-operator-key', role: 'operator' },
        action: 'key.created',
        target: { kind: 'key', id: minted.view.id },
        after: minted.view,
        address: null,
        traceId: newTraceId(),
      })
      return minted
    })
    console.log(JSON.stringify({ id: view.id, name: view.name, key: secret }))
  } finally {
    await platform.close()
  }
}
