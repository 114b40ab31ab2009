import type { ChangeTools } from '../../access/changes/changes.ts'
import { formatId } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { timestampOrNull } from '../../values/timestamp.ts'
import { newOwnSecret, type WebhookSecrets } from '../signing/secrets.ts'
import { findSubscription, replaceOwnSecret, type SubscriptionRow } from './queries.ts'
import type { SigningView } from './schema.ts'
import { lockSubscription } from './subscriptions.ts'

export const signingView = (row: SubscriptionRow, nowMs: number): SigningView => {
  const isOverlapping = row.previous_until !== null && nowMs < row.previous_until.getTime()
  return {
    subscription_id: formatId('subscription', row.id),
    version: row.generation === 0 ? 1 : 2,
    generation: row.generation,
    rotated_at: timestampOrNull(row.rotated_at),
    previous_expires_at: isOverlapping ? timestampOrNull(row.previous_until) : null,
  }
}

/** Creates or rotates the subscription's own secret. It is returned only in this response, and stored sealed. */
export async function rotateSigning(
  { tx, audit }: ChangeTools,
  secrets: WebhookSecrets,
  nowMs: number,
  { orgId, subscriptionId, overlapSeconds }: { orgId: string; subscriptionId: string; overlapSeconds: number },
) {
  const before = signingView(await lockSubscription(tx, orgId, subscriptionId), nowMs)
  const secret = newOwnSecret()
  const sealed = secrets.sealSecret({ orgId, subscriptionId }, secret)
  await replaceOwnSecret(tx, orgId, subscriptionId, sealed, overlapSeconds)
  const after = signingView(present(await findSubscription(tx, orgId, subscriptionId)), nowMs)
  audit({
    action: 'webhook.signing_rotated',
    target: { kind: 'subscription', id: after.subscription_id },
    before,
    after,
  })
  return { ...after, secret }
}
