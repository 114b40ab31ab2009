import type { Change } from '../changes/changes.ts'
import { page, pageRequest } from '../contract/lists.ts'
import type { App } from '../contract/routes.ts'
import { AdminOrgPath, OrgPath } from '../contract/wire.ts'
import { listPacks } from '../credits/credits.ts'
import type { Platform } from '../infra/platform.ts'
import { ledgerExists, readNow } from '../ledger/ledger.ts'
import { parseId } from '../values/id.ts'
import { getQuota, organization, topUp, topUpViews } from './quota.ts'
import { Quota, TopUp, TopUpInput, TopUpList, TopUpListQuery } from './schema.ts'

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
    ({ principal }) => readNow(sql, principal!.orgId, (tx) => getQuota(tx, principal!.orgId)),
  )

  app.post(
    '/v1/admin/orgs/:org_id/quota/top-ups',
    {
      config: { role: 'operator', scope: 'admin:write' },
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
      const orgId = parseId('org', request.params.org_id)!
      return change(request, reply, { orgId, status: 201 }, (tools) => topUp(tools, orgId, request.body))
    },
  )

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
    ({ params, query }) => {
      const orgId = parseId('org', params.org_id)!
      const asked = pageRequest(query, 'created_at')
      return readNow(sql, orgId, async (tx) => {
        if (!(await ledgerExists(tx, orgId))) return undefined
        const rows = await listPacks(tx, orgId, organization, asked)
        const answer = page(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
        return { ...answer, data: await topUpViews(tx, orgId, answer.data) }
      })
    },
  )
}
