import { isDeepStrictEqual } from 'node:util'
import { standardDestination } from '../destinations/destination.ts'
import type { SecretOwner, WebhookSecrets } from '../signing/secrets.ts'
import type { StoredAddress } from './destinations.ts'
import type { SubscriptionRow } from './queries.ts'

/** Returns an address without its path, which often contains a password. */
export const withoutPath = (url: string) => {
  const { origin, href } = new URL(url)
  return originOf(url) !== origin || href === `${origin}/` ? href : `${origin}/…`
}

/** Returns what of an address may be told: the host of a URL, or what stands for a destination. */
export const originOf = (url: string): string => {
  const { origin, href } = new URL(url)
  return /^https?:/.test(href) ? origin : href
}

/** Returns the stored address of a subscription, with its secret; without it where its master key is gone. */
export function storedAddress(secrets: WebhookSecrets, row: SubscriptionRow): StoredAddress {
  const owner = { orgId: row.org_id, subscriptionId: row.id }
  const { url, destination, destination_sealed: sealed } = row
  return {
    url,
    destination: destination ?? standardDestination,
    secret: sealed === null ? undefined : secrets.tryUnsealDestination(owner, sealed),
  }
}

/** Returns the columns of an address. A secret that stays keeps its bytes, so that equal rows are equal. */
export function addressColumns(
  secrets: WebhookSecrets,
  owner: Required<SecretOwner>,
  { url, destination, secret }: StoredAddress,
  before?: { readonly stored: StoredAddress; readonly sealed: Buffer | null },
) {
  const isKept = before !== undefined && isDeepStrictEqual(secret, before.stored.secret)
  return {
    url,
    destination: isDeepStrictEqual(destination, standardDestination) ? null : destination,
    destination_sealed: isKept ? before.sealed : secret ? secrets.sealDestination(owner, secret) : null,
  }
}
