import { randomBytes } from 'node:crypto'
import type { PasskeyRefusal } from '../../../src/people/passkeys/passkeys.ts'
import type { Faults, TestPasskey } from './authenticator.ts'
import { newPasskey } from './authenticator.ts'

/** An answer that must be refused, and the weakness that would let it in. */
export interface PasskeyForgery {
  readonly name: string
  readonly faults: (passkey: TestPasskey) => Faults
  /** The rule that refuses it. */
  readonly caughtBy: PasskeyRefusal
  /** True where the library does not refuse it by itself. */
  readonly isOursAlone?: true
  /** True for a passkey that was made so that it cannot leave its device. */
  readonly isBound?: true
}

const elsewhere = 'https://evil.example'
const otherChallenge = randomBytes(32).toString('base64url')

/** Forgeries of what a browser says, which the answers to both questions have in common. */
const commonForgeries = (other: string): readonly PasskeyForgery[] => [
  { name: 'made on a page of somebody else', faults: () => ({ client: { origin: elsewhere } }), caughtBy: 'origin' },
  {
    name: 'made on a page of a subdomain',
    faults: () => ({ client: { origin: 'https://evil.weir.example' } }),
    caughtBy: 'origin',
  },
  {
    name: 'made on a page over plain HTTP',
    faults: () => ({ client: { origin: 'http://weir.example' } }),
    caughtBy: 'origin',
  },
  {
    name: 'made on another port',
    faults: () => ({ client: { origin: 'https://weir.example:8443' } }),
    caughtBy: 'origin',
  },
  {
    name: 'made on a page with our address as its beginning',
    faults: () => ({ client: { origin: 'https://weir.example.evil.example' } }),
    caughtBy: 'origin',
  },
  { name: 'without an origin', faults: () => ({ client: { origin: undefined } }), caughtBy: 'origin' },
  {
    name: 'with a list of origins',
    faults: () => ({ client: { origin: ['https://weir.example'] } }),
    caughtBy: 'origin',
  },
  { name: 'for another service', faults: () => ({ rpId: 'evil.example' }), caughtBy: 'relying_party' },
  { name: 'for the parent domain', faults: () => ({ rpId: 'example' }), caughtBy: 'relying_party' },
  { name: 'to another challenge', faults: () => ({ client: { challenge: otherChallenge } }), caughtBy: 'challenge' },
  { name: 'to an empty challenge', faults: () => ({ client: { challenge: '' } }), caughtBy: 'challenge' },
  { name: 'to no challenge', faults: () => ({ client: { challenge: undefined } }), caughtBy: 'challenge' },
  { name: 'to the other question', faults: () => ({ client: { type: other } }), caughtBy: 'ceremony' },
  { name: 'to no question', faults: () => ({ client: { type: undefined } }), caughtBy: 'ceremony' },
  {
    name: 'made in a frame, of a browser that does not say whose',
    faults: () => ({ client: { crossOrigin: true } }),
    caughtBy: 'cross_origin',
    isOursAlone: true,
  },
  {
    name: 'made in a frame of somebody else',
    faults: () => ({ client: { crossOrigin: true, topOrigin: elsewhere } }),
    caughtBy: 'cross_origin',
    // The library looks at frames where a passkey is used, and not where one is made.
    ...(other === 'webauthn.get' && { isOursAlone: true }),
  },
  { name: 'without a person', faults: () => ({ isAbsent: true }), caughtBy: 'user_present' },
  { name: 'of a person who was not verified', faults: () => ({ isUnverified: true }), caughtBy: 'user_verified' },
  {
    name: 'backed up, although it cannot be',
    faults: () => ({ isBackupEligible: false, isBackedUp: true }),
    caughtBy: 'backup_flags',
    isBound: true,
  },
  {
    name: 'of another kind',
    faults: () => ({ answer: { type: 'password' } }),
    caughtBy: 'credential_type',
    isOursAlone: true,
  },
  {
    name: 'with two names',
    faults: () => ({ answer: { rawId: randomBytes(32).toString('base64url') } }),
    caughtBy: 'credential_id',
    isOursAlone: true,
  },
]

const withKey = (passkey: TestPasskey, ...changes: [number, number][]) => new Map([...passkey.coseKey, ...changes])

