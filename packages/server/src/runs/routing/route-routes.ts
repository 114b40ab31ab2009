import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import { listRoutes } from './queries.ts'
import { createRoute, getRoute, removeRoute, replaceRoute, routeView } from './route-definitions.ts'
import { ModelRoute, RouteInput, RouteList, RouteListQuery, RoutePath } from './schema.ts'

export function routeRoutes(app: App, { sql }: Platform, change: Change) {
  const tags = ['routing']
  const reading = { role: 'viewer', scope: 'routing:read' } as const
  const writing = { role: 'admin', scope: 'routing:write', errors: ['conflict'] } as const

  app.post(
    '/v1/orgs/:id/routes',
    {
      config: writing,
      schema: {
        operationId: 'createRoute',
        tags,
        summary: 'Create a route',
        description:
          'Creates a route: among the models that pass its bar and constraints, the strategy chooses one. At most 200 routes.',
        params: OrgPath,
        body: RouteInput,
        response: { 201: ModelRoute },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId, status: 201 }, (tools) => createRoute(tools, orgId, request.body))
    },
  )

  app.get(
    '/v1/orgs/:id/routes',
    {
      config: { ...reading, pinned: 'unaffected' },
      schema: {
        operationId: 'listRoutes',
        tags,
        summary: 'List routes',
        description: 'The routes of the organization.',
        params: OrgPath,
        querystring: RouteListQuery,
        response: { 200: RouteList },
      },
    },
    async ({ caller, query }) => {
      const { orgId } = caller
      const asked = pageRequest(query, 'created_at')
      const rows = await sql.asOrgs([orgId], (tx) => listRoutes(tx, orgId, asked, query))
      const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
      return { ...answer, data: answer.data.map(routeView) }
    },
  )

  app.get(
    '/v1/orgs/:id/routes/:route_id',
    {
      config: { ...reading, pinned: 'unaffected' },
      schema: {
        operationId: 'getRoute',
        tags,
        summary: 'Get a route',
        description: 'Returns one route.',
        params: RoutePath,
        response: { 200: ModelRoute },
      },
    },
    ({ caller, params }) => {
      const { orgId } = caller
      return sql.asOrgs([orgId], (tx) => getRoute(tx, orgId, requireId('modelRoute', params.route_id)))
    },
  )

  replaceable(
    app,
    '/v1/orgs/:id/routes/:route_id',
    {
      config: writing,
      tags,
      name: 'Route',
      put: {
        summary: 'Replace a route',
        description:
          'Fields that are left out return to their defaults. Applies from the next decision on, in every process.',
      },
      patch: {
        summary: 'Change a route',
        description: 'Changes only the given fields; otherwise the same as replacing the route.',
      },
      params: RoutePath,
      body: RouteInput,
      view: ModelRoute,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      const id = requireId('modelRoute', request.params.route_id)
      return change(request, reply, { orgId }, (tools) => replaceRoute(tools, orgId, id, wanted))
    },
  )

  app.delete(
    '/v1/orgs/:id/routes/:route_id',
    {
      config: { role: 'admin', scope: 'routing:write' },
      schema: {
        operationId: 'deleteRoute',
        tags,
        summary: 'Delete a route',
        description: 'Requests that name the route are refused with `not_found` from now on.',
        params: RoutePath,
        response: { 204: Type.Null({ description: 'Deleted.' }) },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const id = requireId('modelRoute', request.params.route_id)
      return change(request, reply, { orgId, status: 204 }, (tools) => removeRoute(tools, orgId, id))
    },
  )
}
