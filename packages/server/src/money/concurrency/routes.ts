import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { isWithinPins } from '../../access/identity/identity.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import { pinnedBudgets as pinnedScopes, scopeOf, soughtScopeIds } from '../budgets/budgets.ts'
import { listLimits, readAtDatabaseTime } from '../ledger/ledger.ts'
import {
  concurrencyKind,
  concurrencyLimitViews,
  createConcurrencyLimit,
  deleteConcurrencyLimit,
  getConcurrencyLimit,
  replaceConcurrencyLimit,
} from './concurrency.ts'
import { concurrencyDefaults } from './default-routes.ts'
import {
  ConcurrencyLimit,
  ConcurrencyLimitInput,
  ConcurrencyLimitList,
  ConcurrencyLimitListQuery,
  ConcurrencyLimitPath,
  ConcurrencyLimitReplacement,
} from './schema.ts'

export function concurrencyLimits(app: App, platform: Platform, change: Change) {
  const { sql } = platform
  const tags = ['limits']
  const reading = { role: 'viewer', scope: 'limits:read', pinned: 'filtered' } as const
  const path = '/v1/orgs/:id/concurrency-limits/:concurrency_limit_id'

  app.post(
    '/v1/orgs/:id/concurrency-limits',
    {
      config: { role: 'admin', scope: 'limits:write', errors: ['conflict'] },
      schema: {
        operationId: 'createConcurrencyLimit',
        tags,
        summary: 'Create a concurrency limit',
        description:
          'Limits how many runs the organization has at once, or a part of it: a workflow, deployment, department, customer, user or key, or what runs on one provider or model or has a tag. It counts runs that start from now on. A scope has at most one.',
        params: OrgPath,
        body: ConcurrencyLimitInput,
        response: { 201: ConcurrencyLimit },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId, status: 201 }, (tools) =>
        createConcurrencyLimit(tools, orgId, request.body),
      )
    },
  )

  app.get(
    '/v1/orgs/:id/concurrency-limits',
    {
      config: reading,
      schema: {
        operationId: 'listConcurrencyLimits',
        tags,
        summary: 'List concurrency limits',
        description: 'The concurrency limits in force, each with the runs that it counts now.',
        params: OrgPath,
        querystring: ConcurrencyLimitListQuery,
        response: { 200: ConcurrencyLimitList },
      },
    },
    ({ caller, query }) => {
      const { orgId } = caller
      const asked = pageRequest(query, 'created_at')
      const filters = pinnedScopes(query, caller)
      if (!filters) return { data: [], next_cursor: null }
      return readAtDatabaseTime(sql, orgId, async (tx, nowMs) => {
        const scope_ids = await soughtScopeIds(tx, orgId, filters)
        const rows = await listLimits(tx, orgId, concurrencyKind.kind, asked, { ...filters, scope_ids })
        const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
        return { ...answer, data: await concurrencyLimitViews(tx, orgId, nowMs, answer.data) }
      })
    },
  )

  app.get(
    path,
    {
      config: reading,
      schema: {
        operationId: 'getConcurrencyLimit',
        tags,
        summary: 'Get a concurrency limit',
        description: 'One concurrency limit, with the runs that it counts now.',
        params: ConcurrencyLimitPath,
        response: { 200: ConcurrencyLimit },
      },
    },
    ({ caller, params }) => {
      const { orgId, pins } = caller
      const id = requireId('concurrencyLimit', params.concurrency_limit_id)
      return readAtDatabaseTime(sql, orgId, async (tx, nowMs) => {
        const limit = await getConcurrencyLimit(tx, orgId, nowMs, id)
        return limit && isWithinPins(pins, scopeOf(limit)) ? limit : undefined
      })
    },
  )

  replaceable(
    app,
    path,
    {
      config: { role: 'admin', scope: 'limits:write' },
      tags,
      name: 'ConcurrencyLimit',
      put: {
        summary: 'Replace a concurrency limit',
        description:
          'Runs that go on are counted as before; a lowered limit stops none of them. Its scope cannot be changed.',
      },
      patch: {
        summary: 'Change a concurrency limit',
        description: 'Changes the fields that are given and no other; otherwise as replacing it.',
      },
      params: ConcurrencyLimitPath,
      body: ConcurrencyLimitReplacement,
      view: ConcurrencyLimit,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      const id = requireId('concurrencyLimit', request.params.concurrency_limit_id)
      return change(request, reply, { orgId }, (tools) => replaceConcurrencyLimit(tools, orgId, id, wanted))
    },
  )

  app.delete(
    path,
    {
      config: { role: 'admin', scope: 'limits:write' },
      schema: {
        operationId: 'deleteConcurrencyLimit',
        tags,
        summary: 'Delete a concurrency limit',
        description: 'It refuses no further run.',
        params: ConcurrencyLimitPath,
        response: { 204: Type.Null({ description: 'Deleted.' }) },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const id = requireId('concurrencyLimit', request.params.concurrency_limit_id)
      return change(request, reply, { orgId, status: 204 }, (tools) => deleteConcurrencyLimit(tools, orgId, id))
    },
  )

  concurrencyDefaults(app, platform, change)
}
