import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { getMapping, putMapping, removeMapping } from './mapping.ts'
import { OtlpMapping, OtlpMappingInput } from './schema.ts'

export function otlpMapping(app: App, { sql }: Platform, change: Change) {
  const tags = ['otlp']
  const path = '/v1/orgs/:id/otlp-mapping'

  app.get(
    path,
    {
      config: { role: 'viewer', scope: 'runs:read', pinned: 'unaffected' },
      schema: {
        operationId: 'getOtlpMapping',
        tags,
        summary: 'Get the mapping of span attributes',
        description: 'In which attributes of spans the dimensions of runs are looked for; null: in the built-in ones.',
        params: OrgPath,
        response: { 200: OtlpMapping },
      },
    },
    ({ caller }) => sql.asOrgs([caller.orgId], (tx) => getMapping(tx, caller.orgId)),
  )

  replaceable(
    app,
    path,
    {
      config: { role: 'admin', scope: 'runs:write' },
      tags,
      name: 'OtlpMapping',
      put: {
        summary: 'Set the mapping of span attributes',
        description:
          'Replaces the mapping; what is left out or null returns to the built-in attributes, and an empty list turns them off. `weir.*` attributes always win. It applies to what arrives from now on. To change `seat_keys`, `seat_accounts` or `seat_logins` needs the scope `limits:write` too: what a seat uses costs nothing.',
      },
      patch: {
        summary: 'Change the mapping of span attributes',
        description:
          'Changes the fields that are given and no other; otherwise as setting it, with `limits:write` for seats.',
      },
      params: OrgPath,
      body: OtlpMappingInput,
      view: OtlpMapping,
    },
    (request, reply, wanted) => {
      const { caller } = request
      return change(request, reply, { orgId: caller.orgId }, (tools) => putMapping(tools, caller, wanted))
    },
  )

  app.delete(
    path,
    {
      config: { role: 'admin', scope: 'runs:write' },
      schema: {
        operationId: 'deleteOtlpMapping',
        tags,
        summary: 'Remove the mapping of span attributes',
        description:
          'The built-in attributes apply again, and nothing is a seat. Where there are seats, it needs the scope `limits:write` too.',
        params: OrgPath,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    (request, reply) => {
      const { caller } = request
      return change(request, reply, { orgId: caller.orgId, status: 204 }, (tools) => removeMapping(tools, caller))
    },
  )
}
