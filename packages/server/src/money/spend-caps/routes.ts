import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { OrNotSet, replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { readAtDatabaseTime } from '../ledger/ledger.ts'
import { SpendCap, SpendCapInput } from './schema.ts'
import { deleteSpendCap, getSpendCap, putSpendCap } from './spend-caps.ts'

export function spendCaps(app: App, { sql }: Platform, change: Change) {
  const tags = ['limits']

  app.get(
    '/v1/orgs/:id/spend-cap',
    {
      config: { role: 'viewer', scope: 'limits:read' },
      schema: {
        operationId: 'getSpendCap',
        tags,
        summary: 'Get the daily spend cap',
        description: 'The cap and how much of it is used today; null in every field where there is none.',
        params: OrgPath,
        response: { 200: OrNotSet(SpendCap) },
      },
    },
    ({ caller }) => readAtDatabaseTime(sql, caller.orgId, (tx, nowMs) => getSpendCap(tx, caller.orgId, nowMs)),
  )

  replaceable(
    app,
    '/v1/orgs/:id/spend-cap',
    {
      config: { role: 'admin', scope: 'limits:write' },
      tags,
      name: 'SpendCap',
      put: {
        summary: 'Set the daily spend cap',
        description:
          'Binds the next decision on every process. What was spent today goes on counting; another time zone begins where the running day ends. A time zone that is set must be named again.',
      },
      patch: {
        summary: 'Change the daily spend cap',
        description: 'Changes the fields that are given and no other; otherwise as setting it.',
      },
      params: OrgPath,
      body: SpendCapInput,
      view: SpendCap,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      const keepsNext = request.takenBack.has('next_schedule')
      return change(request, reply, { orgId }, (tools) => putSpendCap(tools, orgId, wanted, keepsNext))
    },
  )

  app.delete(
    '/v1/orgs/:id/spend-cap',
    {
      config: { role: 'admin', scope: 'limits:write' },
      schema: {
        operationId: 'deleteSpendCap',
        tags,
        summary: 'Remove the daily spend cap',
        description: 'From the next decision on nothing is capped by the day.',
        params: OrgPath,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId, status: 204 }, (tools) => deleteSpendCap(tools, orgId))
    },
  )
}
