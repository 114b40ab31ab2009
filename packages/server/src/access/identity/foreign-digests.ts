import { createHmac } from 'node:crypto'
import type { Platform } from '../../platform/infra/platform.ts'
import { deriveKeyring } from '../../values/keyring.ts'
import { cachedKeyObject } from '../../values/prepared-key.ts'
import { present } from '../../values/present.ts'

/** A keyed hash of the digest of a foreign key, as it is kept. */
export interface KeptDigest {
  readonly mac: Buffer
  readonly mac_key_id: string
}

/** Keyed hashes of digests of foreign keys: under the newest master key, and under each that one may still be kept under. */
export interface ForeignDigests {
  readonly current: (digest: string) => KeptDigest
  readonly all: (digest: string) => Buffer[]
}

export function createForeignDigests({ config }: Pick<Platform, 'config'>): ForeignDigests {
  const masterKeys = config.masterKeys()
  const keyring = deriveKeyring(masterKeys, 'foreign key digests')
  const keys = masterKeys.map(({ id }) => present(keyring.find(id)))
  const macOf = (bytes: Buffer, digest: string) =>
    createHmac('sha256', cachedKeyObject(bytes)).update(digest, 'hex').digest()
  return {
    current: (digest) => ({ mac: macOf(keyring.current.bytes, digest), mac_key_id: keyring.current.id }),
    all: (digest) => keys.map(({ bytes }) => macOf(bytes, digest)),
  }
}
