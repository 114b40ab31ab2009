import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import { brokenRule } from '../answer-rules/answer-rules.ts'
import { type Expectation, type RegistrationFacts, readAssertion, readRegistration } from './ceremony-answers.ts'
import { assertionRules, type JudgedAssertion, registrationRules, type StoredPasskey } from './ceremony-rules.ts'
import { algorithms } from './key-algorithms.ts'

/** A passkey that was just made. */
export interface NewPasskey {
  readonly credentialId: string
  readonly publicKey: Buffer
  readonly counter: number
  readonly isBackupEligible: boolean
  readonly isBackedUp: boolean
}

/** The use of a passkey by whom it belongs to. */
export interface PasskeyUse {
  readonly counter: number
  readonly isBackedUp: boolean
}

/** The parts of a verifier: its rules in the order of checking, and who computes signatures. Only tests have another one. */
export interface PasskeyVerifier {
  readonly registrationRules: typeof registrationRules
  readonly assertionRules: typeof assertionRules
  readonly isAttested: (facts: RegistrationFacts) => Promise<boolean>
  readonly isSigned: (facts: JudgedAssertion) => Promise<boolean>
}

/** Reasons why an answer is refused, for the audit log. A person is told only that it failed. */
export type PasskeyRefusal =
  | 'malformed'
  | (typeof registrationRules)[number]['name']
  | (typeof assertionRules)[number]['name']
  | 'attestation_invalid'
  | 'signature_invalid'

/** Lets the library judge an answer once more, all of it: what the rules have let through must also stand there. */
async function isAttested({ credentialId, clientDataText, attestationText, expected }: RegistrationFacts) {
  const { verified } = await verifyRegistrationResponse({
    response: {
      id: credentialId,
      rawId: credentialId,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON: clientDataText, attestationObject: attestationText },
    },
    expectedChallenge: expected.challenge.toString('base64url'),
    expectedOrigin: expected.party.origin,
    expectedRPID: expected.party.id,
    supportedAlgorithmIDs: [...algorithms],
  })
  return verified
}

async function isSigned(facts: JudgedAssertion) {
  const { credentialId, clientDataText, authenticatorText, signatureText, userHandle, expected, stored } = facts
  const { verified } = await verifyAuthenticationResponse({
    response: {
      id: credentialId,
      rawId: credentialId,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientDataText,
        authenticatorData: authenticatorText,
        signature: signatureText,
        userHandle,
      },
    },
    expectedChallenge: expected.challenge.toString('base64url'),
    expectedOrigin: expected.party.origin,
    expectedRPID: expected.party.id,
    credential: { id: stored.credentialId, publicKey: new Uint8Array(stored.publicKey), counter: stored.counter },
  })
  return verified
}

export const strictVerifier: PasskeyVerifier = { registrationRules, assertionRules, isAttested, isSigned }

/** Takes a failure of the library for a refusal: it throws at whatever it does not like. */
const orFalse = (verdict: Promise<boolean>) => verdict.catch(() => false)

export async function verifyRegistrationWith(
  verifier: PasskeyVerifier,
  text: string,
  expected: Expectation,
): Promise<{ readonly passkey: NewPasskey } | { readonly refusal: PasskeyRefusal }> {
  const facts = readRegistration(text, expected)
  if (facts === undefined) return { refusal: 'malformed' }
  const broken = brokenRule(verifier.registrationRules, facts)
  if (broken !== undefined) return { refusal: broken }
  if (!(await orFalse(verifier.isAttested(facts)))) return { refusal: 'attestation_invalid' }
  const { flags, counter, credentialPublicKey = new Uint8Array() } = facts.authenticator
  const passkey = {
    credentialId: facts.credentialId,
    publicKey: Buffer.from(credentialPublicKey),
    counter,
    isBackupEligible: flags.be,
    isBackedUp: flags.bs,
  }
  return { passkey }
}

export async function verifyAssertionWith(
  verifier: PasskeyVerifier,
  text: string,
  expected: Expectation,
  stored: StoredPasskey,
): Promise<{ readonly use: PasskeyUse } | { readonly refusal: PasskeyRefusal }> {
  const read = readAssertion(text, expected)
  if (read === undefined) return { refusal: 'malformed' }
  const facts = { ...read, stored }
  const broken = brokenRule(verifier.assertionRules, facts)
  if (broken !== undefined) return { refusal: broken }
  if (!(await orFalse(verifier.isSigned(facts)))) return { refusal: 'signature_invalid' }
  return { use: { counter: facts.authenticator.counter, isBackedUp: facts.authenticator.flags.bs } }
}
