import type { Config } from '../../config.ts'
import type { Sql } from '../../platform/infra/sql.ts'
import { deriveKeyring } from '../../values/keyring.ts'
import { seal, unseal } from '../../values/seal.ts'
import { replaceSealedSecret, secretsSealedWith } from './queries.ts'

/** Seals the secrets of connections for the database, each bound to its connection, so that it cannot be used in another's place. */
export interface ConnectionSecrets {
  readonly sealSecret: (orgId: string, id: string, secret: string) => Buffer
  readonly unsealSecret: (orgId: string, id: string, sealed: Buffer) => string
}

export function createConnectionSecrets(config: Pick<Config, 'masterKeys'>): ConnectionSecrets {
  const keyring = deriveKeyring(config.masterKeys(), 'sso secrets')
  const contextOf = (orgId: string, id: string) => `sso connection ${orgId} ${id}`
  return {
    sealSecret: (orgId, id, secret) => seal(keyring, secret, contextOf(orgId, id)),
    unsealSecret: (orgId, id, sealed) => unseal(keyring, sealed, contextOf(orgId, id)),
  }
}

const perLook = 100

/** Reseals every secret of a connection that is sealed with an older master key with the newest one. */
export async function resealConnectionSecrets(sql: Sql, config: Pick<Config, 'masterKeys'>): Promise<number> {
  const { sealSecret, unsealSecret } = createConnectionSecrets(config)
  const [, ...old] = config.masterKeys().map(({ id }) => id)
  let moved = 0
  for (;;) {
    const owners = await secretsSealedWith(sql, old, perLook)
    const before = moved
    for (const { org_id: orgId, id } of owners) {
      const reseal = (sealed: Buffer) => sealSecret(orgId, id, unsealSecret(orgId, id, sealed))
      const isMoved = sql.asOrgs([orgId], (tx) => replaceSealedSecret(tx, orgId, id, reseal)).catch(() => false)
      if (await isMoved) moved++
    }
    if (owners.length < perLook) return moved
    if (moved === before) throw new Error('no secret of this batch can be unsealed')
  }
}
