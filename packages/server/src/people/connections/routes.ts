import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { ApiError, validationFailed } from '../../contract/errors.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import { describeTag } from '../../contract/openapi.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import { requireCanGive } from '../members/members.ts'
import {
  connectionView,
  createConnection,
  createConnectionSecrets,
  findConnection,
  listConnections,
  openProviderOutbound,
  type Providers,
  removeConnection,
  replaceConnection,
  testConnection,
} from './connections.ts'
import { readSamlInput } from './saml-settings.ts'
import {
  type SamlInput,
  SsoConnection,
  SsoConnectionInput,
  SsoConnectionList,
  SsoConnectionListQuery,
  SsoConnectionPath,
  SsoConnectionReplacement,
  SsoConnectionTest,
} from './schema.ts'

export function ssoConnections(app: App, platform: Platform, change: Change, providers: Providers) {
  const { sql, clock, config, addresses } = platform
  const tags = ['single sign-on']
  const reading = { role: 'admin', scope: 'sso:read', pinned: 'unaffected' } as const
  const writing = { role: 'owner', scope: 'sso:write' } as const
  const tools = { clock, addresses, secrets: createConnectionSecrets(config) }
  const outbound = openProviderOutbound(config)
  app.addHook('onClose', outbound.close)
  describeTag(app, 'single sign-on', 'Connections to identity providers, and the domains of an organization.')

  /** Refuses an issuer that must not be asked. It resolves host names, which takes time, so it is never called within a transaction. */
  async function requireAllowed(issuer: string | undefined) {
    const fault = issuer === undefined ? undefined : await outbound.check(issuer)
    if (fault) throw validationFailed([{ field: 'oidc.issuer', ...fault }])
  }

  /** Reads settings of SAML, which may take a look at the provider, so it is never called within a transaction. */
  async function readSaml(input: SamlInput | null | undefined) {
    if (input == null) return undefined
    const read = await readSamlInput(addresses, outbound, input)
    if ('message' in read) throw validationFailed([read])
    return read
  }

  async function rowOf(orgId: string, connectionId: string) {
    const id = requireId('connection', connectionId)
    const row = await sql.asOrgs([orgId], (tx) => findConnection(tx, orgId, id))
    if (!row) throw new ApiError('not_found')
    return row
  }

  app.post(
    '/v1/orgs/:id/sso-connections',
    {
      config: { ...writing, errors: ['conflict'] },
      schema: {
        operationId: 'createSsoConnection',
        tags,
        summary: 'Create a connection',
        description:
          'People of the organization sign in by it from now on. Enter its `redirect_uri` at an OpenID provider, or what `service_provider` says at a SAML provider.',
        params: OrgPath,
        body: SsoConnectionInput,
        response: { 201: SsoConnection },
      },
    },
    async (request, reply) => {
      const { orgId } = request.caller
      requireCanGive(request.caller, 'owner')
      await requireAllowed(request.body.oidc?.issuer)
      const settings = await readSaml(request.body.saml)
      return change(request, reply, { orgId, status: 201 }, (changes) =>
        createConnection(tools, changes, orgId, { ...request.body, settings }),
      )
    },
  )

  app.get(
    '/v1/orgs/:id/sso-connections',
    {
      config: reading,
      schema: {
        operationId: 'listSsoConnections',
        tags,
        summary: 'List connections',
        description: 'The connections of the organization, without their secrets.',
        params: OrgPath,
        querystring: SsoConnectionListQuery,
        response: { 200: SsoConnectionList },
      },
    },
    async ({ caller, query }) => {
      const { orgId } = caller
      const asked = pageRequest(query, 'created_at')
      const rows = await sql.asOrgs([orgId], (tx) => listConnections(tx, orgId, asked, query))
      const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
      return { ...answer, data: answer.data.map((row) => connectionView(addresses, row)) }
    },
  )

  app.get(
    '/v1/orgs/:id/sso-connections/:connection_id',
    {
      config: reading,
      schema: {
        operationId: 'getSsoConnection',
        tags,
        summary: 'Get a connection',
        description: 'Returns one connection, without its secret.',
        params: SsoConnectionPath,
        response: { 200: SsoConnection },
      },
    },
    async ({ caller, params }) => connectionView(addresses, await rowOf(caller.orgId, params.connection_id)),
  )

  replaceable(
    app,
    '/v1/orgs/:id/sso-connections/:connection_id',
    {
      config: writing,
      tags,
      name: 'SsoConnection',
      put: {
        summary: 'Replace a connection',
        description:
          'Fields that are left out return to their defaults, but the client secret stays. Binds the next sign-in. Turning it off ends the sessions that were opened through it, on every process.',
      },
      patch: {
        summary: 'Change a connection',
        description: 'Changes the fields that are given and no other; otherwise as replacing it.',
      },
      params: SsoConnectionPath,
      body: SsoConnectionReplacement,
      view: SsoConnection,
    },
    async (request, reply, wanted) => {
      const { orgId } = request.caller
      const id = requireId('connection', request.params.connection_id)
      const given = request.body as Partial<SsoConnectionReplacement>
      requireCanGive(request.caller, 'owner')
      await requireAllowed(given.oidc?.issuer)
      const settings = await readSaml(given.saml)
      return change(request, reply, { orgId }, (changes) =>
        replaceConnection(tools, changes, orgId, id, (standing) => ({ ...wanted(standing), settings })),
      )
    },
  )

  app.delete(
    '/v1/orgs/:id/sso-connections/:connection_id',
    {
      config: writing,
      schema: {
        operationId: 'deleteSsoConnection',
        tags,
        summary: 'Delete a connection',
        description:
          'Nobody signs in by it any more, and the sessions that were opened through it end, on every process. Members stay members.',
        params: SsoConnectionPath,
        response: { 204: Type.Null({ description: 'Deleted.' }) },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const id = requireId('connection', request.params.connection_id)
      return change(request, reply, { orgId, status: 204 }, (changes) => removeConnection(tools, changes, orgId, id))
    },
  )

  app.post(
    '/v1/orgs/:id/sso-connections/:connection_id/test',
    {
      config: { ...writing, ignoresIdempotencyKey: true },
      schema: {
        operationId: 'testSsoConnection',
        tags,
        summary: 'Test a connection',
        description:
          'Reads the discovery document of an OpenID provider, or the metadata of a SAML provider where its address is known, and says what it found. Nothing is changed.',
        params: SsoConnectionPath,
        response: { 200: SsoConnectionTest },
      },
    },
    async ({ caller, params }) =>
      testConnection({ addresses, outbound, providers }, await rowOf(caller.orgId, params.connection_id)),
  )
}
