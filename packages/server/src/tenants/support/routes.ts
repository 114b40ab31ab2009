import type { Change } from '../../access/changes/changes.ts'
import { orgExists } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import { type PageRequest, pageRequest, pageResponse } from '../../contract/lists.ts'
import { describeTag } from '../../contract/openapi.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { parseId, requireId } from '../../values/id.ts'
import { findGrant, findOrgGrant, type GrantFilter, listGrants } from './queries.ts'
import {
  AdminGrantListQuery,
  AdminGrantPath,
  GrantInput,
  GrantListQuery,
  GrantWithToken,
  OrgGrantPath,
  SupportGrant,
  SupportGrantList,
} from './schema.ts'
import { type EndTraces, endGrant, grantView, issueGrant } from './support.ts'

export function support(app: App, platform: Platform, change: Change, endTraces: EndTraces) {
  const { sql, clock } = platform
  const tags = ['support']
  describeTag(
    app,
    'support',
    'Support grants: temporary access of operators to an organization, recorded in its audit log.',
  )

  const listed = async (whose: GrantFilter, asked: PageRequest<'created_at'>) => {
    const rows = await sql.asOrgs(whose.orgId === undefined ? [] : [whose.orgId], (tx) => listGrants(tx, whose, asked))
    const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
    return { ...answer, data: answer.data.map((row) => grantView(row, clock.now())) }
  }

  app.post(
    '/v1/admin/support-grants',
    {
      config: { role: 'operator', scope: 'admin:write' },
      schema: {
        operationId: 'createSupportGrant',
        tags,
        summary: 'Issue a support grant',
        description:
          'A token that acts in one organization within one scope: `read` reads, `billing` limits and plans, `configuration` all but keys, support, the audit export, signing secrets, benchmark membership and whatever starts, ends or deletes runs. It expires no later than the key that issues it, and webhook subscriptions created under it end with it. The customer sees it and can revoke it.',
        body: GrantInput,
        response: { 201: GrantWithToken },
      },
    },
    async (request, reply) => {
      const orgId = parseId('org', request.body.org_id)
      if (orgId === undefined || !(await orgExists(sql, orgId))) throw new ApiError('not_found')
      return change(request, reply, { orgId, status: 201 }, (tools) =>
        issueGrant(platform, tools, request.caller, orgId, request.body),
      )
    },
  )

  app.get(
    '/v1/admin/support-grants',
    {
      config: { role: 'operator', scope: 'admin:read' },
      schema: {
        operationId: 'listSupportGrants',
        tags,
        summary: 'List support grants',
        description: 'The grants of all organizations, or of one with `org_id`.',
        querystring: AdminGrantListQuery,
        response: { 200: SupportGrantList },
      },
    },
    ({ query }) => {
      const orgId = query.org_id === undefined ? undefined : parseId('org', query.org_id)
      return listed({ orgId, isOperator: true, status: query.status }, pageRequest(query, 'created_at'))
    },
  )

  app.get(
    '/v1/admin/support-grants/:grant_id',
    {
      config: { role: 'operator', scope: 'admin:read', errors: ['not_found'] },
      schema: {
        operationId: 'getSupportGrant',
        tags,
        summary: 'Get a support grant',
        description: 'One grant, without its token.',
        params: AdminGrantPath,
        response: { 200: SupportGrant },
      },
    },
    async ({ params }) => {
      const row = await findGrant(sql, requireId('grant', params.grant_id))
      if (!row) throw new ApiError('not_found')
      return grantView(row, clock.now())
    },
  )

  app.post(
    '/v1/admin/support-grants/:grant_id/revoke',
    {
      config: { role: 'operator', scope: 'admin:write', errors: ['conflict', 'not_found'] },
      schema: {
        operationId: 'revokeSupportGrant',
        tags,
        summary: 'Revoke a support grant',
        description: 'The response is sent once no process accepts its token any more.',
        params: AdminGrantPath,
        response: { 200: SupportGrant },
      },
    },
    async (request, reply) => {
      const id = requireId('grant', request.params.grant_id)
      const orgId = (await findGrant(sql, id))?.org_id
      if (orgId === undefined) throw new ApiError('not_found')
      return change(request, reply, { orgId }, (tools) =>
        endGrant(platform, endTraces, tools, request.caller, orgId, id),
      )
    },
  )

  app.get(
    '/v1/orgs/:id/support-grants',
    {
      config: { role: 'admin', scope: 'support:read' },
      schema: {
        operationId: 'listOrgSupportGrants',
        tags,
        summary: 'List the support grants for your organization',
        description: 'The operators with access to your organization: who, why, with which scope and until when.',
        params: OrgPath,
        querystring: GrantListQuery,
        response: { 200: SupportGrantList },
      },
    },
    ({ caller, query }) =>
      listed({ orgId: caller.orgId, isOperator: false, status: query.status }, pageRequest(query, 'created_at')),
  )

  app.get(
    '/v1/orgs/:id/support-grants/:grant_id',
    {
      config: { role: 'admin', scope: 'support:read' },
      schema: {
        operationId: 'getOrgSupportGrant',
        tags,
        summary: 'Get a support grant for your organization',
        description: 'The operator, the reason, the scope and the expiry.',
        params: OrgGrantPath,
        response: { 200: SupportGrant },
      },
    },
    async ({ caller, params }) => {
      const { orgId } = caller
      const row = await sql.asOrgs([orgId], (tx) => findOrgGrant(tx, orgId, requireId('grant', params.grant_id)))
      if (!row) throw new ApiError('not_found')
      return grantView(row, clock.now())
    },
  )

  app.post(
    '/v1/orgs/:id/support-grants/:grant_id/revoke',
    {
      config: { role: 'admin', scope: 'support:write', errors: ['conflict'] },
      schema: {
        operationId: 'revokeOrgSupportGrant',
        tags,
        summary: 'Revoke a support grant for your organization',
        description: 'Ends the operator’s access at once.',
        params: OrgGrantPath,
        response: { 200: SupportGrant },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const id = requireId('grant', request.params.grant_id)
      return change(request, reply, { orgId }, (tools) =>
        endGrant(platform, endTraces, tools, request.caller, orgId, id),
      )
    },
  )
}
