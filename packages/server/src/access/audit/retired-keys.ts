import type { Sql } from '../../platform/infra/sql.ts'
import { newTraceId } from '../../platform/infra/trace.ts'
import { formatId } from '../../values/id.ts'
import { deriveKeyring, type Keyring, type MasterKeys } from '../../values/keyring.ts'
import { present } from '../../values/present.ts'
import { seal, sealingKeyId, unseal } from '../../values/seal.ts'
import { handOverAction } from './chain.ts'
import { auditKeyring, record } from './entries.ts'
import { chainsToHandOver, markHandedOver, readAuditKeys, storeAuditKey } from './retired-key-queries.ts'

/**
 * Audit keys whose master keys were removed. Each entry covers the seal before it, so an entry under a newer key vouches for
 * all before it: a holder of an old key can rewrite nothing that was handed over. The old key is only needed to verify single
 * entries again, so it is stored encrypted.
 */

const pageSize = 100
const purpose = 'retired audit keys'
const contextOf = (keyId: string) => `audit key ${keyId}`

/** Stores the audit keys of all old master keys, and re-encrypts those stored before with the newest one. */
export async function retireAuditKeys(sql: Sql, masterKeys: MasterKeys): Promise<number> {
  const sealing = deriveKeyring(masterKeys, purpose)
  const chain = auditKeyring(masterKeys)
  const stored = new Map((await readAuditKeys(sql)).map(({ key_id, sealed }) => [key_id, sealed]))
  const isCurrent = (sealed: Buffer | undefined) => sealed && sealingKeyId(sealed) === sealing.current.id
  let moved = 0
  const store = async (keyId: string, bytes: Buffer) => {
    await storeAuditKey(sql, keyId, seal(sealing, bytes.toString('base64'), contextOf(keyId)))
    moved++
  }
  for (const { id } of masterKeys.slice(1))
    if (!isCurrent(stored.get(id))) await store(id, present(chain.find(id)).bytes)
  for (const [keyId, sealed] of stored) {
    const bytes = isCurrent(sealed) || chain.find(keyId) ? undefined : openAuditKey(sealing, keyId, sealed)
    if (bytes) await store(keyId, bytes)
  }
  return moved
}

/** Returns the keys that verify a chain: those of the configured master keys, and the stored ones. */
export async function loadVerifyingKeyring(sql: Sql, masterKeys: MasterKeys): Promise<VerifyingKeyring> {
  const chain = auditKeyring(masterKeys)
  const sealing = deriveKeyring(masterKeys, purpose)
  const retired = new Map(
    (await readAuditKeys(sql)).flatMap(({ key_id, sealed }) => {
      const bytes = chain.find(key_id) ? undefined : openAuditKey(sealing, key_id, sealed)
      return bytes ? [[key_id, { id: key_id, bytes }] as const] : []
    }),
  )
  return {
    current: chain.current,
    find: (id) => chain.find(id) ?? retired.get(id),
    isRetired: (id) => retired.has(id),
  }
}

export interface VerifyingKeyring extends Keyring {
  readonly isRetired: (id: string) => boolean
}

function openAuditKey(sealing: Keyring, keyId: string, sealed: Buffer): Buffer | undefined {
  try {
    return Buffer.from(unseal(sealing, sealed, contextOf(keyId)), 'base64')
  } catch {
    return undefined
  }
}

/** Appends an entry under the newest key to every chain that may have older ones; to none when there is one master key. */
export async function handOverChains(sql: Sql, masterKeys: MasterKeys): Promise<number> {
  const keyring = auditKeyring(masterKeys)
  const old = masterKeys.slice(1).map(({ id }) => id)
  if (old.length === 0) return 0
  let handedOver = 0
  for (;;) {
    const orgIds = await chainsToHandOver(sql, keyring.current.id, pageSize)
    for (const orgId of orgIds) {
      await sql.asOrgs([orgId], async (tx) => {
        await record(tx, keyring, orgId, {
          actor: { kind: 'system', id: 'rekey', role: 'operator' },
          action: handOverAction,
          target: { kind: 'org', id: formatId('org', orgId) },
          after: { master_key: keyring.current.id, retired: old },
          address: null,
          traceId: newTraceId(),
        })
        await markHandedOver(tx, orgId, keyring.current.id)
      })
      handedOver++
    }
    if (orgIds.length < pageSize) return handedOver
  }
}
