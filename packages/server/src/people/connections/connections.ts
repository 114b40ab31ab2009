import type { ChangeTools } from '../../access/changes/changes.ts'
import type { Config } from '../../config.ts'
import { ApiError } from '../../contract/errors.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import type { Addresses } from '../../platform/infra/addresses.ts'
import { createOutbound, type Outbound } from '../../platform/infra/outbound.ts'
import { lockOrg } from '../../tenants/orgs/orgs.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { timestamp, timestampOrNull } from '../../values/timestamp.ts'
import { discoverProvider, discoveryFaults, type OidcClient } from '../oidc/oidc.ts'
import {
  type ConnectionFields,
  type ConnectionRow,
  countConnections,
  deleteConnection,
  findConnection,
  insertConnection,
  updateConnection,
} from './queries.ts'
import type {
  SsoConnectionInput,
  SsoConnectionReplacement,
  SsoConnectionTestView,
  SsoConnectionView,
} from './schema.ts'
import type { ConnectionSecrets } from './secrets.ts'

export { type ConnectionRow, findConnection, listConnections } from './queries.ts'
export { type ConnectionSecrets, createConnectionSecrets, resealConnectionSecrets } from './secrets.ts'

const maxConnections = 20

/** Opens the HTTP client for identity providers, with the operator's egress settings. */
export const openProviderOutbound = (config: Config): Outbound =>
  createOutbound({
    allowedCidrs: config.ssoAllowedCidrs,
    allowedPorts: config.ssoAllowedPorts,
    dnsServers: config.dnsServers,
    timeoutSeconds: config.ssoTimeoutSeconds,
  })

/** Returns the address to which the provider of a connection sends people back: one of its own, so that no answer is taken for another's. */
export const redirectUriOf = (addresses: Addresses, id: string) =>
  `${addresses.publicUrl()}/sso/callback/${formatId('connection', id)}`

export const connectionView = (addresses: Addresses, row: ConnectionRow): SsoConnectionView => {
  const id = formatId('connection', row.id)
  return {
    id,
    org_id: formatId('org', row.org_id),
    kind: row.kind,
    name: row.name,
    oidc:
      row.kind === 'oidc'
        ? {
            issuer: row.settings.issuer,
            client_id: row.settings.client_id,
            client_secret_set_at: timestampOrNull(row.secret_set_at),
          }
        : null,
    role_rules: row.role_rules.map(({ claim, values, role }) => ({ claim, values: [...values], role })),
    default_role: row.default_role,
    jit: row.jit,
    enabled: row.enabled,
    sign_in_url: `${addresses.publicUrl()}/sso/${id}`,
    redirect_uri: redirectUriOf(addresses, row.id),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }
}

const fieldsOf = (wanted: SsoConnectionReplacement): ConnectionFields => ({
  name: wanted.name,
  enabled: wanted.enabled ?? true,
  jit: wanted.jit ?? false,
  roleRules: wanted.role_rules ?? [],
  defaultRole: wanted.default_role ?? null,
  settings: { issuer: wanted.oidc.issuer, client_id: wanted.oidc.client_id },
})

/** Tools of changes of connections, beside those of every change. */
export interface ConnectionTools {
  readonly addresses: Addresses
  readonly secrets: ConnectionSecrets
}

export async function createConnection(
  { addresses, secrets }: ConnectionTools,
  { tx, audit }: ChangeTools,
  orgId: string,
  input: SsoConnectionInput,
): Promise<SsoConnectionView> {
  await lockOrg(tx, orgId)
  if ((await countConnections(tx, orgId)) >= maxConnections)
    throw new ApiError('conflict', {}, { message: `An organization can have at most ${maxConnections} connections.` })
  const id = newUuid()
  const { client_secret = null } = input.oidc
  const sealed = client_secret === null ? null : secrets.sealSecret(orgId, id, client_secret)
  const after = connectionView(addresses, await insertConnection(tx, orgId, id, input.kind, fieldsOf(input), sealed))
  audit({ action: 'sso_connection.created', target: { kind: 'sso_connection', id: after.id }, after })
  return after
}

/** Changes a connection. Its secret stays unless another one, or none, is given: it cannot be read, so nobody could send it again. */
export async function replaceConnection(
  { addresses, secrets }: ConnectionTools,
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  id: string,
  wanted: DesiredState<SsoConnectionReplacement>,
): Promise<SsoConnectionView> {
  await lockOrg(tx, orgId)
  const found = await findConnection(tx, orgId, id)
  if (!found) throw new ApiError('not_found')
  const before = connectionView(addresses, found)
  replaces(before)
  const desired = wanted(before)
  const { client_secret: secret } = desired.oidc
  const sealed = typeof secret === 'string' ? secrets.sealSecret(orgId, id, secret) : secret
  const after = connectionView(addresses, await updateConnection(tx, orgId, id, fieldsOf(desired), sealed))
  audit({ action: 'sso_connection.changed', target: { kind: 'sso_connection', id: after.id }, before, after })
  return after
}

export async function removeConnection(
  { addresses }: ConnectionTools,
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  id: string,
) {
  await lockOrg(tx, orgId)
  const found = await findConnection(tx, orgId, id)
  if (!found) throw new ApiError('not_found')
  const before = connectionView(addresses, found)
  replaces(before)
  await deleteConnection(tx, orgId, id)
  audit({ action: 'sso_connection.deleted', target: { kind: 'sso_connection', id: before.id }, before })
}

/** Returns a connection as its provider knows it. */
export const oidcClientOf = (secrets: ConnectionSecrets, row: ConnectionRow): OidcClient => ({
  issuer: row.settings.issuer,
  clientId: row.settings.client_id,
  clientSecret: row.sealed_secret === null ? null : secrets.unsealSecret(row.org_id, row.id, row.sealed_secret),
})

/** Looks for the provider of a connection, and says what was found. */
export async function testConnection(outbound: Outbound, client: OidcClient): Promise<SsoConnectionTestView> {
  const found = await discoverProvider(outbound, client)
  const isFault = typeof found === 'string'
  const metadata = isFault ? undefined : found.configuration.serverMetadata()
  return {
    ok: !isFault,
    fault: isFault ? found : null,
    message: isFault ? discoveryFaults[found] : null,
    issuer: metadata?.issuer ?? null,
    authorization_endpoint: metadata?.authorization_endpoint ?? null,
    token_endpoint: metadata?.token_endpoint ?? null,
    jwks_uri: metadata?.jwks_uri ?? null,
    end_session_endpoint: metadata?.end_session_endpoint ?? null,
    signing_algorithms: metadata?.id_token_signing_alg_values_supported ?? [],
    names_itself_in_answers: metadata?.authorization_response_iss_parameter_supported === true,
  }
}
