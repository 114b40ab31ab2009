import { createPrivateKey, type KeyObject } from 'node:crypto'

/** The key of a service account of Google's, as its file has it. */
export interface GoogleKey {
  readonly email: string
  readonly keyId: string | undefined
  readonly privateKey: KeyObject
  readonly tokenUrl: string
}

/** Reads the file of a service account's key; what it throws says nothing of what is in it. */
export function parseGoogleKey(text: string): GoogleKey {
  let fields: Record<string, unknown>
  try {
    fields = JSON.parse(text) as Record<string, unknown>
  } catch {
    throw new Error('the key of a service account must be JSON')
  }
  const field = (name: string) => {
    const value = fields[name]
    if (typeof value !== 'string' || value === '') throw new Error(`the key of a service account has no ${name}`)
    return value
  }
  const tokenUrl = field('token_uri')
  if (!/^https?:$/.test(URL.parse(tokenUrl)?.protocol ?? ''))
    throw new Error('token_uri of the service account is not an http or https address')
  const keyId = fields['private_key_id']
  return {
    email: field('client_email'),
    keyId: typeof keyId === 'string' ? keyId : undefined,
    privateKey: rsaKey(field('private_key')),
    tokenUrl,
  }
}

function rsaKey(text: string): KeyObject {
  try {
    const key = createPrivateKey(text)
    if (key.asymmetricKeyType === 'rsa') return key
  } catch {
    // Said below, without what it would show of the key.
  }
  throw new Error('private_key of the service account is not a private key of RSA')
}
