import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { orgExists } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import { OrNotSet, replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { AdminOrgPath, OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import { readAtDatabaseTime } from '../ledger/ledger.ts'
import { deletePlan, getPlan, putPlan } from './plans.ts'
import { Plan, PlanInput } from './schema.ts'

export function plans(app: App, { sql }: Platform, change: Change) {
  const tags = ['limits']
  const adminPath = '/v1/admin/orgs/:org_id/plan'

  app.get(
    '/v1/orgs/:id/plan',
    {
      config: { role: 'viewer', scope: 'limits:read' },
      schema: {
        operationId: 'getPlan',
        tags,
        summary: 'Get the plan',
        description:
          'What the organization’s plan includes this month, and how much of it is used; null in every field without one.',
        params: OrgPath,
        response: { 200: OrNotSet(Plan) },
      },
    },
    ({ caller }) => readAtDatabaseTime(sql, caller.orgId, (tx, nowMs) => getPlan(tx, caller.orgId, nowMs)),
  )

  app.get(
    adminPath,
    {
      config: { role: 'operator', scope: 'admin:read' },
      schema: {
        operationId: 'getPlanAsOperator',
        tags,
        summary: 'Get the plan of an organization',
        description: 'As the organization reads it; null in every field without one.',
        params: AdminOrgPath,
        response: { 200: OrNotSet(Plan) },
      },
    },
    async ({ params }) => {
      const orgId = requireId('org', params.org_id)
      if (!(await orgExists(sql, orgId))) throw new ApiError('not_found')
      return readAtDatabaseTime(sql, orgId, (tx, nowMs) => getPlan(tx, orgId, nowMs))
    },
  )

  replaceable(
    app,
    adminPath,
    {
      config: { role: 'operator', scope: 'admin:write' },
      tags,
      name: 'Plan',
      put: {
        summary: 'Set the plan of an organization',
        description: 'Binds the next decision. What was used this month goes on counting.',
      },
      patch: {
        summary: 'Change the plan of an organization',
        description: 'Changes the fields that are given and no other; otherwise as setting it.',
      },
      params: AdminOrgPath,
      body: PlanInput,
      view: Plan,
    },
    (request, reply, wanted) => {
      const orgId = requireId('org', request.params.org_id)
      return change(request, reply, { orgId }, (tools) => putPlan(tools, orgId, wanted))
    },
  )

  app.delete(
    adminPath,
    {
      config: { role: 'operator', scope: 'admin:write' },
      schema: {
        operationId: 'deletePlan',
        tags,
        summary: 'Remove the plan of an organization',
        description: 'From the next decision on nothing is bounded by a plan.',
        params: AdminOrgPath,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    (request, reply) => {
      const orgId = requireId('org', request.params.org_id)
      return change(request, reply, { orgId, status: 204 }, (tools) => deletePlan(tools, orgId))
    },
  )
}
