import type { Change } from '../changes/changes.ts'
import { ApiError } from '../contract/errors.ts'
import { page, pageRequest } from '../contract/lists.ts'
import { describeTag } from '../contract/openapi.ts'
import type { App } from '../contract/routes.ts'
import { AdminOrgPath, OrgPath } from '../contract/wire.ts'
import { tenantScopes } from '../identity/identity.ts'
import type { Platform } from '../infra/platform.ts'
import { mint } from '../keys/keys.ts'
import { insertLedger } from '../ledger/ledger.ts'
import { newUuid, parseId } from '../values/id.ts'
import { changeOrg, orgView } from './orgs.ts'
import { findOrg, insertOrg, listOrgs } from './queries.ts'
import { CreatedOrg, IpAllowListInput, Org, OrgInput, OrgList, OrgListQuery, OrgPatch, SuspendInput } from './schema.ts'

export function orgs(app: App, platform: Platform, change: Change) {
  const { sql } = platform
  const tags = ['orgs']
  describeTag(app, 'orgs', 'Organizations: the tenants.')

  app.post(
    '/v1/admin/orgs',
    {
      config: { role: 'operator', scope: 'admin:write' },
      schema: {
        operationId: 'createOrg',
        tags,
        summary: 'Create an organization',
        description:
          'Creates a tenant and its first key, an owner’s with every scope; `owner_key.secret` is shown in this answer only.',
        body: OrgInput,
        response: { 201: CreatedOrg },
      },
    },
    (request, reply) => {
      const orgId = newUuid()
      return change(request, reply, { orgId, status: 201 }, async ({ tx, audit }) => {
        const org = orgView(await insertOrg(tx, orgId, request.body.name))
        await insertLedger(tx, orgId)
        const { view, secret } = await mint(platform, tx, orgId, {
          name: 'First owner',
          role: 'owner',
          scopes: tenantScopes,
        })
        audit({ action: 'org.created', target: { kind: 'org', id: org.id }, after: org })
        audit({ action: 'key.created', target: { kind: 'key', id: view.id }, after: view })
        return { ...org, owner_key: { ...view, secret } }
      })
    },
  )

  app.get(
    '/v1/admin/orgs',
    {
      config: { role: 'operator', scope: 'admin:read' },
      schema: {
        operationId: 'listOrgs',
        tags,
        summary: 'List organizations',
        description: 'All tenants of this installation.',
        querystring: OrgListQuery,
        response: { 200: OrgList },
      },
    },
    async ({ query }) => {
      const asked = pageRequest(query, 'created_at')
      const rows = await sql.asOrgs([], (tx) => listOrgs(tx, asked, query))
      const answer = page(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
      return { ...answer, data: answer.data.map(orgView) }
    },
  )

  app.get(
    '/v1/orgs/:id',
    {
      config: { role: 'viewer', scope: 'orgs:read' },
      schema: {
        operationId: 'getOrg',
        tags,
        summary: 'Get the organization',
        description: 'Your own organization.',
        params: OrgPath,
        response: { 200: Org },
      },
    },
    async ({ principal }) => {
      const row = await sql.asOrgs([principal!.orgId], (tx) => findOrg(tx, principal!.orgId))
      if (!row) throw new ApiError('not_found')
      return orgView(row)
    },
  )

  app.patch(
    '/v1/orgs/:id',
    {
      config: { role: 'admin', scope: 'orgs:write' },
      schema: {
        operationId: 'updateOrg',
        tags,
        summary: 'Change the organization',
        description: 'Changes the fields that are given and no other.',
        params: OrgPath,
        body: OrgPatch,
        response: { 200: Org },
      },
    },
    (request, reply) => {
      const { orgId } = request.principal!
      return change(request, reply, { orgId }, (tools) => changeOrg(tools, orgId, 'org.updated', request.body))
    },
  )

  app.put(
    '/v1/orgs/:id/ip-allow-list',
    {
      config: { role: 'admin', scope: 'orgs:write' },
      schema: {
        operationId: 'putIpAllowList',
        tags,
        summary: 'Set the IP allow-list',
        description:
          'Replaces the list. It binds the next request on every process; an empty list admits every address.',
        params: OrgPath,
        body: IpAllowListInput,
        response: { 200: Org },
      },
    },
    (request, reply) => {
      const { orgId } = request.principal!
      return change(request, reply, { orgId }, (tools) =>
        changeOrg(tools, orgId, 'org.ip_allow_list_changed', request.body),
      )
    },
  )

  const suspension = [
    [
      'suspend',
      'suspended',
      'org.suspended',
      'Suspend an organization',
      'Its keys are refused with `org_suspended` from the next request on, on every process.',
    ],
    ['resume', 'active', 'org.resumed', 'Resume an organization', 'Its keys work again.'],
  ] as const
  for (const [verb, status, action, summary, description] of suspension) {
    app.post(
      `/v1/admin/orgs/:org_id/${verb}`,
      {
        config: { role: 'operator', scope: 'admin:write' },
        schema: {
          operationId: `${verb}Org`,
          tags,
          summary,
          description,
          params: AdminOrgPath,
          body: SuspendInput,
          response: { 200: Org },
        },
      },
      (request, reply) => {
        const orgId = parseId('org', request.params.org_id)!
        const fields = { status, status_reason: request.body.reason ?? null }
        return change(request, reply, { orgId }, (tools) => changeOrg(tools, orgId, action, fields))
      },
    )
  }
}
