/** Passkeys of people: questions to browsers are made, their answers verified, and what they prove is kept for the person. */

import { readFileSync } from 'node:fs'
import type { Expectation } from './ceremony-answers.ts'
import type { StoredPasskey } from './ceremony-rules.ts'
import { strictVerifier, verifyAssertionWith, verifyRegistrationWith } from './verification.ts'

export { handleOf, personBehind, type UnprovedPerson } from './assertions.ts'
export type { Expectation } from './ceremony-answers.ts'
export { ceremonySeconds, creationOptions, type PasskeyOwner, requestOptions } from './ceremony-options.ts'
export type { StoredPasskey } from './ceremony-rules.ts'
export { type Challenges, createChallenges, type HeldChallenge } from './challenges.ts'
export { lackOfPower, type PasskeyPower, type PasskeyPowerRefusal } from './passkey-powers.ts'
export {
  addPasskey,
  hasProofs,
  mintRecoveryCodes,
  type Proofs,
  passkeyView,
  personIn,
  proofsOf,
  proofsWithPower,
  removePasskey,
  renamePasskey,
  setRecoveryCodes,
} from './person-passkeys.ts'
export { countRecoveryCodes, type DoorRow, doorsOfPerson, takeRecoveryCode } from './queries.ts'
export { mintRecoveryCode, normalRecoveryCode, recoveryCodeCount, recoveryDigest } from './recovery-codes.ts'
export { passkeyRefusals } from './refusals.ts'
export { type RelyingParty, relyingPartyOf } from './relying-party.ts'
export type { PasskeyView } from './schema.ts'
export type { NewPasskey, PasskeyRefusal, PasskeyUse } from './verification.ts'

/** The script of pages that ask for passkeys. */
export const passkeyScript = readFileSync(new URL('./browser/passkeys.js', import.meta.url), 'utf8')

/** Verifies that a browser has made a passkey at our request, on a page of ours, by a person whom the authenticator has verified. */
export const verifyRegistration = (text: string, expected: Expectation) =>
  verifyRegistrationWith(strictVerifier, text, expected)

/** Verifies that whoever has a stored passkey has used it at our request, on a page of ours. */
export const verifyAssertion = (text: string, expected: Expectation, stored: StoredPasskey) =>
  verifyAssertionWith(strictVerifier, text, expected, stored)
