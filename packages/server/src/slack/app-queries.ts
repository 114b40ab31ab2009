import { sql as raw } from 'kysely'
import type { Sql, Tx } from '../platform/infra/sql.ts'

const columns = [
  'org_id',
  'channel',
  'enabled',
  'sealed_signing_secret',
  'signing_secret_set_at',
  'keepers',
  'sealed_bot_token',
  'bot_token_set_at',
  'fault',
  'created_at',
  'updated_at',
] as const

const appOf = (tx: Tx, orgId: string) => tx.selectFrom('slack_apps').select(columns).where('org_id', '=', orgId)

export const findApp = (tx: Tx, orgId: string) => appOf(tx, orgId).executeTakeFirst()

export type SlackAppRow = NonNullable<Awaited<ReturnType<typeof findApp>>>

export type SlackAppFields = Omit<SlackAppRow, 'org_id' | 'fault' | 'created_at' | 'updated_at'>

/** Stores an app. What waits for it is looked at anew, and what Slack has refused before is forgotten. */
export const upsertApp = (tx: Tx, orgId: string, fields: SlackAppFields): Promise<SlackAppRow> =>
  tx
    .insertInto('slack_apps')
    .values({ org_id: orgId, ...fields })
    .onConflict((conflict) =>
      conflict.column('org_id').doUpdateSet({
        ...fields,
        fault: null,
        due_at: raw`clock_timestamp()`,
        updated_at: raw`clock_timestamp()`,
      }),
    )
    .returning(columns)
    .executeTakeFirstOrThrow()

export async function deleteApp(tx: Tx, orgId: string) {
  await tx.deleteFrom('slack_apps').where('org_id', '=', orgId).execute()
}

export interface SpokenTo {
  readonly orgId: string
  readonly enabled: boolean
  readonly sealedSigningSecret: Buffer
}

/** Returns the apps of organizations, for requests of which only the organization is known. */
export async function findAppsOf({ db }: Sql, orgIds: readonly string[]): Promise<Map<string, SpokenTo>> {
  const { rows } = await raw<SpokenTo>`
    select org_id as "orgId", enabled, sealed_signing_secret as "sealedSigningSecret"
      from slack_apps_of(${orgIds}::uuid[])`.execute(db)
  return new Map(rows.map((row) => [row.orgId, row]))
}

/** Notes a request that Slack has signed. Returns false when it was taken before. */
export async function takeRequest(tx: Tx, orgId: string, digest: Buffer): Promise<boolean> {
  const taken = await tx
    .insertInto('slack_requests')
    .values({ org_id: orgId, digest })
    .onConflict((conflict) => conflict.doNothing())
    .returning('org_id')
    .executeTakeFirst()
  return taken !== undefined
}

/** Returns the organizations whose secrets are sealed with one of these master keys. */
export const secretsSealedWith = async ({ db }: Sql, keyIds: readonly string[], most: number): Promise<string[]> =>
  (
    await raw<{
      id: string
    }>`select slack_secrets_sealed_with as id from slack_secrets_sealed_with(${keyIds}::text[], ${most})`.execute(db)
  ).rows.map(({ id }) => id)

type Reseal = (sealed: Buffer) => Buffer

export async function replaceSealedSecrets(
  tx: Tx,
  orgId: string,
  { signing, token }: { signing: Reseal; token: Reseal },
) {
  const row = await appOf(tx, orgId).forUpdate().executeTakeFirst()
  if (!row) return false
  await tx
    .updateTable('slack_apps')
    .set({ sealed_signing_secret: signing(row.sealed_signing_secret), sealed_bot_token: token(row.sealed_bot_token) })
    .where('org_id', '=', orgId)
    .execute()
  return true
}
