import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
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

const maxKnown = 10_000
const known = new Map<string, Keys>()

/**
 * Standard Webhooks signs with the bytes that the text stands for, where our own format takes the text as it is. Making keys takes
 * longer than signing with them.
 */
function keysOf(secret: string): Keys {
  let keys = known.get(secret)
  if (!keys) {
    if (known.size >= maxKnown) known.clear()
    keys = {
      own: createSecretKey(secret, 'utf8'),
      standard: createSecretKey(secret.slice(ownSecretPrefix.length), 'base64'),
    }
    known.set(secret, keys)
  }
  return keys
}
