import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as door from '../../../src/people/passkeys/passkeys.ts'
import {
  type PasskeyVerifier,
  strictVerifier,
  verifyAssertionWith,
  verifyRegistrationWith,
} from '../../../src/people/passkeys/verification.ts'
import {
  type Ask,
  assertionAnswer,
  type Faults,
  type KeyName,
  newPasskey,
  registrationAnswer,
  selfAttestation,
  type TestPasskey,
} from '../../support/passkeys/authenticator.ts'
import { cbor } from '../../support/passkeys/cbor.ts'
import { forgedAssertions, forgedRegistrations, type PasskeyForgery } from '../../support/passkeys/forgeries.ts'
import { credulous, signatureOnly } from '../../support/passkeys/naive-verifier.ts'

const party = { origin: 'https://weir.example', id: 'weir.example' }
const challenge = randomBytes(32)
const expected = { party, challenge }
const ask: Ask = { origin: party.origin, rpId: party.id, challenge: challenge.toString('base64url') }
const handle = randomBytes(16)

const storedOf = (passkey: TestPasskey): door.StoredPasskey => ({
  credentialId: passkey.id,
  publicKey: cbor(passkey.coseKey),
  counter: passkey.counter,
  isBackupEligible: true,
  userHandle: handle,
})

/** A verifier without one rule: the planted weakness. Only here, as its parts are no settings. */
function weakened(without: door.PasskeyRefusal, parts: Partial<PasskeyVerifier>): PasskeyVerifier {
  return {
    ...strictVerifier,
    registrationRules: strictVerifier.registrationRules.filter(({ name }) => name !== without),
    assertionRules: strictVerifier.assertionRules.filter(({ name }) => name !== without),
    ...parts,
  }
}

const partsWithout = ({ caughtBy }: PasskeyForgery) => (caughtBy.endsWith('_invalid') ? credulous : signatureOnly)

describe.each<KeyName>(['ES256', 'EdDSA', 'RS256'])('an honest passkey of %s', (keyName) => {
  const passkey = newPasskey(handle, keyName)

  test('is registered, and then used', async () => {
    const made = await door.verifyRegistration(registrationAnswer(passkey, ask), expected)
    expect(made).toEqual({
      passkey: {
        credentialId: passkey.id,
        publicKey: cbor(passkey.coseKey),
        counter: 0,
        isBackupEligible: true,
        isBackedUp: true,
      },
    })
    const used = await door.verifyAssertion(assertionAnswer(passkey, ask), expected, storedOf(passkey))
    expect(used).toEqual({ use: { counter: 0, isBackedUp: true } })
  })

  test('may attest itself', async () => {
    const attestation = selfAttestation(passkey, ask)
    const made = await door.verifyRegistration(registrationAnswer(passkey, ask, { attestation }), expected)
    expect(made).toHaveProperty('passkey.credentialId', passkey.id)
  })

  test('may count its uses', async () => {
    const stored = { ...storedOf(passkey), counter: 7 }
    const used = await door.verifyAssertion(assertionAnswer(passkey, ask, { counter: 8 }), expected, stored)
    expect(used).toEqual({ use: { counter: 8, isBackedUp: true } })
  })
})

describe('a new passkey', () => {
  test.each(forgedRegistrations)('is refused: $name', async (forgery) => {
    const passkey = newPasskey(handle)
    const text = registrationAnswer(passkey, ask, forgery.faults(passkey))
    expect(await door.verifyRegistration(text, expected)).toEqual({ refusal: forgery.caughtBy })
    const weak = await verifyRegistrationWith(weakened(forgery.caughtBy, partsWithout(forgery)), text, expected)
    expect(weak, 'the planted weakness lets it in').toHaveProperty('passkey')
    const byLibrary = await verifyRegistrationWith(weakened(forgery.caughtBy, {}), text, expected)
    expect('refusal' in byLibrary, 'the library alone refuses it').toBe(forgery.isOursAlone !== true)
  })
})

