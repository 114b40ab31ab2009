import { sql as raw } from 'kysely'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import type { SecretOwner } from '../signing/secrets.ts'

/** Returns the owners of secrets that are sealed with one of these master keys. */
export const secretsSealedWith = async ({ db }: Sql, keyIds: readonly string[], most: number): Promise<SecretOwner[]> =>
  (
    await raw<{ org_id: string; subscription_id: string | null }>`
      select * from webhook_secrets_sealed_with(${keyIds}::text[], ${most})`.execute(db)
  ).rows.map(({ org_id, subscription_id }) => ({
    orgId: org_id,
    ...(subscription_id !== null && { subscriptionId: subscription_id }),
  }))

export interface Sealed {
  readonly sealed: Buffer | null
  readonly sealed_previous: Buffer | null
  readonly destination_sealed: Buffer | null
}

/** Returns the sealed secrets of an owner. A previous secret whose overlap has ended is left out: nobody verifies with it. */
export async function findSealed(tx: Tx, { orgId, subscriptionId }: SecretOwner): Promise<Sealed | undefined> {
  const { rows } =
    subscriptionId === undefined
      ? await raw<Sealed>`
          select sealed, null as sealed_previous, null as destination_sealed from webhook_org_secrets where org_id = ${orgId} for update`.execute(
          tx,
        )
      : await raw<Sealed>`
          select sealed, case when previous_until > clock_timestamp() then sealed_previous end as sealed_previous, destination_sealed
            from webhook_subscriptions where org_id = ${orgId} and id = ${subscriptionId} for update`.execute(tx)
  return rows[0]
}

export async function replaceSealed(
  tx: Tx,
  { orgId, subscriptionId }: SecretOwner,
  { sealed, sealed_previous, destination_sealed }: Sealed,
) {
  if (subscriptionId === undefined)
    await raw`update webhook_org_secrets set sealed = ${sealed} where org_id = ${orgId}`.execute(tx)
  else
    await raw`
      update webhook_subscriptions set sealed = ${sealed}, sealed_previous = ${sealed_previous}, destination_sealed = ${destination_sealed}
       where org_id = ${orgId} and id = ${subscriptionId}`.execute(tx)
}
