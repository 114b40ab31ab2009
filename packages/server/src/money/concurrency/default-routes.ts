import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { OrNotSet, replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import {
  deleteConcurrencyDefault,
  getConcurrencyDefault,
  listConcurrencyDefaults,
  putConcurrencyDefault,
} from './concurrency-defaults.ts'
import {
  ConcurrencyDefault,
  ConcurrencyDefaultInput,
  ConcurrencyDefaultList,
  ConcurrencyDefaultPath,
} from './default-schema.ts'

const each = 'department, workflow, deployment, customer, user or key'

export function concurrencyDefaults(app: App, { sql }: Platform, change: Change) {
  const tags = ['limits']
  const reading = { role: 'viewer', scope: 'limits:read' } as const
  const writing = { role: 'admin', scope: 'limits:write' } as const
  const path = '/v1/orgs/:id/concurrency-defaults/:scope_kind'

  app.get(
    '/v1/orgs/:id/concurrency-defaults',
    {
      config: reading,
      schema: {
        operationId: 'listConcurrencyDefaults',
        tags,
        summary: 'List default concurrency limits',
        description: 'Those that are set, at most one for each kind of scope.',
        params: OrgPath,
        response: { 200: ConcurrencyDefaultList },
      },
    },
    ({ caller: { orgId } }) => sql.asOrgs([orgId], (tx) => listConcurrencyDefaults(tx, orgId)),
  )

  app.get(
    path,
    {
      config: reading,
      schema: {
        operationId: 'getConcurrencyDefault',
        tags,
        summary: 'Get a default concurrency limit',
        description: `The limit of every ${each} that has none of its own; null in every field while none is set.`,
        params: ConcurrencyDefaultPath,
        response: { 200: OrNotSet(ConcurrencyDefault) },
      },
    },
    ({ caller: { orgId }, params }) => sql.asOrgs([orgId], (tx) => getConcurrencyDefault(tx, orgId, params.scope_kind)),
  )

  replaceable(
    app,
    path,
    {
      config: writing,
      tags,
      name: 'ConcurrencyDefault',
      put: {
        summary: 'Set a default concurrency limit',
        description: `For every ${each} that has no concurrency limit of its own, each for itself, from the next start on.`,
      },
      patch: {
        summary: 'Change a default concurrency limit',
        description: 'Changes the fields that are given and no other; otherwise as setting it.',
      },
      params: ConcurrencyDefaultPath,
      body: ConcurrencyDefaultInput,
      view: ConcurrencyDefault,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      const { scope_kind } = request.params
      return change(request, reply, { orgId }, (tools) => putConcurrencyDefault(tools, orgId, scope_kind, wanted))
    },
  )

  app.delete(
    path,
    {
      config: writing,
      schema: {
        operationId: 'deleteConcurrencyDefault',
        tags,
        summary: 'Remove a default concurrency limit',
        description: 'It refuses no further run.',
        params: ConcurrencyDefaultPath,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const { scope_kind } = request.params
      return change(request, reply, { orgId, status: 204 }, (tools) =>
        deleteConcurrencyDefault(tools, orgId, scope_kind),
      )
    },
  )
}
