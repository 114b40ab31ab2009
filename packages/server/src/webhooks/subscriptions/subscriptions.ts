import { isDeepStrictEqual } from 'node:util'
import type { ChangeTools } from '../../access/changes/changes.ts'
import { optInKinds, setOptIns } from '../../access/events/events.ts'
import type { Caller } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import { lockLedgerForConfigChange } from '../../money/ledger/ledger.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import type { EndTraces } from '../../tenants/support/support.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { namesOf } from '../../values/records.ts'
import { timestamp, timestampOrNull } from '../../values/timestamp.ts'
import { standardDestination } from '../destinations/destination.ts'
import { newOwnSecret, type WebhookSecrets } from '../signing/secrets.ts'
import { addressFrom, askRecipients, requireOwnRecipients } from './destinations.ts'
import { ensureOrgSecret } from './org-secret.ts'
import {
  countSubscriptions,
  deleteSubscription,
  disableByGrant,
  enabledFilters,
  findSubscription,
  insertSubscription,
  lockOptIns,
  lockSubscriptions,
  replaceOwnSecret,
  type SubscriptionFields,
  type SubscriptionRow,
  updateSubscription,
} from './queries.ts'
import { reopenQueue } from './queue-queries.ts'
import type { SubscriptionInput, SubscriptionReplacement, SubscriptionView } from './schema.ts'
import { addressColumns, originOf, storedAddress, withoutPath } from './stored-address.ts'

const maxSubscriptions = 100

const statusOf = ({ enabled, failures, last_attempt_at, last_success_at }: SubscriptionRow) => {
  if (!enabled) return 'disabled'
  if ((failures ?? 0) > 0) return 'failing'
  // A subscription that was enabled again has yet to prove that its endpoint works.
  const isProved = last_attempt_at !== null && last_success_at !== null && last_attempt_at <= last_success_at
  return isProved ? 'healthy' : 'idle'
}

