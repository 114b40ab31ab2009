import type { Config } from '../../config.ts'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { createWebhookSecrets, type SecretOwner } from '../signing/secrets.ts'
import { findSealed, replaceSealed, secretsSealedWith } from './reseal-queries.ts'

const perLook = 100

/** Reseals every webhook secret that is sealed with an older master key with the newest one. */
export async function resealWebhookSecrets(sql: Sql, config: Pick<Config, 'masterKeys'>): Promise<number> {
  const secrets = createWebhookSecrets(config)
  const old = config
    .masterKeys()
    .slice(1)
    .map(({ id }) => id)
  let moved = 0
  for (;;) {
    const owners = await secretsSealedWith(sql, old, perLook)
    const before = moved
    for (const owner of owners)
      if (await sql.asOrgs([owner.orgId], (tx) => reseal(tx, owner)).catch(() => false)) moved++
    if (owners.length < perLook) return moved
    if (moved === before) throw new Error('no secret of this batch can be unsealed')
  }

  /** Reseals under a lock, so that a rotation happens before or after. */
  async function reseal(tx: Tx, owner: SecretOwner): Promise<boolean> {
    const found = await findSealed(tx, owner)
    if (!found) return false
    const moveDestination = (of: Required<SecretOwner>, sealed: Buffer) =>
      secrets.sealDestination(of, secrets.unsealDestination(of, sealed))
    const moveOne = (sealed: Buffer) => secrets.sealSecret(owner, secrets.unsealSecret(owner, sealed))
    const { subscriptionId } = owner
    await replaceSealed(tx, owner, {
      sealed: found.sealed && moveOne(found.sealed),
      sealed_previous: found.sealed_previous && moveOne(found.sealed_previous),
      destination_sealed:
        subscriptionId === undefined || found.destination_sealed === null
          ? null
          : moveDestination({ ...owner, subscriptionId }, found.destination_sealed),
    })
    return true
  }
}
