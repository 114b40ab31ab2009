import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Keyring } from './keyring.ts'
import { preparedKey } from './prepared-key.ts'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** Closes a text so that a dump of the database does not show it; `context` must be the same to open it again. */
export function seal(keyring: Keyring, text: string, context: string): Buffer {
  const { id, bytes } = keyring.current
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, preparedKey(bytes), nonce)
  cipher.setAAD(Buffer.from(context))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  const keyId = Buffer.from(id)
  return Buffer.concat([Buffer.from([keyId.length]), keyId, nonce, cipher.getAuthTag(), body])
}

export function unseal(keyring: Keyring, sealed: Buffer, context: string): string {
  const idEnd = 1 + sealed[0]!
  const key = keyring.find(sealed.subarray(1, idEnd).toString())
  if (!key) throw new Error('sealed with a key that is no longer configured')
  const nonceEnd = idEnd + nonceBytes
  const tagEnd = nonceEnd + tagBytes
  const decipher = createDecipheriv(algorithm, preparedKey(key.bytes), sealed.subarray(idEnd, nonceEnd))
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(sealed.subarray(nonceEnd, tagEnd))
  return Buffer.concat([decipher.update(sealed.subarray(tagEnd)), decipher.final()]).toString('utf8')
}
