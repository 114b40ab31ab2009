import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { DeprecationHeaders } from '../../contract/deprecations/deprecations.ts'
import { Lru } from '../../values/lru.ts'

/**
 * The signing of a delivery, decided for each attempt: with the organization's secret, which is deprecated and says so, or with
 * those of the subscription itself, the newest first.
 */
export type DeliverySigning =
  | { readonly version: 1; readonly secret: string; readonly deprecation: DeprecationHeaders }
  | { readonly version: 2; readonly secrets: readonly string[] }

export interface SignedMessage {
  /** The public ID: `evt_…`. */
  readonly eventId: string
  readonly body: string
  readonly nowMs: number
}

/** The prefix of subscriptions' own secrets; the rest is base64, as in Standard Webhooks. */
export const ownSecretPrefix = 'whsec_'

/** Returns the headers that prove to a receiver who sent this body, and when. */
export function signedHeaders(
  signing: DeliverySigning,
  { eventId, body, nowMs }: SignedMessage,
): Record<string, string> {
  if (signing.version === 1) {
    return {
      'x-svc-event-version': '1',
      'x-svc-signature': `v1=${hmac(keysOf(signing.secret).own, body, 'hex')}`,
      ...signing.deprecation,
    }
  }
  const seconds = String(Math.floor(nowMs / 1_000))
  const keys = signing.secrets.map(keysOf)
  const ours = keys.map(({ own }) => `v1=${hmac(own, `${seconds}.${body}`, 'hex')}`)
  const standard = keys.map((key) => `v1,${hmac(key.standard, `${eventId}.${seconds}.${body}`, 'base64')}`)
  return {
    'x-svc-event-version': '2',
    'x-svc-signature': [`t=${seconds}`, ...ours].join(','),
    'webhook-id': eventId,
    'webhook-timestamp': seconds,
    'webhook-signature': standard.join(' '),
  }
}

const hmac = (key: KeyObject, text: string, as: 'hex' | 'base64') => createHmac('sha256', key).update(text).digest(as)

interface Keys {
  readonly own: KeyObject
  readonly standard: KeyObject
}

const known = new Lru<string, Keys>(10_000)

/**
 * Returns the keys of a secret, cached because creating keys takes longer than signing. Standard Webhooks signs with the decoded
 * bytes of the secret, our own format with its text.
 */
function keysOf(secret: string): Keys {
  let keys = known.get(secret)
  if (!keys) {
    keys = {
      own: createSecretKey(secret, 'utf8'),
      standard: createSecretKey(secret.slice(ownSecretPrefix.length), 'base64'),
    }
    known.set(secret, keys)
  }
  return keys
}
