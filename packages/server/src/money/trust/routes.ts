import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import { TrustedKeyPath, TrustInput, TrustSettings } from './schema.ts'
import { getTrust, keySubject, orgSubject, putTrust, removeTrust } from './trust.ts'

const tags = ['limits']
const write = { role: 'admin', scope: 'limits:write' } as const
const read = { role: 'viewer', scope: 'limits:read' } as const
const patch = 'Changes the fields that are given and no other; otherwise as setting it.'
const removed = { 204: Type.Null({ description: 'Removed.' }) }

export function trust(app: App, platform: Platform, change: Change) {
  trustInOrg(app, platform, change)
  trustInKeys(app, platform, change)
}

function trustInOrg(app: App, { sql }: Platform, change: Change) {
  const path = '/v1/orgs/:id/trust'

  app.get(
    path,
    {
      config: { ...read, pinned: 'unaffected' },
      schema: {
        operationId: 'getTrust',
        tags,
        summary: 'Get the trust in callers',
        description: 'How far the word of every key of the organization is taken.',
        params: OrgPath,
        response: { 200: TrustSettings },
      },
    },
    ({ caller: { orgId } }) => sql.asOrgs([orgId], (tx) => getTrust(tx, orgId, orgSubject(orgId))),
  )

  replaceable(
    app,
    path,
    {
      config: write,
      tags,
      name: 'Trust',
      put: {
        summary: 'Set the trust in callers',
        description:
          'For every key of the organization; what is left out returns to its default. It counts for reservations and settlements from now on.',
      },
      patch: { summary: 'Change the trust in callers', description: patch },
      params: OrgPath,
      body: TrustInput,
      view: TrustSettings,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId }, (tools) => putTrust(tools, orgId, async () => orgSubject(orgId), wanted))
    },
  )

  app.delete(
    path,
    {
      config: write,
      schema: {
        operationId: 'deleteTrust',
        tags,
        summary: 'Remove the settings of trust',
        description: 'The defaults apply again: what callers report is taken as it is.',
        params: OrgPath,
        response: removed,
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId, status: 204 }, (tools) =>
        removeTrust(tools, orgId, async () => orgSubject(orgId)),
      )
    },
  )
}

function trustInKeys(app: App, { sql }: Platform, change: Change) {
  const path = '/v1/orgs/:id/keys/:key_id/trust'

  app.get(
    path,
    {
      config: read,
      schema: {
        operationId: 'getKeyTrust',
        tags,
        summary: 'Get the trust in a key',
        description: 'How far the word of a key is taken, beside the settings of the organization.',
        params: TrustedKeyPath,
        response: { 200: TrustSettings },
      },
    },
    ({ caller: { orgId }, params }) =>
      sql.asOrgs([orgId], async (tx) =>
        getTrust(tx, orgId, await keySubject(tx, orgId, requireId('key', params.key_id))),
      ),
  )

  replaceable(
    app,
    path,
    {
      config: write,
      tags,
      name: 'KeyTrust',
      put: {
        summary: 'Set the trust in a key',
        description:
          'For a key with the keys that it was and will be rotated to. The stricter of these settings and those of the organization counts.',
      },
      patch: { summary: 'Change the trust in a key', description: patch },
      params: TrustedKeyPath,
      body: TrustInput,
      view: TrustSettings,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      const keyId = requireId('key', request.params.key_id)
      return change(request, reply, { orgId }, (tools) =>
        putTrust(tools, orgId, (tx) => keySubject(tx, orgId, keyId), wanted),
      )
    },
  )

  app.delete(
    path,
    {
      config: write,
      schema: {
        operationId: 'deleteKeyTrust',
        tags,
        summary: 'Remove the settings of trust of a key',
        description: 'The settings of the organization alone count again.',
        params: TrustedKeyPath,
        response: removed,
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const keyId = requireId('key', request.params.key_id)
      return change(request, reply, { orgId, status: 204 }, (tools) =>
        removeTrust(tools, orgId, (tx) => keySubject(tx, orgId, keyId)),
      )
    },
  )
}
