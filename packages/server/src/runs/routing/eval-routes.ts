import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import { findResult, listResults } from './eval-queries.ts'
import { EvalList, EvalListQuery, EvalPath, EvalResult, EvalsInput, PostedEvals } from './eval-schema.ts'
import { evalView, postResults, removeResult } from './evals.ts'

export function evalRoutes(app: App, { sql, clock }: Platform, change: Change) {
  const tags = ['routing']
  const reading = { role: 'viewer', scope: 'routing:read' } as const

  app.post(
    '/v1/orgs/:id/evals',
    {
      config: { role: 'service', scope: 'routing:write' },
      schema: {
        operationId: 'postEvals',
        tags,
        summary: 'Post eval results',
        description:
          'Stores up to 500 results of models in suites, all or none. They apply from the next decision on, in every process. For each suite and model, the result with the latest `measured_at` counts, whether better or worse.',
        params: OrgPath,
        body: EvalsInput,
        response: { 201: PostedEvals },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId, status: 201 }, (tools) =>
        postResults(tools, orgId, request.body, clock.now().getTime()),
      )
    },
  )

  app.get(
    '/v1/orgs/:id/evals',
    {
      config: { ...reading, pinned: 'unaffected' },
      schema: {
        operationId: 'listEvals',
        tags,
        summary: 'List eval results',
        description: 'The posted results, optionally of one suite or model.',
        params: OrgPath,
        querystring: EvalListQuery,
        response: { 200: EvalList },
      },
    },
    async ({ caller, query }) => {
      const { orgId } = caller
      const asked = pageRequest(query, 'created_at')
      const rows = await sql.asOrgs([orgId], (tx) => listResults(tx, orgId, asked, query))
      const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
      return { ...answer, data: answer.data.map(evalView) }
    },
  )

  app.get(
    '/v1/orgs/:id/evals/:eval_id',
    {
      config: { ...reading, pinned: 'unaffected' },
      schema: {
        operationId: 'getEval',
        tags,
        summary: 'Get an eval result',
        description: 'Returns one result.',
        params: EvalPath,
        response: { 200: EvalResult },
      },
    },
    async ({ caller, params }) => {
      const { orgId } = caller
      const id = requireId('evalResult', params.eval_id)
      const row = await sql.asOrgs([orgId], (tx) => findResult(tx, orgId, id))
      if (!row) throw new ApiError('not_found')
      return evalView(row)
    },
  )

  app.delete(
    '/v1/orgs/:id/evals/:eval_id',
    {
      config: { role: 'service', scope: 'routing:write' },
      schema: {
        operationId: 'deleteEval',
        tags,
        summary: 'Remove an eval result',
        description:
          'Removes a wrong result. The previous result of its suite and model counts again, from the next decision on.',
        params: EvalPath,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const id = requireId('evalResult', request.params.eval_id)
      return change(request, reply, { orgId, status: 204 }, (tools) => removeResult(tools, orgId, id))
    },
  )
}
