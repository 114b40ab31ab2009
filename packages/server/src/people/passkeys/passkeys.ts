/** Passkeys of people, without HTTP and without a database: questions to browsers are made, their answers verified. */

import type { Expectation } from './ceremony-answers.ts'
import type { StoredPasskey } from './ceremony-rules.ts'
import { strictVerifier, verifyAssertionWith, verifyRegistrationWith } from './verification.ts'

export { credentialIn, type Expectation } from './ceremony-answers.ts'
export { creationOptions, type PasskeyOwner, requestOptions } from './ceremony-options.ts'
export type { StoredPasskey } from './ceremony-rules.ts'
export { mintRecoveryCode, normalRecoveryCode, recoveryCodeCount, recoveryDigest } from './recovery-codes.ts'
export { passkeyRefusals } from './refusals.ts'
export { type RelyingParty, relyingPartyOf } from './relying-party.ts'
export type { NewPasskey, PasskeyRefusal, PasskeyUse } from './verification.ts'

/** Verifies that a browser has made a passkey at our request, on a page of ours, by a person whom the authenticator has verified. */
export const verifyRegistration = (text: string, expected: Expectation) =>
  verifyRegistrationWith(strictVerifier, text, expected)

/** Verifies that whoever has a stored passkey has used it at our request, on a page of ours. */
export const verifyAssertion = (text: string, expected: Expectation, stored: StoredPasskey) =>
  verifyAssertionWith(strictVerifier, text, expected, stored)
