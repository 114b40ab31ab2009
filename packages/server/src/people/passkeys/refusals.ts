import type { PasskeyRefusal } from './verification.ts'

/** Every reason why an answer of a browser is refused, as the audit log names it, with its meaning. */
export const passkeyRefusals: Readonly<Record<PasskeyRefusal, string>> = {
  malformed: 'The answer is not one that a browser gives.',
  credential_type: 'The answer is about another kind of credential than a passkey.',
  credential_id: 'The answer names two passkeys.',
  ceremony: 'The answer is to another question: a new passkey where one should be used, or the reverse.',
  challenge: 'The answer is to another challenge than the one this browser was given.',
  origin: 'The answer was made on a page of another address.',
  cross_origin: 'The answer was made in a frame of somebody else’s page.',
  relying_party: 'The passkey belongs to another service.',
  user_present: 'Nobody was at the authenticator.',
  user_verified: 'The authenticator has not verified the person, by PIN, finger or face.',
  backup_flags: 'The authenticator says that a passkey is backed up that cannot be.',
  attestation_format: 'The answer brings certificates of the authenticator, which nobody has asked for.',
  attested_id: 'The passkey that was made is not the one that the answer names.',
  algorithm: 'The key is of an algorithm that we do not offer, or of another one than it says.',
  other_credential: 'The answer is about another passkey.',
  user_handle: 'The authenticator keeps the passkey for somebody else.',
  backup_eligibility: 'The passkey could not leave its device when it was made, and now it can, or the reverse.',
  counter: 'The authenticator has counted backwards: the passkey may have been copied.',
  attestation_invalid: 'The signature over the new passkey is not valid.',
  signature_invalid: 'The signature is not valid.',
}
