import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError, validationFailed } from '../../contract/errors.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import type { Addresses } from '../../platform/infra/addresses.ts'
import type { Outbound } from '../../platform/infra/outbound.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { lockOrg } from '../../tenants/orgs/orgs.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { timestamp, timestampOrNull } from '../../values/timestamp.ts'
import { discoveryFaults } from '../oidc/oidc.ts'
import { endSessionsOfConnection } from '../sessions/sessions.ts'
import type { Providers } from './providers.ts'
import {
  type ConnectionFields,
  type ConnectionRow,
  countConnections,
  deleteConnection,
  insertConnection,
  lockConnection,
  oidcSettingsOf,
  samlSettingsOf,
  updateConnection,
} from './queries.ts'
import { samlFaultOf, serviceProviderOf } from './saml-settings.ts'
import type {
  SsoConnectionInput,
  SsoConnectionReplacement,
  SsoConnectionTestView,
  SsoConnectionView,
} from './schema.ts'
import type { ConnectionSecrets } from './secrets.ts'

export { createProviders, openProviderOutbound, type Providers } from './providers.ts'
export {
  type ConnectionRow,
  findConnection,
  holdEnabled,
  listConnections,
  lockConnection,
  samlSettingsOf,
} from './queries.ts'
export { samlConnectionOf, serviceProviderOf } from './saml-settings.ts'
export { type ConnectionSecrets, createConnectionSecrets, resealConnectionSecrets } from './secrets.ts'

const maxConnections = 20

/** Returns the address to which the provider of a connection sends people back: one of its own, so that no answer is taken for another's. */
export const redirectUriOf = (addresses: Addresses, id: string) =>
  `${addresses.publicUrl()}/sso/callback/${formatId('connection', id)}`

export const connectionView = (addresses: Addresses, row: ConnectionRow): SsoConnectionView => {
  const id = formatId('connection', row.id)
  const [oidc, saml] = [oidcSettingsOf(row), samlSettingsOf(row)]
  return {
    id,
    org_id: formatId('org', row.org_id),
    kind: row.kind,
    name: row.name,
    oidc: oidc
      ? {
          issuer: oidc.issuer,
          client_id: oidc.client_id,
          client_secret_set_at: timestampOrNull(row.secret_set_at),
        }
      : null,
    saml: saml ? { ...saml, certificates: [...saml.certificates] } : null,
    service_provider: saml ? serviceProviderOf(addresses, row.id) : null,
    role_rules: row.role_rules.map(({ claim, values, role }) => ({ claim, values: [...values], role })),
    default_role: row.default_role,
    jit: row.jit,
    enabled: row.enabled,
    sign_in_url: `${addresses.publicUrl()}/sso/${id}`,
    redirect_uri: oidc ? redirectUriOf(addresses, row.id) : null,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }
}

/** A connection as it is wanted, with settings that were read or stay as they are. */
export type WantedConnection = SsoConnectionReplacement & { readonly settings?: ConnectionRow['settings'] | undefined }

const fieldsOf = (wanted: WantedConnection): ConnectionFields => ({
  name: wanted.name,
  enabled: wanted.enabled ?? true,
  jit: wanted.jit ?? false,
  roleRules: wanted.role_rules ?? [],
  defaultRole: wanted.default_role ?? null,
  settings: wanted.oidc ? { issuer: wanted.oidc.issuer, client_id: wanted.oidc.client_id } : present(wanted.settings),
})

/** Tools of changes of connections, beside those of every change. */
export interface ConnectionTools {
  readonly clock: Platform['clock']
  readonly addresses: Addresses
  readonly secrets: ConnectionSecrets
}

export async function createConnection(
  { addresses, secrets }: ConnectionTools,
  { tx, audit }: ChangeTools,
  orgId: string,
  input: SsoConnectionInput & WantedConnection,
): Promise<SsoConnectionView> {
  await lockOrg(tx, orgId)
  if ((await countConnections(tx, orgId)) >= maxConnections)
    throw new ApiError('conflict', {}, { message: `An organization can have at most ${maxConnections} connections.` })
  const id = newUuid()
  const client_secret = input.oidc?.client_secret ?? null
  const sealed = client_secret === null ? null : secrets.sealSecret(orgId, id, client_secret)
  const after = connectionView(addresses, await insertConnection(tx, orgId, id, input.kind, fieldsOf(input), sealed))
  audit({ action: 'sso_connection.created', target: { kind: 'sso_connection', id: after.id }, after })
  return after
}