export const forgedRegistrations: readonly PasskeyForgery[] = [
  ...commonForgeries('webauthn.get'),
  {
    name: 'that names another passkey than it makes',
    faults: () => ({ attestedId: randomBytes(32) }),
    caughtBy: 'attested_id',
    isOursAlone: true,
  },
  {
    name: 'with an id that can be guessed',
    faults: () => ({ attestedId: Buffer.from([1]), answer: { id: 'AQ', rawId: 'AQ' } }),
    caughtBy: 'attested_id',
    isOursAlone: true,
  },
  {
    name: 'with a key of P-384',
    faults: ({ handle }) => ({ coseKey: newPasskey(handle, 'ES384').coseKey }),
    caughtBy: 'algorithm',
  },
  {
    name: 'with a key for SHA-1',
    faults: ({ handle }) => ({ coseKey: newPasskey(handle, 'RS1').coseKey }),
    caughtBy: 'algorithm',
  },
  {
    name: 'with an RSA key of 1,024 bits',
    faults: ({ handle }) => ({ coseKey: newPasskey(handle, 'weak RSA').coseKey }),
    caughtBy: 'algorithm',
    isOursAlone: true,
  },
  {
    name: 'with a key of an elliptic curve that says it is RSA',
    faults: (passkey) => ({ coseKey: withKey(passkey, [3, -257]) }),
    caughtBy: 'algorithm',
    isOursAlone: true,
  },
  {
    name: 'with an RSA key that says it is of an elliptic curve',
    faults: ({ handle }) => ({ coseKey: withKey(newPasskey(handle, 'RS256'), [3, -7]) }),
    caughtBy: 'algorithm',
    isOursAlone: true,
  },
  {
    name: 'with an RSA key under which everybody can sign',
    faults: ({ handle }) => ({
      coseKey: new Map([...newPasskey(handle, 'RS256').coseKey, [-2, Buffer.from([1])]]),
    }),
    caughtBy: 'algorithm',
    isOursAlone: true,
  },
  {
    name: 'with a key of a curve that the algorithm does not use',
    faults: (passkey) => ({ coseKey: withKey(passkey, [-1, 2]) }),
    caughtBy: 'algorithm',
    isOursAlone: true,
  },
  {
    name: 'with a key without an algorithm',
    faults: ({ coseKey }) => ({ coseKey: new Map([...coseKey].filter(([label]) => label !== 3)) }),
    caughtBy: 'algorithm',
  },
  {
    name: 'with certificates, that would be read',
    faults: () => ({
      attestation: {
        fmt: 'packed',
        attStmt: new Map<string, number | Buffer | Buffer[]>([
          ['alg', -7],
          ['sig', Buffer.alloc(70)],
          ['x5c', [Buffer.alloc(64)]],
        ]),
      },
    }),
    caughtBy: 'attestation_format',
  },
  {
    name: 'in the format of another kind of authenticator',
    faults: () => ({ attestation: { fmt: 'fido-u2f', attStmt: new Map() } }),
    caughtBy: 'attestation_format',
  },
  {
    name: 'that attests itself with a signature of somebody else',
    faults: () => ({
      attestation: {
        fmt: 'packed',
        attStmt: new Map<string, number | Buffer>([
          ['alg', -7],
          ['sig', Buffer.from('3006020101020101', 'hex')],
        ]),
      },
    }),
    caughtBy: 'attestation_invalid',
  },
]

export const forgedAssertions: readonly PasskeyForgery[] = [
  ...commonForgeries('webauthn.create'),
  {
    name: 'for somebody else',
    faults: () => ({ handle: randomBytes(16) }),
    caughtBy: 'user_handle',
    isOursAlone: true,
  },
  { name: 'for nobody', faults: () => ({ handle: Buffer.alloc(0) }), caughtBy: 'user_handle', isOursAlone: true },
  { name: 'of a copy that lags behind', faults: () => ({ counter: 4 }), caughtBy: 'counter' },
  { name: 'of a copy that stands still', faults: () => ({ counter: 5 }), caughtBy: 'counter' },
  { name: 'of a copy that does not count', faults: () => ({ counter: 0 }), caughtBy: 'counter' },
  {
    name: 'of a passkey that was bound to its device otherwise',
    faults: () => ({ isBackupEligible: false, isBackedUp: false }),
    caughtBy: 'backup_eligibility',
    isOursAlone: true,
  },
  {
    name: 'about another passkey',
    faults: () => {
      const id = randomBytes(32).toString('base64url')
      return { answer: { id, rawId: id } }
    },
    caughtBy: 'other_credential',
    isOursAlone: true,
  },
  {
    name: 'signed with the passkey of the attacker',
    faults: ({ handle }) => ({ signer: newPasskey(handle) }),
    caughtBy: 'signature_invalid',
  },
  {
    name: 'signed with a passkey of another algorithm',
    faults: ({ handle }) => ({ signer: newPasskey(handle, 'RS256') }),
    caughtBy: 'signature_invalid',
  },
  { name: 'signed over another digest', faults: () => ({ hash: 'sha384' }), caughtBy: 'signature_invalid' },
  {
    name: 'with a signature that was bent',
    faults: () => ({
      bend: (signature) => Buffer.concat([signature.subarray(0, -1), Buffer.from([signature.at(-1)! ^ 1])]),
    }),
    caughtBy: 'signature_invalid',
  },
  {
    name: 'with the signature of zeros that old verifiers took',
    faults: () => ({ bend: () => Buffer.from('3006020100020100', 'hex') }),
    caughtBy: 'signature_invalid',
  },
  { name: 'without a signature', faults: () => ({ bend: () => Buffer.alloc(0) }), caughtBy: 'signature_invalid' },
]
