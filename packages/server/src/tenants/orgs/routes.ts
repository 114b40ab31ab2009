import type { Change } from '../../access/changes/changes.ts'
import { AddressListInput, normalizeAddressList, tenantScopes } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import { describeTag } from '../../contract/openapi.ts'
import { readOncePerPage } from '../../contract/page-reads.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { AdminOrgPath, OrgPath } from '../../contract/wire.ts'
import { insertLedger } from '../../money/ledger/ledger.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { newUuid, requireId } from '../../values/id.ts'
import { mint } from '../keys/keys.ts'
import { changeOrg, orgView } from './orgs.ts'
import { findOrg, insertOrg, listOrgs } from './queries.ts'
import { residencyRoutes } from './residency-routes.ts'
import {
  CreatedOrg,
  IpAllowList,
  Org,
  OrgInput,
  OrgList,
  OrgListQuery,
  OrgReplacement,
  type OrgView,
  SuspendInput,
} from './schema.ts'

export function orgs(app: App, platform: Platform, change: Change) {
  const { sql, config } = platform
  const tags = ['orgs']
  describeTag(app, 'orgs', 'Organizations: the tenants.')

  async function found(orgId: string): Promise<OrgView> {
    const row = await sql.asOrgs([orgId], (tx) => readOncePerPage(`organization ${orgId}`, () => findOrg(tx, orgId)))
    if (!row) throw new ApiError('not_found')
    return orgView(row)
  }

  app.post(
    '/v1/admin/orgs',
    {
      config: { role: 'operator', scope: 'admin:write' },
      schema: {
        operationId: 'createOrg',
        tags,
        summary: 'Create an organization',
        description:
          'Creates a tenant and its first key, an owner’s key with every scope; `owner_key.secret` is shown in this response only.',
        body: OrgInput,
        response: { 201: CreatedOrg },
      },
    },
    (request, reply) => {
      const orgId = newUuid()
      return change(request, reply, { orgId, status: 201 }, async ({ tx, audit }) => {
        const org = orgView(await insertOrg(tx, orgId, request.body.name, config.region ?? null))
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
      const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
      return { ...answer, data: answer.data.map(orgView) }
    },
  )

  app.get(
    '/v1/admin/orgs/:org_id',
    {
      config: { role: 'operator', scope: 'admin:read' },
      schema: {
        operationId: 'getOrgAsOperator',
        tags,
        summary: 'Get an organization',
        description: 'One tenant, with the time and reason of its suspension.',
        params: AdminOrgPath,
        response: { 200: Org },
      },
    },
    ({ params }) => found(requireId('org', params.org_id)),
  )

  app.get(
    '/v1/orgs/:id',
    {
      config: { role: 'viewer', scope: 'orgs:read', pinned: 'unaffected' },
      schema: {
        operationId: 'getOrg',
        tags,
        summary: 'Get the organization',
        description: 'Your own organization.',
        params: OrgPath,
        response: { 200: Org },
      },
    },
    ({ caller }) => found(caller.orgId),
  )

  replaceable(
    app,
    '/v1/orgs/:id',
    {
      config: { role: 'admin', scope: 'orgs:write' },
      tags,
      name: 'Org',
      put: {
        summary: 'Replace the organization’s settings',
        description: 'Omitted fields return to their default; the time zone is required.',
      },
      patch: {
        summary: 'Change the organization',
        description: 'Changes only the given fields.',
      },
      params: OrgPath,
      body: OrgReplacement,
      view: Org,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      const fields = (before: OrgView) => ({
        required_dimensions: [],
        max_new_values_per_day: null,
        ...wanted(before),
      })
      return change(request, reply, { orgId }, (tools) => changeOrg(tools, orgId, 'org.updated', fields))
    },
  )

  app.get(
    '/v1/orgs/:id/ip-allow-list',
    {
      config: { role: 'admin', scope: 'orgs:read' },
      schema: {
        operationId: 'getIpAllowList',
        tags,
        summary: 'Get the IP allow-list',
        description: 'The addresses and networks from which the organization’s keys are accepted.',
        params: OrgPath,
        response: { 200: IpAllowList },
      },
    },
    async ({ caller }) => ({ ip_allow_list: (await found(caller.orgId)).ip_allow_list }),
  )

  replaceable(
    app,
    '/v1/orgs/:id/ip-allow-list',
    {
      config: { role: 'admin', scope: 'orgs:write' },
      tags,
      name: 'IpAllowList',
      put: {
        summary: 'Set the IP allow-list',
        description:
          'Replaces the list, in canonical form and each range once. It applies to the keys’ next request on every process; an empty list admits every address. A list without your own address is refused unless `force` is true. Support grants are subject to the operators’ list instead.',
      },
      patch: {
        summary: 'Change the IP allow-list',
        description: 'The list is one field: same as setting it.',
      },
      params: OrgPath,
      body: AddressListInput,
      view: Org,
    },
    (request, reply, wanted) => {
      const { orgId, kind } = request.caller
      const author = kind !== 'support' ? { address: request.clientAddress } : undefined
      const fields = (before: OrgView) => {
        const { ip_allow_list, force } = wanted(before)
        return { ip_allow_list: normalizeAddressList(ip_allow_list, author, force === true) }
      }
      return change(request, reply, { orgId }, (tools) => changeOrg(tools, orgId, 'org.ip_allow_list_changed', fields))
    },
  )

  residencyRoutes(app, platform, change, found)

  app.post(
    '/v1/admin/orgs/:org_id/ip-allow-list/reset',
    {
      config: { role: 'operator', scope: 'admin:write' },
      schema: {
        operationId: 'resetIpAllowList',
        tags,
        summary: 'Reset an IP allow-list',
        description:
          'Recovers an organization that has locked itself out: its keys are accepted from every address again. Recorded in the organization’s audit log with the operator’s name.',
        params: AdminOrgPath,
        response: { 200: Org },
      },
    },
    (request, reply) => {
      const orgId = requireId('org', request.params.org_id)
      return change(request, reply, { orgId }, (tools) =>
        changeOrg(tools, orgId, 'org.ip_allow_list_reset', { ip_allow_list: [] }),
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
        const orgId = requireId('org', request.params.org_id)
        const fields = { status, status_reason: request.body.reason ?? null }
        return change(request, reply, { orgId }, (tools) => changeOrg(tools, orgId, action, fields))
      },
    )
  }
}
