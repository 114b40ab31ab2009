import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import { freeze, keyTarget, limitTarget, listFreezes, orgTarget, thaw } from './freezes.ts'
import { Freeze, FreezeInput, FreezeList, FrozenKeyPath, FrozenLimitPath } from './schema.ts'

const tags = ['limits']
const config = { role: 'admin', scope: 'limits:write' } as const
const thawed = { 204: Type.Null({ description: 'Thawed.' }) }
const refused = 'Everything that would be charged to it is refused with 402 `frozen`, from the next decision on.'
const goesOn = 'Calls that are running go on and are settled; what it has counted, and its limit, stay as they are.'

export function freezes(app: App, { sql }: Platform, change: Change) {
  app.get(
    '/v1/orgs/:id/freezes',
    {
      config: { role: 'viewer', scope: 'limits:read' },
      schema: {
        operationId: 'listFreezes',
        tags,
        summary: 'List what is frozen',
        description: 'The organization, keys and limits that are frozen now, each with its reason.',
        params: OrgPath,
        response: { 200: FreezeList },
      },
    },
    ({ caller }) => sql.asOrgs([caller.orgId], (tx) => listFreezes(tx, caller.orgId)),
  )
  freezesOfOrg(app, change)
  freezesOfKeys(app, change)
  freezesOfLimits(app, change)
}

function freezesOfOrg(app: App, change: Change) {
  app.post(
    '/v1/orgs/:id/freeze',
    {
      config,
      schema: {
        operationId: 'freezeOrg',
        tags,
        summary: 'Freeze the organization',
        description: `${refused} ${goesOn}`,
        params: OrgPath,
        body: FreezeInput,
        response: { 200: Freeze },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId }, (tools) =>
        freeze(tools, orgId, async () => orgTarget(orgId), request.body),
      )
    },
  )

  app.post(
    '/v1/orgs/:id/thaw',
    {
      config,
      schema: {
        operationId: 'thawOrg',
        tags,
        summary: 'Thaw the organization',
        description: 'Its limits decide again. 404 where it is not frozen.',
        params: OrgPath,
        response: thawed,
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId, status: 204 }, (tools) => thaw(tools, orgId, async () => orgTarget(orgId)))
    },
  )
}

function freezesOfKeys(app: App, change: Change) {
  app.post(
    '/v1/orgs/:id/keys/:key_id/freeze',
    {
      config,
      schema: {
        operationId: 'freezeKey',
        tags,
        summary: 'Freeze a key',
        description: `With the keys that it was and will be rotated to. ${refused} The key can still read.`,
        params: FrozenKeyPath,
        body: FreezeInput,
        response: { 200: Freeze },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const keyId = requireId('key', request.params.key_id)
      return change(request, reply, { orgId }, (tools) =>
        freeze(tools, orgId, (tx) => keyTarget(tx, orgId, keyId), request.body),
      )
    },
  )

  app.post(
    '/v1/orgs/:id/keys/:key_id/thaw',
    {
      config,
      schema: {
        operationId: 'thawKey',
        tags,
        summary: 'Thaw a key',
        description: 'Its limits decide again. 404 where it is not frozen.',
        params: FrozenKeyPath,
        response: thawed,
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const keyId = requireId('key', request.params.key_id)
      return change(request, reply, { orgId, status: 204 }, (tools) =>
        thaw(tools, orgId, (tx) => keyTarget(tx, orgId, keyId)),
      )
    },
  )
}

function freezesOfLimits(app: App, change: Change) {
  app.post(
    '/v1/orgs/:id/limits/:limit_id/freeze',
    {
      config,
      schema: {
        operationId: 'freezeLimit',
        tags,
        summary: 'Freeze a limit',
        description: `A budget, a default budget, the spend cap, a concurrency limit or the limit of a customer. ${refused} ${goesOn}`,
        params: FrozenLimitPath,
        body: FreezeInput,
        response: { 200: Freeze },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId }, (tools) =>
        freeze(tools, orgId, (tx) => limitTarget(tx, orgId, request.params.limit_id), request.body),
      )
    },
  )

  app.post(
    '/v1/orgs/:id/limits/:limit_id/thaw',
    {
      config,
      schema: {
        operationId: 'thawLimit',
        tags,
        summary: 'Thaw a limit',
        description: 'It decides again, with what it has counted. 404 where it is not frozen.',
        params: FrozenLimitPath,
        response: thawed,
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId, status: 204 }, (tools) =>
        thaw(tools, orgId, (tx) => limitTarget(tx, orgId, request.params.limit_id)),
      )
    },
  )
}