describe('the use of a passkey', () => {
  test.each(forgedAssertions)('is refused: $name', async (forgery) => {
    const passkey: TestPasskey = { ...newPasskey(handle), counter: 5 }
    const stored = { ...storedOf(passkey), isBackupEligible: forgery.isBound !== true }
    const text = assertionAnswer(passkey, ask, forgery.faults(passkey))
    expect(await door.verifyAssertion(text, expected, stored)).toEqual({ refusal: forgery.caughtBy })
    const weak = await verifyAssertionWith(weakened(forgery.caughtBy, partsWithout(forgery)), text, expected, stored)
    expect(weak, 'the planted weakness lets it in').toHaveProperty('use')
    const byLibrary = await verifyAssertionWith(weakened(forgery.caughtBy, {}), text, expected, stored)
    expect('refusal' in byLibrary, 'the library alone refuses it').toBe(forgery.isOursAlone !== true)
  })
})

describe('the collection', () => {
  test('needs every rule: each refuses some forgery', () => {
    const seen = new Set([...forgedRegistrations, ...forgedAssertions].map(({ caughtBy }) => caughtBy))
    const rules = [...strictVerifier.registrationRules, ...strictVerifier.assertionRules].map(({ name }) => name)
    expect(rules.filter((name) => !seen.has(name))).toEqual([])
    const others = ['malformed', 'attestation_invalid', 'signature_invalid']
    expect(Object.keys(door.passkeyRefusals).toSorted()).toEqual([...new Set([...rules, ...others])].toSorted())
  })

  test('is judged by parts that cannot be reached from the door', () => {
    expect(Object.keys(door)).not.toContain('verifyAssertionWith')
    expect(Object.keys(door)).not.toContain('strictVerifier')
    expect([door.verifyRegistration.length, door.verifyAssertion.length]).toEqual([2, 3])
  })
})

