import { hash, timingSafeEqual } from 'node:crypto'
import { rulesNamed } from '../answer-rules/answer-rules.ts'
import type { AssertionFacts, CeremonyFacts, RegistrationFacts } from './ceremony-answers.ts'
import { isSoundKey } from './key-algorithms.ts'

/** A passkey as it is stored, against which an answer is judged. */
export interface StoredPasskey {
  readonly credentialId: string
  readonly publicKey: Buffer
  readonly counter: number
  readonly isBackupEligible: boolean
  /** The person whose passkey it is, as authenticators know them. */
  readonly userHandle: Buffer
}

export interface JudgedAssertion extends AssertionFacts {
  readonly stored: StoredPasskey
}

const minIdBytes = 16
const maxIdBytes = 1_023

/** Rules about what a browser says and where it says it; the same for a new passkey and for the use of one. */
const common = <Facts extends CeremonyFacts>(ceremony: 'webauthn.create' | 'webauthn.get') => ({
  credential_type: ({ credentialType }: Facts) => credentialType === 'public-key',
  credential_id: ({ credentialId, rawId }: Facts) => credentialId === rawId,
  ceremony: ({ client }: Facts) => client['type'] === ceremony,
  challenge: ({ client, expected }: Facts) => client['challenge'] === expected.challenge.toString('base64url'),
  origin: ({ client, expected }: Facts) => client['origin'] === expected.party.origin,
  // A page of ours is never in a frame of somebody else's.
  cross_origin: ({ client }: Facts) => (client['crossOrigin'] ?? false) === false && client['topOrigin'] === undefined,
  relying_party: ({ authenticator, expected }: Facts) =>
    Buffer.from(authenticator.rpIdHash).equals(hash('sha256', expected.party.id, 'buffer')),
  user_present: ({ authenticator }: Facts) => authenticator.flags.up,
  user_verified: ({ authenticator }: Facts) => authenticator.flags.uv,
  backup_flags: ({ authenticator }: Facts) => authenticator.flags.be || !authenticator.flags.bs,
})

/** Rules about the answer to a request for a new passkey. */
export const registrationRules = rulesNamed({
  ...common<RegistrationFacts>('webauthn.create'),
  attestation_format: ({ attestationFormat, hasCertificates }: RegistrationFacts) =>
    attestationFormat === 'none' || (attestationFormat === 'packed' && !hasCertificates),
  attested_id: ({ authenticator, credentialId }: RegistrationFacts) => {
    const id = Buffer.from(authenticator.credentialID ?? [])
    return id.length >= minIdBytes && id.length <= maxIdBytes && id.toString('base64url') === credentialId
  },
  algorithm: ({ authenticator }: RegistrationFacts) =>
    authenticator.credentialPublicKey !== undefined && isSoundKey(authenticator.credentialPublicKey),
})

/** Rules about the answer to a request for a passkey. */
export const assertionRules = rulesNamed({
  ...common<JudgedAssertion>('webauthn.get'),
  other_credential: ({ credentialId, stored }: JudgedAssertion) => credentialId === stored.credentialId,
  user_handle: ({ userHandle, stored }: JudgedAssertion) => {
    const given = Buffer.from(userHandle, 'base64url')
    return given.length === stored.userHandle.length && timingSafeEqual(given, stored.userHandle)
  },
  // A passkey that cannot leave its device does not begin to; the flag is set when it is made.
  backup_eligibility: ({ authenticator, stored }: JudgedAssertion) =>
    authenticator.flags.be === stored.isBackupEligible,
  // Authenticators that count are seen to be copied; those that do not always say zero.
  counter: ({ authenticator, stored }: JudgedAssertion) =>
    (authenticator.counter === 0 && stored.counter === 0) || authenticator.counter > stored.counter,
})
