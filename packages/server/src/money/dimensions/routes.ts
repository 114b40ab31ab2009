import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { getDimension, listDimensions, putDimension, removeDimension } from './dimensions.ts'
import { Dimension, DimensionInput, DimensionList, DimensionPath } from './schema.ts'

export function dimensions(app: App, { sql }: Platform, change: Change) {
  const tags = ['limits']
  const path = '/v1/orgs/:id/dimensions/:dimension'
  const reading = { role: 'viewer', scope: 'limits:read' } as const
  const writing = { role: 'admin', scope: 'limits:write' } as const

  app.get(
    '/v1/orgs/:id/dimensions',
    {
      config: reading,
      schema: {
        operationId: 'listDimensions',
        tags,
        summary: 'List dimensions',
        description: 'Every dimension with its known values, and what becomes of others.',
        params: OrgPath,
        response: { 200: DimensionList },
      },
    },
    ({ caller: { orgId } }) => sql.asOrgs([orgId], (tx) => listDimensions(tx, orgId)),
  )

  app.get(
    path,
    {
      config: reading,
      schema: {
        operationId: 'getDimension',
        tags,
        summary: 'Get the known values of a dimension',
        description: 'While nothing is set, every value is allowed.',
        params: DimensionPath,
        response: { 200: Dimension },
      },
    },
    ({ caller: { orgId }, params }) => sql.asOrgs([orgId], (tx) => getDimension(tx, orgId, params.dimension)),
  )

  replaceable(
    app,
    path,
    {
      config: writing,
      tags,
      name: 'Dimension',
      put: {
        summary: 'Set the known values of a dimension',
        description:
          'For calls from now on: at the edge, starts and runs that are recorded with limits. Runs that are imported as facts are recorded whatever they name. A call that leaves the field out is not affected: `required_dimensions` of the organization is.',
      },
      patch: {
        summary: 'Change the known values of a dimension',
        description: 'Changes the fields that are given and no other; otherwise as setting it.',
      },
      params: DimensionPath,
      body: DimensionInput,
      view: Dimension,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      const { dimension } = request.params
      return change(request, reply, { orgId }, (tools) => putDimension(tools, orgId, dimension, wanted))
    },
  )

  app.delete(
    path,
    {
      config: writing,
      schema: {
        operationId: 'deleteDimension',
        tags,
        summary: 'Forget the known values of a dimension',
        description: 'Every value is allowed again.',
        params: DimensionPath,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const { dimension } = request.params
      return change(request, reply, { orgId, status: 204 }, (tools) => removeDimension(tools, orgId, dimension))
    },
  )
}