describe('an answer that is none', () => {
  const passkey = newPasskey(handle)
  const made = registrationAnswer(passkey, ask)
  const used = assertionAnswer(passkey, ask)
  const withResponse = (text: string, changes: Record<string, unknown>) => {
    const answer = JSON.parse(text) as { response: object }
    return JSON.stringify({ ...answer, response: { ...answer.response, ...changes } })
  }

  test.each(
    Object.entries({
      nothing: '',
      null: 'null',
      'a list': '[]',
      'an empty object': '{}',
      text: '"text"',
      'a number for an id': '{"id":1}',
      'cut off': used.slice(0, -1),
      'client data that is no JSON': withResponse(used, { clientDataJSON: 'bm90IGpzb24' }),
      'client data that is not UTF-8': withResponse(used, { clientDataJSON: '__4' }),
      'short authenticator data': withResponse(used, { authenticatorData: 'AA' }),
      'long authenticator data': withResponse(used, { authenticatorData: 'A'.repeat(5_000) }),
      'a signature that is no base64url': withResponse(used, { signature: 'not base64url!' }),
      'a long handle': withResponse(used, { userHandle: 'A'.repeat(200) }),
    }),
  )('is refused, and nothing is thrown: %s', async (_, text) => {
    expect(await door.verifyAssertion(text, expected, storedOf(passkey))).toEqual({ refusal: 'malformed' })
  })

  test.each(
    Object.entries({
      'an empty object': '{}',
      'an empty attestation': withResponse(made, { attestationObject: '' }),
      'an attestation without fields': withResponse(made, { attestationObject: 'oA' }),
      'an attestation that is text': withResponse(made, { attestationObject: cbor('text').toString('base64url') }),
      'a long attestation': withResponse(made, { attestationObject: 'A'.repeat(10_000) }),
    }),
  )('is no new passkey either, and nothing is thrown: %s', async (_, text) => {
    expect(await door.verifyRegistration(text, expected)).toEqual({ refusal: 'malformed' })
  })

  test('is what becomes of an honest one in which any byte is changed', { timeout: 60_000 }, async () => {
    const counting: TestPasskey = { ...newPasskey(handle), counter: 1 }
    const stored = storedOf(counting)
    const { response } = JSON.parse(assertionAnswer(counting, ask)) as { response: Record<string, string> }
    const parts = ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle'] as const
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...parts),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        async (part, at, bits) => {
          const bytes = Buffer.from(response[part] ?? '', 'base64url')
          const place = at % bytes.length
          // Around its two numbers a signature has tags, which readers take in more than one spelling.
          if (part === 'signature' && [0, 1, 2, 3, 4 + bytes[3]!, 5 + bytes[3]!].includes(place)) return
          bytes[place]! ^= bits
          const text = withResponse(used, { ...response, [part]: bytes.toString('base64url') })
          const answer = JSON.stringify({ ...(JSON.parse(text) as object), id: counting.id, rawId: counting.id })
          expect(await door.verifyAssertion(answer, expected, stored)).toHaveProperty('refusal')
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('a browser is asked', () => {
  test('for a passkey that the authenticator keeps and verifies its person for, and none that it has', async () => {
    const owner = { handle, email: 'ada@example.com', name: 'Ada', credentialIds: [newPasskey(handle).id] }
    const options = await door.creationOptions(party, owner, challenge)
    expect(options).toMatchObject({
      challenge: ask.challenge,
      rp: { id: 'weir.example', name: 'Weir' },
      user: { id: handle.toString('base64url'), name: 'ada@example.com', displayName: 'Ada' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      excludeCredentials: [{ id: owner.credentialIds[0], type: 'public-key' }],
    })
    expect(options.pubKeyCredParams.map(({ alg }) => alg)).toEqual([-7, -8, -257])
  })

  test('for any passkey, without being told whose', async () => {
    const options = await door.requestOptions(party, challenge)
    expect(options).toMatchObject({ challenge: ask.challenge, rpId: 'weir.example', userVerification: 'required' })
    expect(options.allowCredentials).toBeUndefined()
  })

  test('on pages of the public address, or of this machine', () => {
    const of = door.relyingPartyOf
    expect(of('https://weir.example', 'evil.example')).toEqual(party)
    expect(of('https://weir.example:8443', undefined)).toEqual({
      origin: 'https://weir.example:8443',
      id: 'weir.example',
    })
    expect(of(undefined, 'localhost:8080')).toEqual({ origin: 'http://localhost:8080', id: 'localhost' })
    expect(of('http://localhost:8080', 'localhost:9090')).toEqual({ origin: 'http://localhost:9090', id: 'localhost' })
    for (const host of [
      '127.0.0.1:8080',
      'weir.example',
      'localhost.evil.example',
      'evil.example#localhost',
      undefined,
    ])
      expect(of(undefined, host)).toBeUndefined()
    expect(of('https://192.0.2.1', 'weir.example')).toBeUndefined()
    expect(of('https://[2001:db8::1]', 'weir.example')).toBeUndefined()
  })
})

describe('a recovery code', () => {
  test('has 80 random bits, and is read as people type it', async () => {
    const codes = Array.from({ length: 100 }, door.mintRecoveryCode)
    expect(new Set(codes).size).toBe(100)
    for (const code of codes) expect(code).toMatch(/^(?:[0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/)
    expect(door.normalRecoveryCode(' ABCD-EFGH jkmn-pqrO ')).toBe('abcdefghjkmnpqr0')
    expect(door.normalRecoveryCode('abcd-efgh-jkmn-pqIl')).toBe('abcdefghjkmnpq11')
    for (const text of ['', 'abcd', 'abcd-efgh-jkmn-pqru', 'abcd-efgh-jkmn-pqr00', 'x'.repeat(10_000)])
      expect(door.normalRecoveryCode(text)).toBeUndefined()
  })

  test('is stored as something that tells nothing and finds it again', async () => {
    const digest = await door.recoveryDigest('abcdefghjkmnpqr0')
    expect(digest).toHaveLength(32)
    expect(await door.recoveryDigest('abcdefghjkmnpqr0')).toEqual(digest)
    expect(await door.recoveryDigest('abcdefghjkmnpqr1')).not.toEqual(digest)
  })
})

test('faults are departures of one answer each', () => {
  const none: Faults = {}
  const passkey = newPasskey(handle)
  for (const { faults } of [...forgedRegistrations, ...forgedAssertions]) expect(faults(passkey)).not.toEqual(none)
})
