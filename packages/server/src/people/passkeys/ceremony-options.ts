import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { algorithms } from './key-algorithms.ts'
import type { RelyingParty } from './relying-party.ts'

/** Time that a person has to answer, and a challenge to live. */
export const ceremonySeconds = 300

/** The person for whom a passkey is made, as the authenticator shows and keeps them. */
export interface PasskeyOwner {
  readonly handle: Buffer
  readonly email: string
  readonly name: string
  /** Ids of the passkeys that they have: an authenticator makes no second one. */
  readonly credentialIds: readonly string[]
}

/** Returns options with which a browser makes a passkey: kept by the authenticator, used only by whom it has verified. */
export const creationOptions = (
  { id }: RelyingParty,
  owner: PasskeyOwner,
  challenge: Buffer,
): Promise<PublicKeyCredentialCreationOptionsJSON> =>
  generateRegistrationOptions({
    rpName: 'Weir',
    rpID: id,
    userID: new Uint8Array(owner.handle),
    userName: owner.email,
    userDisplayName: owner.name,
    challenge: new Uint8Array(challenge),
    timeout: ceremonySeconds * 1_000,
    attestationType: 'none',
    excludeCredentials: owner.credentialIds.map((credentialId) => ({ id: credentialId })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: [...algorithms],
  })

/** Returns options with which a browser asks for a passkey, whichever the person chooses: nobody has to say who they are before. */
export const requestOptions = (
  { id }: RelyingParty,
  challenge: Buffer,
): Promise<PublicKeyCredentialRequestOptionsJSON> =>
  generateAuthenticationOptions({
    rpID: id,
    challenge: new Uint8Array(challenge),
    timeout: ceremonySeconds * 1_000,
    userVerification: 'required',
  })
