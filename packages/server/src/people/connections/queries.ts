import { sql as raw } from 'kysely'
import type { PageRequest } from '../../contract/lists.ts'
import { keysetPage } from '../../platform/infra/keyset.ts'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import type { PersonRole, RoleRule } from '../role-rules/role-rules.ts'

/** Settings of a connection to a provider of OpenID Connect. */
export interface OidcSettings {
  readonly issuer: string
  readonly client_id: string
}

/** Settings of a connection to a provider of SAML. */
export interface SamlSettings {
  readonly entity_id: string
  readonly sso_url: string
  readonly certificates: readonly string[]
  readonly metadata_url: string | null
  readonly email_attribute: string | null
  readonly clock_skew_seconds: number
}

const columns = [
  'org_id',
  'id',
  raw<'oidc' | 'saml'>`kind`.as('kind'),
  'name',
  'enabled',
  'jit',
  raw<readonly RoleRule[]>`role_rules`.as('role_rules'),
  raw<PersonRole | null>`default_role`.as('default_role'),
  raw<OidcSettings | SamlSettings>`settings`.as('settings'),
  'sealed_secret',
  'secret_set_at',
  'created_at',
  'updated_at',
] as const

export const findConnection = (tx: Tx, orgId: string, id: string) =>
  tx.selectFrom('sso_connections').select(columns).where('org_id', '=', orgId).where('id', '=', id).executeTakeFirst()

/** Locks a connection until the transaction ends: its sign-ins wait for each other, and for whoever changes it. */
export const lockConnection = (tx: Tx, orgId: string, id: string) =>
  tx
    .selectFrom('sso_connections')
    .select(columns)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()

/** True for an enabled connection, which stays so until the transaction ends. */
export async function holdEnabled(tx: Tx, orgId: string, id: string): Promise<boolean> {
  const { rows } = await raw`
    select from sso_connections where org_id = ${orgId} and id = ${id} and enabled for share`.execute(tx)
  return rows.length > 0
}

export type ConnectionRow = NonNullable<Awaited<ReturnType<typeof findConnection>>>

/** Returns the settings of a connection by OpenID Connect; undefined for another kind. */
export const oidcSettingsOf = ({
  kind,
  settings,
}: Pick<ConnectionRow, 'kind' | 'settings'>): OidcSettings | undefined =>
  kind === 'oidc' ? (settings as OidcSettings) : undefined

/** Returns the settings of a connection by SAML; undefined for another kind. */
export const samlSettingsOf = ({
  kind,
  settings,
}: Pick<ConnectionRow, 'kind' | 'settings'>): SamlSettings | undefined =>
  kind === 'saml' ? (settings as SamlSettings) : undefined

export function listConnections(
  tx: Tx,
  orgId: string,
  page: PageRequest<'created_at'>,
  { enabled }: { enabled?: boolean },
) {
  let query = tx
    .selectFrom('sso_connections')
    .select([...columns, raw<string>`created_at::text`.as('sort_value')])
    .where('org_id', '=', orgId)
  if (enabled !== undefined) query = query.where('enabled', '=', enabled)
  return keysetPage(query, { sort: 'created_at', id: 'id' }, page).execute()
}

export const countConnections = async (tx: Tx, orgId: string): Promise<number> =>
  Number(
    (
      await tx
        .selectFrom('sso_connections')
        .select(raw<bigint>`count(*)`.as('all'))
        .where('org_id', '=', orgId)
        .executeTakeFirstOrThrow()
    ).all,
  )

export interface ConnectionFields {
  readonly name: string
  readonly enabled: boolean
  readonly jit: boolean
  readonly roleRules: readonly RoleRule[]
  readonly defaultRole: PersonRole | null
  readonly settings: OidcSettings | SamlSettings
}

const columnsOf = ({ roleRules, defaultRole, settings, name, enabled, jit }: ConnectionFields) => ({
  name,
  enabled,
  jit,
  role_rules: JSON.stringify(roleRules),
  default_role: defaultRole,
  settings: JSON.stringify(settings),
})

/** Columns of a secret; undefined for one that stays as it is. */
const secretColumns = (sealed: Buffer | null | undefined) =>
  sealed === undefined
    ? {}
    : { sealed_secret: sealed, secret_set_at: sealed === null ? null : raw<Date>`clock_timestamp()` }

export const insertConnection = (
  tx: Tx,
  orgId: string,
  id: string,
  kind: ConnectionRow['kind'],
  fields: ConnectionFields,
  sealed: Buffer | null,
): Promise<ConnectionRow> =>
  tx
    .insertInto('sso_connections')
    .values({ org_id: orgId, id, kind, ...columnsOf(fields), ...secretColumns(sealed) })
    .returning(columns)
    .executeTakeFirstOrThrow()

export const updateConnection = (
  tx: Tx,
  orgId: string,
  id: string,
  fields: ConnectionFields,
  sealed: Buffer | null | undefined,
): Promise<ConnectionRow> =>
  tx
    .updateTable('sso_connections')
    .set({ ...columnsOf(fields), ...secretColumns(sealed), updated_at: raw`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()

export async function deleteConnection(tx: Tx, orgId: string, id: string) {
  await tx.deleteFrom('sso_connections').where('org_id', '=', orgId).where('id', '=', id).execute()
}

/** Returns the owners of secrets that are sealed with one of these master keys. */
export const secretsSealedWith = async ({ db }: Sql, keyIds: readonly string[], most: number) =>
  (
    await raw<{ org_id: string; id: string }>`
      select * from sso_secrets_sealed_with(${keyIds}::text[], ${most})`.execute(db)
  ).rows

export async function replaceSealedSecret(tx: Tx, orgId: string, id: string, reseal: (sealed: Buffer) => Buffer) {
  const { rows } = await raw<{ sealed_secret: Buffer | null }>`
    select sealed_secret from sso_connections where org_id = ${orgId} and id = ${id} for update`.execute(tx)
  const sealed = rows[0]?.sealed_secret
  if (!sealed) return false
  await raw`
    update sso_connections set sealed_secret = ${reseal(sealed)} where org_id = ${orgId} and id = ${id}`.execute(tx)
  return true
}
