import type { Change } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import { describeTag } from '../../contract/openapi.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import { requireCanGive } from '../members/members.ts'
import { getRoles, putRoles } from './directory-roles.ts'
import {
  DirectoryRoles,
  DirectoryRolesInput,
  ScimToken,
  ScimTokenInput,
  ScimTokenList,
  ScimTokenListQuery,
  ScimTokenPath,
  ScimTokenWithSecret,
} from './schema.ts'
import { findToken, listTokens } from './token-queries.ts'
import { endToken, makeToken, tokenView } from './tokens.ts'

/** Adds the routes of `/v1` with which an organization lets a directory in. */
export function directories(app: App, platform: Platform, change: Change) {
  const { sql } = platform
  const tags = ['directories']
  describeTag(app, 'directories', 'Directories that provision members by SCIM, and the roles that their groups give.')

  app.post(
    '/v1/orgs/:id/scim-tokens',
    {
      config: { role: 'owner', scope: 'sso:write', errors: ['conflict'] },
      schema: {
        operationId: 'createScimToken',
        tags,
        summary: 'Make a token for a directory',
        description:
          'With it a directory creates, changes and ends the members of the organization at `/scim/v2`, and can do nothing else. `secret` is shown in this response only.',
        params: OrgPath,
        body: ScimTokenInput,
        response: { 201: ScimTokenWithSecret },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      requireCanGive(request.caller, 'owner')
      return change(request, reply, { orgId, status: 201 }, (tools) =>
        makeToken(platform, tools, request.caller, request.body.name),
      )
    },
  )

  app.get(
    '/v1/orgs/:id/scim-tokens',
    {
      config: { role: 'admin', scope: 'sso:read' },
      schema: {
        operationId: 'listScimTokens',
        tags,
        summary: 'List the tokens of directories',
        description: 'Also those that were revoked in the last 90 days; never their secrets.',
        params: OrgPath,
        querystring: ScimTokenListQuery,
        response: { 200: ScimTokenList },
      },
    },
    async ({ caller, query }) => {
      const asked = pageRequest<'created_at'>(query, 'created_at')
      const rows = await sql.asOrgs([caller.orgId], (tx) => listTokens(tx, caller.orgId, asked, query.status))
      const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
      return { ...answer, data: answer.data.map(tokenView) }
    },
  )

  app.get(
    '/v1/orgs/:id/scim-tokens/:scim_token_id',
    {
      config: { role: 'admin', scope: 'sso:read' },
      schema: {
        operationId: 'getScimToken',
        tags,
        summary: 'Get a token of a directory',
        description: 'One token, without its secret.',
        params: ScimTokenPath,
        response: { 200: ScimToken },
      },
    },
    async ({ caller, params }) => {
      const { orgId } = caller
      const row = await sql.asOrgs([orgId], (tx) => findToken(tx, orgId, requireId('scimToken', params.scim_token_id)))
      if (!row) throw new ApiError('not_found')
      return tokenView(row)
    },
  )

  app.post(
    '/v1/orgs/:id/scim-tokens/:scim_token_id/revoke',
    {
      config: { role: 'owner', scope: 'sso:write' },
      schema: {
        operationId: 'revokeScimToken',
        tags,
        summary: 'Revoke a token of a directory',
        description: 'Its next request is refused. The members whom the directory has provisioned stay.',
        params: ScimTokenPath,
        response: { 200: ScimToken },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const id = requireId('scimToken', request.params.scim_token_id)
      return change(request, reply, { orgId }, (tools) => endToken(tools, orgId, id))
    },
  )

  app.get(
    '/v1/orgs/:id/directory-roles',
    {
      config: { role: 'admin', scope: 'sso:read' },
      schema: {
        operationId: 'getDirectoryRoles',
        tags,
        summary: 'Get the roles that groups give',
        description: 'The rules by which members whom a directory provisions get their role.',
        params: OrgPath,
        response: { 200: DirectoryRoles },
      },
    },
    ({ caller }) => sql.asOrgs([caller.orgId], (tx) => getRoles(tx, caller.orgId)),
  )

  replaceable(
    app,
    '/v1/orgs/:id/directory-roles',
    {
      config: { role: 'owner', scope: 'sso:write', errors: ['conflict'] },
      tags,
      name: 'DirectoryRoles',
      put: {
        summary: 'Set the roles that groups give',
        description:
          'Gives every member whom a directory provisions the role of the first rule whose group they are in, or the default role; now, and whenever their groups change. A changed role binds their next request on every process. Without rules roles stay as they are, and the last owner stays one. Only an owner sets rules, so a directory makes owners only where an owner has said so. More than 5,000 changed roles are 409 `conflict`.',
      },
      patch: {
        summary: 'Change the roles that groups give',
        description: 'Changes the fields that are given and no other; otherwise as setting them.',
      },
      params: OrgPath,
      body: DirectoryRolesInput,
      view: DirectoryRoles,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      requireCanGive(request.caller, 'owner')
      return change(request, reply, { orgId }, (tools) => putRoles(platform, tools, orgId, wanted))
    },
  )
}
