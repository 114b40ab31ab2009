import { handOverChains, retireAuditKeys } from '../../access/audit/audit.ts'
import { resealConnectionSecrets } from '../../people/connections/connections.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { resealSlackSecrets } from '../../slack/slack.ts'
import { resealWebhookSecrets } from '../../webhooks/webhooks.ts'

export interface RekeyCounts {
  readonly webhook_secrets: number
  readonly sso_secrets: number
  readonly slack_secrets: number
  readonly audit_chains: number
  readonly audit_keys: number
}

/**
 * Re-encrypts everything that the program can decrypt with the newest master key, in short transactions beside the running
 * service. Remaining work is found by the key it depends on, so it can be interrupted and resumed. Hashes of API keys move when
 * their secrets are next presented, because nobody else has them.
 */
export async function rekey({ sql, config }: Platform): Promise<RekeyCounts> {
  const masterKeys = config.masterKeys()
  // Before the chains: a chain that is handed over can then be verified without the old master key.
  const auditKeys = await retireAuditKeys(sql, masterKeys)
  return {
    webhook_secrets: await resealWebhookSecrets(sql, config),
    sso_secrets: await resealConnectionSecrets(sql, config),
    slack_secrets: await resealSlackSecrets(sql, config),
    audit_chains: await handOverChains(sql, masterKeys),
    audit_keys: auditKeys,
  }
}
