import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Keyring } from './keyring.ts'

const macOf = (key: Buffer, body: string) => createHmac('sha256', key).update(body).digest()

/** Writes bytes as a text that somebody else keeps for us. Everybody can read it, and nobody can change it or make another. */
export function authenticText({ current }: Keyring, payload: Buffer): string {
  const body = `${current.id}.${payload.toString('base64url')}`
  return `${body}.${macOf(current.bytes, body).toString('base64url')}`
}

/** Returns the bytes of a text that we made; undefined for any other. A text has one spelling. */
export function readAuthenticText(keyring: Keyring, text: string): Buffer | undefined {
  const [keyId = '', body = '', mac = '', ...rest] = text.split('.')
  const key = keyring.find(keyId)
  const given = Buffer.from(mac, 'base64url')
  if (!key || rest.length > 0 || given.toString('base64url') !== mac) return undefined
  const expected = macOf(key.bytes, `${keyId}.${body}`)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  return Buffer.from(body, 'base64url')
}
