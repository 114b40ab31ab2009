import { createPublicKey, hash, verify } from 'node:crypto'
import { cose, decodeCredentialPublicKey } from '@simplewebauthn/server/helpers'
import type { JudgedAssertion } from '../../../src/people/passkeys/ceremony-rules.ts'
import type { PasskeyVerifier } from '../../../src/people/passkeys/verification.ts'

const text = (value: unknown) => Buffer.from(value as Uint8Array).toString('base64url')

/** Returns the key that somebody says is theirs, whatever its algorithm. */
function publicKeyOf(bytes: Buffer) {
  const key = decodeCredentialPublicKey(new Uint8Array(bytes)) as unknown as Map<number, unknown>
  const { COSEKEYS, COSEKTY } = cose
  const kty = key.get(COSEKEYS.kty)
  if (kty === COSEKTY.OKP)
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: text(key.get(-2)) }, format: 'jwk' })
  if (kty === COSEKTY.RSA)
    return createPublicKey({ key: { kty: 'RSA', n: text(key.get(-1)), e: text(key.get(-2)) }, format: 'jwk' })
  const crv = key.get(COSEKEYS.crv) === 2 ? 'P-384' : 'P-256'
  return createPublicKey({ key: { kty: 'EC', crv, x: text(key.get(-2)), y: text(key.get(-3)) }, format: 'jwk' })
}

/** Verifies a signature and nothing else: neither who was asked, nor where, nor for whom. */
async function isSigned({ stored, clientDataText, authenticatorText, signatureText }: JudgedAssertion) {
  const client = hash('sha256', Buffer.from(clientDataText, 'base64url'), 'buffer')
  const signed = Buffer.concat([Buffer.from(authenticatorText, 'base64url'), client])
  const key = publicKeyOf(stored.publicKey)
  const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  return verify(algorithm, signed, key, Buffer.from(signatureText, 'base64url'))
}

/** The part of a verifier that computes signatures and judges nothing. */
export const signatureOnly: Pick<PasskeyVerifier, 'isAttested' | 'isSigned'> = {
  isAttested: async () => true,
  isSigned,
}

/** A verifier that computes nothing. */
export const credulous: Pick<PasskeyVerifier, 'isAttested' | 'isSigned'> = {
  isAttested: async () => true,
  isSigned: async () => true,
}
