import type { Static } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import type { App } from '../../contract/routes.ts'
import { AdminOrgPath, OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import { listPacks } from '../credits/credits.ts'
import { ledgerExists, readAtDatabaseTime } from '../ledger/ledger.ts'
import { getQuota, getTopUp, organizationOwner, topUp, topUpViews } from './quota.ts'
import { AdminTopUpPath, Quota, TopUp, TopUpInput, TopUpList, TopUpListQuery, TopUpPath } from './schema.ts'

export function quota(app: App, { sql }: Platform, change: Change) {
  const tags = ['limits']

  app.get(
    '/v1/orgs/:id/quota',
    {
      config: { role: 'viewer', scope: 'limits:read' },
      schema: {
        operationId: 'getQuota',
        tags,
        summary: 'Get the prepaid quota',
        description: 'What the organization has prepaid, over all its top-ups, and how much of it is used.',
        params: OrgPath,
        response: { 200: Quota },
      },
    },
    ({ caller }) => readAtDatabaseTime(sql, caller.orgId, (tx) => getQuota(tx, caller.orgId)),
  )

  app.post(
    '/v1/admin/orgs/:org_id/quota/top-ups',
    {
      config: { role: 'operator', scope: 'admin:write', errors: ['conflict'] },
      schema: {
        operationId: 'createTopUp',
        tags,
        summary: 'Top up the quota of an organization',
        description: 'With its first top-up an organization is limited to what it has prepaid.',
        params: AdminOrgPath,
        body: TopUpInput,
        response: { 201: TopUp },
      },
    },
    (request, reply) => {
      const orgId = requireId('org', request.params.org_id)
      return change(request, reply, { orgId, status: 201 }, (tools) => topUp(tools, orgId, request.body))
    },
  )

  async function listed(orgId: string, query: Static<typeof TopUpListQuery>) {
    const asked = pageRequest(query, 'created_at')
    return readAtDatabaseTime(sql, orgId, async (tx) => {
      if (!(await ledgerExists(tx, orgId))) return undefined
      const rows = await listPacks(tx, orgId, asked, { owner: organizationOwner })
      const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
      return { ...answer, data: await topUpViews(tx, orgId, answer.data) }
    })
  }

  const found = (orgId: string, id: string) =>
    readAtDatabaseTime(sql, orgId, (tx) => getTopUp(tx, orgId, requireId('topUp', id)))

  app.get(
    '/v1/admin/orgs/:org_id/quota/top-ups',
    {
      config: { role: 'operator', scope: 'admin:read' },
      schema: {
        operationId: 'listTopUps',
        tags,
        summary: 'List the top-ups of an organization',
        description: 'All of them, used up ones too.',
        params: AdminOrgPath,
        querystring: TopUpListQuery,
        response: { 200: TopUpList },
      },
    },
    ({ params, query }) => listed(requireId('org', params.org_id), query),
  )

  app.get(
    '/v1/admin/orgs/:org_id/quota/top-ups/:top_up_id',
    {
      config: { role: 'operator', scope: 'admin:read' },
      schema: {
        operationId: 'getTopUp',
        tags,
        summary: 'Get a top-up of an organization',
        description: 'One top-up, with how much of it is used.',
        params: AdminTopUpPath,
        response: { 200: TopUp },
      },
    },
    ({ params }) => found(requireId('org', params.org_id), params.top_up_id),
  )

  app.get(
    '/v1/orgs/:id/quota/top-ups',
    {
      config: { role: 'viewer', scope: 'limits:read' },
      schema: {
        operationId: 'listOwnTopUps',
        tags,
        summary: 'List what was prepaid',
        description: 'The top-ups of your organization, used up ones too.',
        params: OrgPath,
        querystring: TopUpListQuery,
        response: { 200: TopUpList },
      },
    },
    ({ caller, query }) => listed(caller.orgId, query),
  )

  app.get(
    '/v1/orgs/:id/quota/top-ups/:top_up_id',
    {
      config: { role: 'viewer', scope: 'limits:read' },
      schema: {
        operationId: 'getOwnTopUp',
        tags,
        summary: 'Get a top-up',
        description: 'One top-up of your organization, with how much of it is used.',
        params: TopUpPath,
        response: { 200: TopUp },
      },
    },
    ({ caller, params }) => found(caller.orgId, params.top_up_id),
  )
}