export const subscriptionView = (row: SubscriptionRow): SubscriptionView => ({
  id: formatId('subscription', row.id),
  org_id: formatId('org', row.org_id),
  url: row.url,
  destination: row.destination ?? standardDestination,
  unconfirmed_recipients: row.unconfirmed,
  events: row.events,
  description: row.description,
  ordered: row.ordered,
  enabled: row.enabled,
  disabled_reason: row.disabled_reason,
  disabled_at: timestampOrNull(row.disabled_at),
  created_by_grant: row.created_by_grant === null ? null : formatId('grant', row.created_by_grant),
  signing_version: row.generation === 0 ? 1 : 2,
  health: {
    status: statusOf(row),
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

/**
 * Returns a subscription for the audit log, without its health. The path of a URL often contains a password, and more people may
 * read the log than subscriptions; the digest shows that the URL changed.
 */
function auditView(secrets: WebhookSecrets, row: SubscriptionRow) {
  const { health: _health, unconfirmed_recipients: _unconfirmed, url, destination, ...view } = subscriptionView(row)
  const { secret } = storedAddress(secrets, row)
  const { events_url } = destination
  return {
    ...view,
    ends_at: timestampOrNull(row.ends_at),
    url: withoutPath(url),
    url_digest: secrets.digestOf(url),
    destination: { ...destination, ...(events_url !== undefined && { events_url: withoutPath(events_url) }) },
    ...(secret && { destination_digest: secrets.digestOf(JSON.stringify(secret)) }),
  }
}

/** Returns a subscription and locks all of the organization's subscriptions. */
export async function lockSubscription(tx: Tx, orgId: string, id: string): Promise<SubscriptionRow> {
  const row = (await lockSubscriptions(tx, orgId)) ? await findSubscription(tx, orgId, id) : undefined
  if (!row) throw new ApiError('not_found')
  return row
}

/**
 * Updates the organization's opt-in kinds: they are emitted exactly while a subscription selects them. Decisions read them with
 * their limits.
 */
export async function refreshOptIns(tx: Tx, orgId: string) {
  await lockOptIns(tx, orgId)
  if (await setOptIns(tx, orgId, optInKinds(await enabledFilters(tx, orgId))))
    await lockLedgerForConfigChange(tx, orgId)
}

export async function createSubscription(
  { tx, audit }: ChangeTools,
  secrets: WebhookSecrets,
  caller: Caller,
  input: SubscriptionInput,
): Promise<SubscriptionView & { secret?: string }> {
  const { orgId } = caller
  if (!(await lockSubscriptions(tx, orgId))) throw new ApiError('not_found')
  if ((await countSubscriptions(tx, orgId)).all >= maxSubscriptions)
    throw new ApiError(
      'conflict',
      {},
      { message: `An organization can have at most ${maxSubscriptions} subscriptions.` },
    )
  const id = newUuid()
  const address = addressFrom(input)
  const isMessages = address.destination.kind !== 'https'
  await requireOwnRecipients(tx, orgId, address.destination, secrets.mayMail)
  // Messages are not signed. Their secret waits for the day on which the subscription posts JSON, so that it never needs the shared one.
  const secret = input.signing === 'subscription' || isMessages ? newOwnSecret() : undefined
  if (secret === undefined) await ensureOrgSecret(tx, secrets, orgId)
  const columns = addressColumns(secrets, { orgId, subscriptionId: id }, address)
  await insertSubscription(tx, orgId, id, { ...withDefaults(input), ...columns, ...creatorFields(caller) })
  if (secret !== undefined)
    await replaceOwnSecret(tx, orgId, id, secrets.sealSecret({ orgId, subscriptionId: id }, secret), 0)
  await refreshOptIns(tx, orgId)
  const row = present(await findSubscription(tx, orgId, id))
  const after = subscriptionView(row)
  audit({ action: 'webhook.created', target: { kind: 'subscription', id: after.id }, after: auditView(secrets, row) })
  return { ...after, ...(secret !== undefined && !isMessages && { secret }) }
}

/** Marks a subscription that is created under a grant; it ends with the grant. */
const creatorFields = ({ kind, id, expiresAtMs }: Caller) =>
  kind === 'support'
    ? { created_by_grant: id, ends_at: new Date(expiresAtMs) }
    : { created_by_grant: null, ends_at: null }

/** A request to change a subscription. */
interface SubscriptionChange {
  readonly wanted: DesiredState<SubscriptionReplacement>
  /** True when the request sets `enabled` to true. */
  readonly isEnabling: boolean
  readonly method: string
}

/**
 * Lets a grant change the URL, or enable a subscription, only if the subscription was created under it: otherwise it would still
 * receive events after it has ended.
 */
function requireOwn(
  caller: Caller,
  { created_by_grant }: SubscriptionRow,
  fields: Partial<SubscriptionFields>,
  method: string,
) {
  if (caller.kind !== 'support' || created_by_grant === caller.id) return
  const isElsewhere = namesOf(fields).some((name) => /^(?:url|destination)/.test(name))
  if (!isElsewhere && fields.enabled !== true) return
  throw new ApiError('support_scope_denied', {
    reason: 'A grant can set the URL of a subscription, or enable it, only if the subscription was created under it.',
    scope: present(caller.grantScope),
    method,
  })
}

/** Makes a subscription permanent when the organization's own key enables it, whoever created it. */
const clearedExpiry = ({ kind }: Caller, row: SubscriptionRow, { isEnabling }: SubscriptionChange) =>
  kind !== 'support' && isEnabling && row.ends_at !== null ? { ends_at: null } : {}

const withDefaults = (input: SubscriptionReplacement) => ({
  events: input.events ?? [],
  description: input.description ?? '',
  ordered: input.ordered ?? false,
  enabled: input.enabled ?? true,
})

/** Returns the fields that would change. */
function changedFields(
  row: SubscriptionRow,
  wanted: ReturnType<typeof withDefaults> & ReturnType<typeof addressColumns>,
): Partial<SubscriptionFields> {
  const names = namesOf(wanted)
  const differ = names.filter((name) => !isDeepStrictEqual(wanted[name], row[name]))
  return Object.fromEntries(differ.map((name) => [name, wanted[name]]))
}

export async function replaceSubscription(
  { tx, audit, replaces }: ChangeTools,
  secrets: WebhookSecrets,
  caller: Caller,
  id: string,
  asked: SubscriptionChange,
): Promise<SubscriptionView> {
  const { orgId } = caller
  const found = await lockSubscription(tx, orgId, id)
  const before = subscriptionView(found)
  replaces(before)
  const wanted = asked.wanted(before)
  const stored = storedAddress(secrets, found)
  const address = addressFrom(wanted, stored)
  const was = { stored, sealed: found.destination_sealed }
  const columns = addressColumns(secrets, { orgId, subscriptionId: id }, address, was)
  const changed = changedFields(found, { ...withDefaults(wanted), ...columns })
  if (changed.destination) await requireOwnRecipients(tx, orgId, changed.destination, secrets.mayMail)
  // Who sends the same again may wait for a mail that was lost.
  else await askRecipients(tx, orgId, before.destination.recipients ?? [])
  requireOwn(caller, found, changed, asked.method)
  const fields = { ...changed, ...clearedExpiry(caller, found, asked) }
  if (Object.keys(fields).length === 0) return before
  await updateSubscription(tx, orgId, id, fields)
  // A new endpoint starts without a history too.
  if (fields.enabled === true || namesOf(changed).some((name) => /^(?:url|destination)/.test(name)))
    await reopenQueue(tx, orgId, id)
  await refreshOptIns(tx, orgId)
  const row = present(await findSubscription(tx, orgId, id))
  const after = subscriptionView(row)
  audit({
    action: 'webhook.updated',
    target: { kind: 'subscription', id: after.id },
    before: auditView(secrets, found),
    after: auditView(secrets, row),
  })
  return after
}

export async function removeSubscription(
  { tx, audit, replaces }: ChangeTools,
  secrets: WebhookSecrets,
  orgId: string,
  id: string,
): Promise<null> {
  const found = await lockSubscription(tx, orgId, id)
  replaces(subscriptionView(found))
  await deleteSubscription(tx, orgId, id)
  await refreshOptIns(tx, orgId)
  audit({
    action: 'webhook.deleted',
    target: { kind: 'subscription', id: formatId('subscription', id) },
    before: auditView(secrets, found),
  })
  return null
}

/** Ends the subscriptions that were created under a grant, together with it. */
export const endSubscriptionsOfGrant: EndTraces = async ({ tx, audit, emit }, orgId, grantId) => {
  if (!(await lockSubscriptions(tx, orgId))) return
  const disabled = await disableByGrant(tx, orgId, grantId)
  for (const { id, url, disabled_at } of disabled) {
    const subject = formatId('subscription', id)
    const told = { reason: 'grant_ended', disabled_at: timestamp(disabled_at) }
    audit({ action: 'webhook.disabled', target: { kind: 'subscription', id: subject }, after: told })
    emit({
      kind: 'subscription.disabled',
      subject,
      data: { subscription_id: subject, origin: originOf(url), ...told },
    })
  }
  if (disabled.length > 0) await refreshOptIns(tx, orgId)
}
