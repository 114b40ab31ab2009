import type { Schemas } from '../api/api.ts'
import { type BadgeKind, badge, type Content, html, type IconName, type Markup } from '../components/components.ts'
import type { Visit } from '../frame/frame.ts'

export type Webhook = Schemas['Subscription']
export type ShownDelivery = Schemas['Delivery']

/** Path of the list of webhooks. */
export const webhooksPath = '/console/webhooks'

/** Returns the webhook that the path names. */
export const readWebhook = ({ api, params }: Visit): Promise<Webhook> =>
  api.get('/v1/orgs/{id}/webhooks/{sub_id}', { path: { sub_id: params['sub_id'] ?? '' } })

const endWords: Readonly<Record<string, string>> = {
  requested: 'Off',
  gone: 'Off: the endpoint answered 410 Gone',
  failing: 'Off: it failed for too long',
  grant_ended: 'Off: the support grant that made it has ended',
}

const healthWords: Readonly<Record<string, readonly [string, BadgeKind, IconName?]>> = {
  idle: ['Nothing sent yet', 'line'],
  healthy: ['Delivers', ''],
  failing: ['Fails', 'warn', 'warn'],
}

/** Badge of the health of an endpoint. Colour means that somebody must act: one that delivers has none. */
export function healthBadge({ health, disabled_reason: reason }: Webhook): Markup {
  if (health.status === 'disabled')
    return badge(endWords[reason ?? 'requested'] ?? 'Off', reason === 'requested' ? 'line' : 'stop')
  const [text, kind, iconName] = healthWords[health.status] ?? [health.status, '']
  return badge(text, kind, iconName)
}

const deliveryWords: Readonly<Record<string, readonly [string, BadgeKind]>> = {
  pending: ['Waits', 'info'],
  delivered: ['Delivered', 'ok'],
  failed: ['Failed', 'stop'],
}

/** Badge of the state of a delivery. */
export const deliveryBadge = ({ status }: Pick<ShownDelivery, 'status'>): Markup => {
  const [text, kind] = deliveryWords[status] ?? [status, '']
  return badge(text, kind)
}

/** Returns the result of the last attempt: its status, or why there was none. */
export function lastResult({ attempts }: ShownDelivery): string {
  const last = attempts.at(-1)
  if (last === undefined) return 'not tried yet'
  return last.status === null ? (last.error_message ?? last.error ?? 'no response') : `HTTP ${last.status}`
}

/** Kinds of events that a webhook asks for. */
export const eventsText = ({ events }: Pick<Webhook, 'events'>): Content =>
  events.length === 0 ? 'every kind that is not opt-in' : html`${events.map((name) => html`<code>${name}</code> `)}`

/** Returns names that were written one after another, separated by commas or lines. */
export const namesIn = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)
