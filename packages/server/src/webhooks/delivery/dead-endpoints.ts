import { type AuditRecord, record } from '../../access/audit/audit.ts'
import { emit } from '../../access/events/events.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { newTraceId } from '../../platform/infra/trace.ts'
import { formatId } from '../../values/id.ts'
import type { Keyring } from '../../values/keyring.ts'
import { timestamp } from '../../values/timestamp.ts'
import { originOf } from '../subscriptions/stored-address.ts'
import { refreshOptIns } from '../subscriptions/subscriptions.ts'
import { type DisabledRow, disableSubscriptions } from './dispatch-queries.ts'
import type { LeasedQueue } from './leased-queue.ts'

/** The number of days for which every delivery must fail before the subscription is disabled. */
const failingDays = 5

/** Disables the subscriptions whose endpoints are gone, or have failed for days, and emits that. */
export async function disableDeadEndpoints(tx: Tx, queues: Iterable<LeasedQueue>): Promise<readonly DisabledRow[]> {
  const suspects = [...queues].filter(({ isGone, isFailing }) => isGone || isFailing)
  if (suspects.length === 0) return []
  const keys = suspects.map(({ orgId, subscriptionId, isGone }) => ({
    orgId,
    subscriptionId,
    reason: isGone ? ('gone' as const) : ('failing' as const),
  }))
  const disabled = await disableSubscriptions(tx, keys, failingDays)
  // Each takes the lock of its organization, in one order, as everywhere.
  const sorted = disabled.toSorted((a, b) => (a.org_id < b.org_id ? -1 : 1))
  for (const { org_id, id, url, disabled_reason, disabled_at } of sorted) {
    const subject = formatId('subscription', id)
    await emit(tx, org_id, [
      {
        kind: 'subscription.disabled',
        subject,
        data: {
          subscription_id: subject,
          // The path of a URL often contains a secret of the endpoint.
          // Recipients of mail are told to nobody else.
          origin: url.startsWith('mailto:') ? 'mailto:' : originOf(url),
          reason: disabled_reason,
          disabled_at: timestamp(disabled_at),
        },
      },
    ])
    await refreshOptIns(tx, org_id)
  }
  return sorted
}

/** Records in the audit chain that a subscription was disabled; the chain is the last lock of every transaction. */
export const recordDisabled = (tx: Tx, keyring: Keyring, row: DisabledRow) =>
  record(tx, keyring, row.org_id, disabledEntry(row))

const disabledEntry = ({ id, disabled_reason, disabled_at }: DisabledRow): AuditRecord => ({
  actor: { kind: 'system', id: 'webhooks', role: 'operator' },
  action: 'webhook.disabled',
  target: { kind: 'subscription', id: formatId('subscription', id) },
  after: { reason: disabled_reason, disabled_at: timestamp(disabled_at) },
  address: null,
  traceId: newTraceId(),
})