/** Changes a connection; turned off, it ends the sessions that were opened through it. Its secret stays unless another one, or none, is given: it cannot be read, so nobody could send it again. */
export async function replaceConnection(
  { clock, addresses, secrets }: ConnectionTools,
  changes: ChangeTools,
  orgId: string,
  id: string,
  wanted: DesiredState<WantedConnection>,
): Promise<SsoConnectionView> {
  const { tx, audit, replaces } = changes
  await lockOrg(tx, orgId)
  const found = await lockConnection(tx, orgId, id)
  if (!found) throw new ApiError('not_found')
  const before = connectionView(addresses, found)
  replaces(before)
  const desired = wanted(before)
  const other = found.kind === 'oidc' ? 'saml' : 'oidc'
  if (desired[other])
    throw validationFailed([
      { field: other, code: 'invalid_value', message: `The connection is of the kind ${found.kind}.` },
    ])
  const secret = desired.oidc?.client_secret
  const sealed = typeof secret === 'string' ? secrets.sealSecret(orgId, id, secret) : secret
  const after = connectionView(
    addresses,
    await updateConnection(
      tx,
      orgId,
      id,
      fieldsOf({ ...desired, settings: desired.settings ?? found.settings }),
      sealed,
    ),
  )
  audit({ action: 'sso_connection.changed', target: { kind: 'sso_connection', id: after.id }, before, after })
  if (!after.enabled) await endSessionsOfConnection({ clock }, changes, orgId, id)
  return after
}

/** Deletes a connection, and ends the sessions that were opened through it. */
export async function removeConnection(
  { clock, addresses }: ConnectionTools,
  changes: ChangeTools,
  orgId: string,
  id: string,
) {
  const { tx, audit, replaces } = changes
  await lockOrg(tx, orgId)
  const found = await lockConnection(tx, orgId, id)
  if (!found) throw new ApiError('not_found')
  const before = connectionView(addresses, found)
  replaces(before)
  await deleteConnection(tx, orgId, id)
  audit({ action: 'sso_connection.deleted', target: { kind: 'sso_connection', id: before.id }, before })
  await endSessionsOfConnection({ clock }, changes, orgId, id)
}

/** Looks for the provider of a connection, and says what was found. */
export async function testConnection(
  { addresses, outbound, providers }: { addresses: Addresses; outbound: Outbound; providers: Pick<Providers, 'anew'> },
  row: ConnectionRow,
): Promise<SsoConnectionTestView> {
  const saml = samlSettingsOf(row)
  if (saml) {
    const found = await samlFaultOf(addresses, outbound, saml)
    const { fault = null, message = null } = found ?? {}
    return { ...nothingFound, ok: !found, fault, message, issuer: saml.entity_id, authorization_endpoint: saml.sso_url }
  }
  const found = await providers.anew(row)
  if (typeof found === 'string') return { ...nothingFound, fault: found, message: discoveryFaults[found] }
  const metadata = found.configuration.serverMetadata()
  return {
    ...nothingFound,
    ok: true,
    issuer: metadata.issuer,
    authorization_endpoint: metadata.authorization_endpoint ?? null,
    token_endpoint: metadata.token_endpoint ?? null,
    jwks_uri: metadata.jwks_uri ?? null,
    end_session_endpoint: metadata.end_session_endpoint ?? null,
    signing_algorithms: metadata.id_token_signing_alg_values_supported ?? [],
    names_itself_in_answers: metadata.authorization_response_iss_parameter_supported === true,
  }
}

const nothingFound: SsoConnectionTestView = {
  ok: false,
  fault: null,
  message: null,
  issuer: null,
  authorization_endpoint: null,
  token_endpoint: null,
  jwks_uri: null,
  end_session_endpoint: null,
  signing_algorithms: [],
  names_itself_in_answers: false,
}
