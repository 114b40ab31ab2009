import { hkdfSync } from 'node:crypto'
import { elementAt } from './present.ts'

/**
 * Master keys, kept outside PostgreSQL. The first encrypts and signs everything new, the others only decrypt and verify. Each
 * purpose gets its own key derived from them, so that no two uses share one.
 */
export interface Keyring {
  readonly current: DerivedKey
  readonly find: (id: string) => DerivedKey | undefined
}

export interface DerivedKey {
  readonly id: string
  readonly bytes: Buffer
}

export type MasterKeys = readonly DerivedKey[]

const keyBytes = 32

/** Parses `id:base64,id:base64`; undefined when invalid, without a reason that could reveal the value. */
export function parseMasterKeys(text: string): MasterKeys | undefined {
  const keys = text.split(',').map((part) => {
    const [id = '', encoded = '', ...rest] = part.split(':')
    const bytes = Buffer.from(encoded, 'base64')
    const isValid = rest.length === 0 && /^[A-Za-z0-9_-]{1,32}$/.test(id) && bytes.length === keyBytes
    return isValid ? { id, bytes } : undefined
  })
  const found = keys.filter((key) => key !== undefined)
  const isUnique = new Set(found.map(({ id }) => id)).size === keys.length
  return found.length === keys.length && isUnique ? found : undefined
}

export function deriveKeyring(master: MasterKeys, purpose: string): Keyring {
  const derived = master.map(({ id, bytes }) => ({
    id,
    bytes: Buffer.from(hkdfSync('sha256', bytes, Buffer.alloc(0), `weir ${purpose}`, keyBytes)),
  }))
  const byId = new Map(derived.map((key) => [key.id, key]))
  return { current: elementAt(derived, 0), find: (id) => byId.get(id) }
}
