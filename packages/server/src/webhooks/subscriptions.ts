import type { ChangeTools } from '../changes/changes.ts'
import { ApiError } from '../contract/errors.ts'
import { optInKinds, setOptIns } from '../events/events.ts'
import type { Tx } from '../infra/sql.ts'
import { lockLedger } from '../ledger/ledger.ts'
import { formatId, newUuid } from '../values/id.ts'
import { timestamp, timestampOrNull } from '../values/timestamp.ts'
import { ensureOrgSecret } from './org-secret.ts'
import {
  countSubscriptions,
  deleteSubscription,
  enabledFilters,
  findSubscription,
  insertSubscription,
  lockOptIns,
  lockSubscriptions,
  type SubscriptionFields,
  type SubscriptionRow,
  updateSubscription,
} from './queries.ts'
import { reopenQueue } from './queue-queries.ts'
import type { SubscriptionInput, SubscriptionPatch, SubscriptionView } from './schema.ts'
import type { WebhookSecrets } from './secrets.ts'

const maxSubscriptions = 100

const stateOf = ({ enabled, failures, last_attempt_at, last_success_at }: SubscriptionRow) => {
  if (!enabled) return 'disabled'
  if ((failures ?? 0) > 0) return 'failing'
  // One that begins anew after it was disabled has still to show that it is well.
  const isProved = last_attempt_at !== null && last_success_at !== null && last_attempt_at <= last_success_at
  return isProved ? 'healthy' : 'idle'
}

export const subscriptionView = (row: SubscriptionRow): SubscriptionView => ({
  id: formatId('subscription', row.id),
  org_id: formatId('org', row.org_id),
  url: row.url,
  events: row.events,
  description: row.description,
  ordered: row.ordered,
  enabled: row.enabled,
  disabled_reason: row.disabled_reason,
  disabled_at: timestampOrNull(row.disabled_at),
  signing_version: row.generation === 0 ? 1 : 2,
  health: {
    state: stateOf(row),
    consecutive_failures: row.failures ?? 0,
    failing_since: timestampOrNull(row.failing_since),
    last_attempt_at: timestampOrNull(row.last_attempt_at),
    last_success_at: timestampOrNull(row.last_success_at),
    latency_ms: row.latency_ms,
    pending: Number(row.pending),
    oldest_pending_at: timestampOrNull(row.oldest_pending_at),
  },
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

/** What somebody has decided about a subscription, without how it fares. */
const decided = ({ health: _health, ...view }: SubscriptionView) => view

/** One subscription, with nobody else changing any of the organization's. */
export async function lockedSubscription(tx: Tx, orgId: string, id: string): Promise<SubscriptionRow> {
  const row = (await lockSubscriptions(tx, orgId)) ? await findSubscription(tx, orgId, id) : undefined
  if (!row) throw new ApiError('not_found')
  return row
}

/** Kinds that must be asked for are written from now on exactly where a subscription asks; decisions read it with their limits. */
export async function refreshOptIns(tx: Tx, orgId: string) {
  await lockOptIns(tx, orgId)
  if (await setOptIns(tx, orgId, optInKinds(await enabledFilters(tx, orgId)))) await lockLedger(tx, orgId)
}

export async function createSubscription(
  { tx, audit }: ChangeTools,
  secrets: WebhookSecrets,
  orgId: string,
  input: SubscriptionInput,
): Promise<SubscriptionView> {
  if (!(await lockSubscriptions(tx, orgId))) throw new ApiError('not_found')
  if ((await countSubscriptions(tx, orgId)).all >= maxSubscriptions)
    throw new ApiError('conflict', {}, { message: `An organization has at most ${maxSubscriptions} subscriptions.` })
  await ensureOrgSecret(tx, secrets, orgId)
  const id = newUuid()
  await insertSubscription(tx, orgId, id, {
    url: input.url,
    description: input.description ?? '',
    events: input.events ?? [],
    ordered: input.ordered ?? false,
    enabled: input.enabled ?? true,
  })
  await refreshOptIns(tx, orgId)
  const after = subscriptionView((await findSubscription(tx, orgId, id))!)
  audit({ action: 'webhook.created', target: { kind: 'subscription', id: after.id }, after: decided(after) })
  return after
}

/** The fields that would not stay as they are. */
function differing(row: SubscriptionRow, patch: SubscriptionPatch): Partial<SubscriptionFields> {
  const names = Object.keys(patch) as (keyof SubscriptionPatch)[]
  const differ = names.filter((name) => JSON.stringify(patch[name]) !== JSON.stringify(row[name]))
  return Object.fromEntries(differ.map((name) => [name, patch[name]]))
}

export async function changeSubscription(
  { tx, audit }: ChangeTools,
  orgId: string,
  id: string,
  patch: SubscriptionPatch,
): Promise<SubscriptionView> {
  const found = await lockedSubscription(tx, orgId, id)
  const before = subscriptionView(found)
  const fields = differing(found, patch)
  if (Object.keys(fields).length === 0) return before
  await updateSubscription(tx, orgId, id, fields)
  // Another endpoint has no past either.
  if (fields.enabled === true || fields.url !== undefined) await reopenQueue(tx, orgId, id)
  await refreshOptIns(tx, orgId)
  const after = subscriptionView((await findSubscription(tx, orgId, id))!)
  audit({
    action: 'webhook.updated',
    target: { kind: 'subscription', id: after.id },
    before: decided(before),
    after: decided(after),
  })
  return after
}

export async function removeSubscription({ tx, audit }: ChangeTools, orgId: string, id: string): Promise<null> {
  const before = subscriptionView(await lockedSubscription(tx, orgId, id))
  await deleteSubscription(tx, orgId, id)
  await refreshOptIns(tx, orgId)
  audit({ action: 'webhook.deleted', target: { kind: 'subscription', id: before.id }, before: decided(before) })
  return null
}
