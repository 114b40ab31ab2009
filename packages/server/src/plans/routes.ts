import type { Change } from '../changes/changes.ts'
import type { App } from '../contract/routes.ts'
import { AdminOrgPath, OrgPath } from '../contract/wire.ts'
import type { Platform } from '../infra/platform.ts'
import { readNow } from '../ledger/ledger.ts'
import { parseId } from '../values/id.ts'
import { getPlan, putPlan } from './plans.ts'
import { Plan, PlanInput } from './schema.ts'

export function plans(app: App, { sql }: Platform, change: Change) {
  const tags = ['limits']

  app.get(
    '/v1/orgs/:id/plan',
    {
      config: { role: 'viewer', scope: 'limits:read' },
      schema: {
        operationId: 'getPlan',
        tags,
        summary: 'Get the plan',
        description: 'What the organization’s plan includes this month, and how much of it is used; 404 without one.',
        params: OrgPath,
        response: { 200: Plan },
      },
    },
    ({ principal }) => readNow(sql, principal!.orgId, (tx, nowMs) => getPlan(tx, principal!.orgId, nowMs)),
  )

  app.put(
    '/v1/admin/orgs/:org_id/plan',
    {
      config: { role: 'operator', scope: 'admin:write' },
      schema: {
        operationId: 'putPlan',
        tags,
        summary: 'Set the plan of an organization',
        description: 'Binds the next decision. What was used this month goes on counting.',
        params: AdminOrgPath,
        body: PlanInput,
        response: { 200: Plan },
      },
    },
    (request, reply) => {
      const orgId = parseId('org', request.params.org_id)!
      return change(request, reply, { orgId }, (tools) => putPlan(tools, orgId, request.body))
    },
  )
}
