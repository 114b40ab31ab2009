import { handOverChains, retireAuditKeys } from '../audit/audit.ts'
import type { Platform } from '../infra/platform.ts'
import { resealWebhookSecrets } from '../webhooks/webhooks.ts'

export interface Moved {
  readonly webhook_secrets: number
  readonly audit_chains: number
  readonly audit_keys: number
}

/**
 * Moves everything that the program can open to the newest master key, in short transactions beside the running service. What is moved
 * is found by what it hangs on, so it can be broken off and begun again. Hashes of API keys move when their secrets are next
 * presented, because nobody else has them.
 */
export async function rekey({ sql, config }: Platform): Promise<Moved> {
  const masterKeys = config.masterKeys()
  // Before the chains: whoever is handed over can then be verified without the old master key.
  const auditKeys = await retireAuditKeys(sql, masterKeys)
  return {
    webhook_secrets: await resealWebhookSecrets(sql, config),
    audit_chains: await handOverChains(sql, masterKeys),
    audit_keys: auditKeys,
  }
}
