import { createHmac, randomBytes } from 'node:crypto'
import type { Config } from '../../config.ts'
import type { DeprecationHeaders } from '../../contract/deprecations/deprecations.ts'
import { deriveKeyring } from '../../values/keyring.ts'
import { cachedKeyObject } from '../../values/prepared-key.ts'
import { present } from '../../values/present.ts'
import { seal, unseal } from '../../values/seal.ts'
import type { DestinationSecret } from '../destinations/destination.ts'
import { type DeliverySigning, ownSecretPrefix } from './signature.ts'

const secretBytes = 32
const digestLength = 16

export const newOwnSecret = () => ownSecretPrefix + randomBytes(secretBytes).toString('base64')
export const newOrgSecret = () => `whorg_${randomBytes(secretBytes).toString('base64url')}`

/** The owner of a secret: a subscription, or without one the organization. */
export interface SecretOwner {
  readonly orgId: string
  readonly subscriptionId?: string
}

/** The stored values that decide how a subscription's deliveries are signed. */
export interface SealedSigning {
  readonly org_id: string
  readonly subscription_id: string
  readonly sealed: Buffer | null
  readonly sealed_previous: Buffer | null
  readonly previous_until: Date | null
  /** The organization's secret; needed only when the subscription has none of its own. */
  readonly org_sealed: Buffer | null
}

/** Seals secrets for the database, each bound to its owner, so that it cannot be used in another's place. */
export interface WebhookSecrets {
  /** True where the installation has a relay for mail. */
  readonly mayMail: boolean
  readonly sealSecret: (owner: SecretOwner, secret: string) => Buffer
  readonly unsealSecret: (owner: SecretOwner, sealed: Buffer) => string
  /**
   * Returns a keyed digest, by which texts can be compared without showing them: without the master key it cannot be
   * brute-forced.
   */
  readonly digestOf: (text: string) => string
  /** Seals the secret of a destination, apart from those that sign. */
  readonly sealDestination: (owner: Required<SecretOwner>, secret: DestinationSecret) => Buffer
  readonly unsealDestination: (owner: Required<SecretOwner>, sealed: Buffer) => DestinationSecret
  /** Returns the secret of a destination; undefined when its master key is gone. */
  readonly tryUnsealDestination: (owner: Required<SecretOwner>, sealed: Buffer) => DestinationSecret | undefined
  /** Returns how an attempt at this moment is signed. */
  readonly signingAt: (nowMs: number, row: SealedSigning, deprecation: DeprecationHeaders) => DeliverySigning
}

export function createWebhookSecrets(
  config: Pick<Config, 'masterKeys'> & Partial<Pick<Config, 'smtpUrl'>>,
): WebhookSecrets {
  const keyring = deriveKeyring(config.masterKeys(), 'webhook secrets')
  const contextOf = ({ orgId, subscriptionId }: SecretOwner) => `webhook ${orgId} ${subscriptionId ?? 'org'}`
  const destinationContext = (owner: Required<SecretOwner>) => `destination of ${contextOf(owner)}`
  const unsealDestination = (owner: Required<SecretOwner>, sealed: Buffer) =>
    JSON.parse(unseal(keyring, sealed, destinationContext(owner))) as DestinationSecret
  const unsealSecret = (owner: SecretOwner, sealed: Buffer) => unseal(keyring, sealed, contextOf(owner))
  /** A previous secret whose master key is gone must not prevent signing with its successor. */
  const tryUnseal = (owner: SecretOwner, sealed: Buffer): string[] => {
    try {
      return [unsealSecret(owner, sealed)]
    } catch {
      return []
    }
  }
  const { bytes: digestKey } = deriveKeyring(config.masterKeys(), 'webhook digests').current
  return {
    mayMail: config.smtpUrl !== undefined,
    digestOf: (text) =>
      createHmac('sha256', cachedKeyObject(digestKey)).update(text).digest('hex').slice(0, digestLength),
    sealSecret: (owner, secret) => seal(keyring, secret, contextOf(owner)),
    unsealSecret,
    sealDestination: (owner, secret) => seal(keyring, JSON.stringify(secret), destinationContext(owner)),
    unsealDestination,
    tryUnsealDestination: (owner, sealed) => {
      try {
        return unsealDestination(owner, sealed)
      } catch {
        return undefined
      }
    },
    signingAt: (nowMs, row, deprecation) => {
      const { org_id: orgId, subscription_id: subscriptionId, sealed, sealed_previous, previous_until } = row
      if (sealed === null) return { version: 1, secret: unsealSecret({ orgId }, present(row.org_sealed)), deprecation }
      const current = unsealSecret({ orgId, subscriptionId }, sealed)
      const isOverlapping = sealed_previous !== null && previous_until !== null && nowMs < previous_until.getTime()
      const previous = isOverlapping ? tryUnseal({ orgId, subscriptionId }, sealed_previous) : []
      return { version: 2, secrets: [current, ...previous] }
    },
  }
}
