import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { timestamp } from '../../values/timestamp.ts'
import { newOrgSecret, type WebhookSecrets } from '../signing/secrets.ts'
import { countSubscriptions, findOrgSecret, insertOrgSecret, lockSubscriptions, replaceOrgSecret } from './queries.ts'
import type { OrgSecretView } from './schema.ts'

/** Creates the organization's secret if it has none: from the first subscription on there is one to sign with. */
export const ensureOrgSecret = (tx: Tx, secrets: WebhookSecrets, orgId: string) =>
  insertOrgSecret(tx, orgId, secrets.sealSecret({ orgId }, newOrgSecret()))

async function orgSecretView(tx: Tx, secrets: WebhookSecrets, orgId: string): Promise<OrgSecretView> {
  const row = present(await findOrgSecret(tx, orgId))
  return {
    org_id: formatId('org', orgId),
    secret: secrets.unsealSecret({ orgId }, row.sealed),
    created_at: timestamp(row.created_at),
    rotated_at: timestamp(row.rotated_at),
  }
}

/** Returns the organization's secret, and creates it on first use. */
export async function getOrgSecret(tx: Tx, secrets: WebhookSecrets, orgId: string): Promise<OrgSecretView> {
  if (!(await lockSubscriptions(tx, orgId))) throw new ApiError('not_found')
  await ensureOrgSecret(tx, secrets, orgId)
  return orgSecretView(tx, secrets, orgId)
}

/**
 * Rotates the organization's secret. Once every subscription has its own secret, nothing is signed with this one and it stays
 * unchanged.
 */
export async function rotateOrgSecret({ tx, audit }: ChangeTools, secrets: WebhookSecrets, orgId: string) {
  if (!(await lockSubscriptions(tx, orgId))) throw new ApiError('not_found')
  await ensureOrgSecret(tx, secrets, orgId)
  const { all, signing } = await countSubscriptions(tx, orgId)
  if (all > 0 && all === signing) return { rotated: false, ...(await orgSecretView(tx, secrets, orgId)) }
  // The old secret is not unsealed, so that rotation also works when its master key is gone.
  const before = present(await findOrgSecret(tx, orgId))
  await replaceOrgSecret(tx, orgId, secrets.sealSecret({ orgId }, newOrgSecret()))
  const after = await orgSecretView(tx, secrets, orgId)
  audit({
    action: 'webhook_secret.rotated',
    target: { kind: 'org', id: after.org_id },
    before: { rotated_at: timestamp(before.rotated_at) },
    after: { rotated_at: after.rotated_at },
  })
  return { rotated: true, ...after }
}
