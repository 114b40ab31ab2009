import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import { createModel, getModel, modelViews, removeModel, replaceModel } from './models.ts'
import { listModels } from './queries.ts'
import { ModelInput, ModelList, ModelListQuery, ModelPath, RoutingModel } from './schema.ts'

export function modelRoutes(app: App, { sql, clock }: Platform, change: Change) {
  const tags = ['routing']
  const reading = { role: 'viewer', scope: 'routing:read' } as const
  const writing = { role: 'admin', scope: 'routing:write', errors: ['conflict'] } as const
  const nowMs = () => clock.now().getTime()

  app.post(
    '/v1/orgs/:id/models',
    {
      config: writing,
      schema: {
        operationId: 'createModel',
        tags,
        summary: 'Add a model',
        description:
          'Adds a model that runs can be routed to; at most 500. Routes without their own candidates consider it from the next decision on, in every process.',
        params: OrgPath,
        body: ModelInput,
        response: { 201: RoutingModel },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId, status: 201 }, (tools) => createModel(tools, orgId, request.body, nowMs()))
    },
  )

  app.get(
    '/v1/orgs/:id/models',
    {
      config: { ...reading, pinned: 'unaffected' },
      schema: {
        operationId: 'listModels',
        tags,
        summary: 'List models',
        description: 'The models that runs can be routed to, each with its price.',
        params: OrgPath,
        querystring: ModelListQuery,
        response: { 200: ModelList },
      },
    },
    ({ caller, query }) => {
      const { orgId } = caller
      const asked = pageRequest(query, 'created_at')
      return sql.asOrgs([orgId], async (tx) => {
        const rows = await listModels(tx, orgId, asked, query)
        const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
        return { ...answer, data: await modelViews(tx, orgId, answer.data, nowMs()) }
      })
    },
  )

  app.get(
    '/v1/orgs/:id/models/:model_id',
    {
      config: { ...reading, pinned: 'unaffected' },
      schema: {
        operationId: 'getModel',
        tags,
        summary: 'Get a model',
        description: 'Returns one model, with its price.',
        params: ModelPath,
        response: { 200: RoutingModel },
      },
    },
    ({ caller, params }) => {
      const { orgId } = caller
      return sql.asOrgs([orgId], (tx) => getModel(tx, orgId, requireId('model', params.model_id), nowMs()))
    },
  )

  replaceable(
    app,
    '/v1/orgs/:id/models/:model_id',
    {
      config: writing,
      tags,
      name: 'Model',
      put: {
        summary: 'Replace a model',
        description:
          'Fields that are left out return to their defaults. Applies from the next decision on, in every process. A model that a route names cannot be renamed.',
      },
      patch: {
        summary: 'Change a model',
        description: 'Changes only the given fields; otherwise the same as replacing the model.',
      },
      params: ModelPath,
      body: ModelInput,
      view: RoutingModel,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      const id = requireId('model', request.params.model_id)
      return change(request, reply, { orgId }, (tools) => replaceModel(tools, orgId, id, wanted, nowMs()))
    },
  )

  app.delete(
    '/v1/orgs/:id/models/:model_id',
    {
      config: writing,
      schema: {
        operationId: 'deleteModel',
        tags,
        summary: 'Remove a model',
        description: 'The model is no longer chosen. A model that a route names cannot be removed (`conflict`).',
        params: ModelPath,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const id = requireId('model', request.params.model_id)
      return change(request, reply, { orgId, status: 204 }, (tools) => removeModel(tools, orgId, id, nowMs()))
    },
  )
}
