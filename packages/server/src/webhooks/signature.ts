import { createHmac } from 'node:crypto'
import type { DeprecationHeaders } from '../deprecations/deprecations.ts'

/**
 * How a delivery is signed, decided anew for each attempt: with the organization's secret, which is deprecated and says so, or
 * with those of the subscription itself, the newest first.
 */
export type Signing =
  | { readonly version: 1; readonly secret: string; readonly deprecation: DeprecationHeaders }
  | { readonly version: 2; readonly secrets: readonly string[] }

export interface SignedMessage {
  /** As receivers know it: `evt_…`. */
  readonly eventId: string
  readonly body: string
  readonly nowMs: number
}

/** What subscriptions' own secrets begin with; the rest is base64, as Standard Webhooks has it. */
export const ownSecretPrefix = 'whsec_'

/** The headers that tell a receiver who sent this body, and when. */
export function signedHeaders(signing: Signing, { eventId, body, nowMs }: SignedMessage): Record<string, string> {
  if (signing.version === 1) {
    return {
      'x-svc-event-version': '1',
      'x-svc-signature': `v1=${hmac(signing.secret, body).toString('hex')}`,
      ...signing.deprecation,
    }
  }
  const seconds = String(Math.floor(nowMs / 1_000))
  const ours = signing.secrets.map((secret) => `v1=${hmac(secret, `${seconds}.${body}`).toString('hex')}`)
  const standard = signing.secrets.map(
    (secret) => `v1,${hmac(standardKey(secret), `${eventId}.${seconds}.${body}`).toString('base64')}`,
  )
  return {
    'x-svc-event-version': '2',
    'x-svc-signature': [`t=${seconds}`, ...ours].join(','),
    'webhook-id': eventId,
    'webhook-timestamp': seconds,
    'webhook-signature': standard.join(' '),
  }
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text, 'utf8').digest()

/** Standard Webhooks signs with the bytes that the text stands for, where our own format takes the text as it is. */
const standardKey = (secret: string) => Buffer.from(secret.slice(ownSecretPrefix.length), 'base64')
