import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Keyring } from './keyring.ts'
import { cachedKeyObject } from './prepared-key.ts'

const algorithm = 'aes-256-gcm'
export const nonceBytes = 12
const tagBytes = 16

/** Encrypts a text, so that a database dump does not reveal it; decryption needs the same `context`. */
export function seal(keyring: Keyring, text: string, context: string, nonce = randomBytes(nonceBytes)): Buffer {
  const { id, bytes } = keyring.current
  const cipher = createCipheriv(algorithm, cachedKeyObject(bytes), nonce)
  cipher.setAAD(Buffer.from(context))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  const keyId = Buffer.from(id)
  return Buffer.concat([Buffer.from([keyId.length]), keyId, nonce, cipher.getAuthTag(), body])
}

/** Returns the id of the master key that encrypted a value. */
export const sealingKeyId = (sealed: Buffer) => sealed.subarray(1, 1 + sealed[0]!).toString()

export function unseal(keyring: Keyring, sealed: Buffer, context: string): string {
  const idEnd = 1 + sealed[0]!
  const key = keyring.find(sealingKeyId(sealed))
  if (!key) throw new Error('encrypted with a master key that is no longer configured')
  const nonceEnd = idEnd + nonceBytes
  const tagEnd = nonceEnd + tagBytes
  const decipher = createDecipheriv(algorithm, cachedKeyObject(key.bytes), sealed.subarray(idEnd, nonceEnd), {
    authTagLength: tagBytes,
  })
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(sealed.subarray(nonceEnd, tagEnd))
  return Buffer.concat([decipher.update(sealed.subarray(tagEnd)), decipher.final()]).toString('utf8')
}
