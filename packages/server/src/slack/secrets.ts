import type { Config } from '../config.ts'
import type { Sql } from '../platform/infra/sql.ts'
import { deriveKeyring } from '../values/keyring.ts'
import { seal, unseal } from '../values/seal.ts'
import { replaceSealedSecrets, secretsSealedWith } from './app-queries.ts'

type SlackSecret = 'signing secret' | 'bot token'

/** Seals the secrets of apps for the database, each bound to its organization and use, so that it cannot serve as another. */
export interface SlackSecrets {
  readonly sealSecret: (orgId: string, what: SlackSecret, secret: string) => Buffer
  readonly unsealSecret: (orgId: string, what: SlackSecret, sealed: Buffer) => string
}

export function createSlackSecrets(config: Pick<Config, 'masterKeys'>): SlackSecrets {
  const keyring = deriveKeyring(config.masterKeys(), 'slack secrets')
  const contextOf = (orgId: string, what: SlackSecret) => `slack ${what} ${orgId}`
  return {
    sealSecret: (orgId, what, secret) => seal(keyring, secret, contextOf(orgId, what)),
    unsealSecret: (orgId, what, sealed) => unseal(keyring, sealed, contextOf(orgId, what)),
  }
}

const perLook = 100

/** Reseals every secret of a Slack app that is sealed with an older master key with the newest one. */
export async function resealSlackSecrets(sql: Sql, config: Pick<Config, 'masterKeys'>): Promise<number> {
  const { sealSecret, unsealSecret } = createSlackSecrets(config)
  const [, ...old] = config.masterKeys().map(({ id }) => id)
  let moved = 0
  for (;;) {
    const orgIds = await secretsSealedWith(sql, old, perLook)
    const before = moved
    for (const orgId of orgIds) {
      const reseal = (what: SlackSecret) => (sealed: Buffer) =>
        sealSecret(orgId, what, unsealSecret(orgId, what, sealed))
      const isMoved = sql
        .asOrgs([orgId], (tx) =>
          replaceSealedSecrets(tx, orgId, { signing: reseal('signing secret'), token: reseal('bot token') }),
        )
        .catch(() => false)
      if (await isMoved) moved++
    }
    if (orgIds.length < perLook) return moved
    if (moved === before) throw new Error('no secret of this batch can be unsealed')
  }
}
