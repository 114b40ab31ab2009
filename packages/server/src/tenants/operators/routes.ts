import type { Change } from '../../access/changes/changes.ts'
import { AddressListInput, normalizeAddressList } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import { describeTag } from '../../contract/openapi.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { listNodes } from '../../platform/nodes/nodes.ts'
import { operatorsOrgId, requireId } from '../../values/id.ts'
import { timestamp } from '../../values/timestamp.ts'
import {
  findKey,
  Key,
  KeyList,
  KeyWithSecret,
  keyView,
  listKeys,
  RevokedKey,
  RevokeInput,
  RotateKeyInput,
} from '../keys/keys.ts'
import { closeGrants, type EndTraces } from '../support/support.ts'
import {
  mintOperatorKey,
  operatorAddresses,
  revokeOperatorKey,
  rotateOperatorKey,
  setOperatorAddresses,
} from './operators.ts'
import { NodeList, OperatorAddressList, OperatorKeyInput, OperatorKeyListQuery, OperatorKeyPath } from './schema.ts'

export function operators(app: App, platform: Platform, change: Change, endTraces: EndTraces) {
  const { sql, clock } = platform
  const tags = ['operators']
  const orgId = operatorsOrgId
  describeTag(app, 'operators', 'Operators of the installation: their keys and addresses.')

  app.post(
    '/v1/admin/operator-keys',
    {
      config: { role: 'operator', scope: 'admin:write' },
      schema: {
        operationId: 'createOperatorKey',
        tags,
        summary: 'Create an operator’s key',
        description:
          'Creates a key that does not exceed your own: no other scopes, no later expiry. `secret` is shown in this response only.',
        body: OperatorKeyInput,
        response: { 201: KeyWithSecret },
      },
    },
    (request, reply) =>
      change(request, reply, { orgId, status: 201 }, (tools) =>
        mintOperatorKey(platform, tools, request.caller, request.body),
      ),
  )

  app.get(
    '/v1/admin/operator-keys',
    {
      config: { role: 'operator', scope: 'admin:read' },
      schema: {
        operationId: 'listOperatorKeys',
        tags,
        summary: 'List operators’ keys',
        description: 'All of them, including revoked ones; never their secrets.',
        querystring: OperatorKeyListQuery,
        response: { 200: KeyList },
      },
    },
    async ({ query }) => {
      const asked = pageRequest(query, 'created_at')
      const now = clock.now()
      const rows = await sql.asOrgs([orgId], (tx) => listKeys(tx, orgId, asked, { status: query.status }, now))
      const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
      return { ...answer, data: answer.data.map((row) => keyView(row, now)) }
    },
  )

  app.get(
    '/v1/admin/operator-keys/:key_id',
    {
      config: { role: 'operator', scope: 'admin:read', errors: ['not_found'] },
      schema: {
        operationId: 'getOperatorKey',
        tags,
        summary: 'Get an operator’s key',
        description: 'One key, without its secret.',
        params: OperatorKeyPath,
        response: { 200: Key },
      },
    },
    async ({ params }) => {
      const row = await sql.asOrgs([orgId], (tx) => findKey(tx, orgId, requireId('key', params.key_id)))
      if (!row) throw new ApiError('not_found')
      return keyView(row, clock.now())
    },
  )

  app.post(
    '/v1/admin/operator-keys/:key_id/rotate',
    {
      config: { role: 'operator', scope: 'admin:write', errors: ['conflict', 'not_found'] },
      schema: {
        operationId: 'rotateOperatorKey',
        tags,
        summary: 'Rotate an operator’s key',
        description:
          'Creates the successor of a key: with the same powers and expiry. The old one works for another `overlap_seconds` and is then refused as `key_expired`. The grants that it has issued continue.',
        params: OperatorKeyPath,
        body: RotateKeyInput,
        response: { 200: KeyWithSecret },
      },
    },
    (request, reply) => {
      const id = requireId('key', request.params.key_id)
      const overlap = request.body.overlap_seconds ?? 0
      return change(request, reply, { orgId }, (tools) =>
        rotateOperatorKey(platform, tools, request.caller, id, overlap),
      )
    },
  )

  app.post(
    '/v1/admin/operator-keys/:key_id/revoke',
    {
      config: { role: 'operator', scope: 'admin:write', errors: ['conflict', 'not_found'] },
      schema: {
        operationId: 'revokeOperatorKey',
        tags,
        summary: 'Revoke an operator’s key',
        description:
          'The response is sent once no process accepts the key any more, nor any support grant issued with it. The last key that can manage others is 409 `conflict`; the command `revoke-operator-key --force` can end that one too. With `descendants`, every operator’s key that it has created or rotated is revoked too, recursively.',
        params: OperatorKeyPath,
        body: RevokeInput,
        response: { 200: RevokedKey },
      },
    },
    async (request, reply) => {
      const id = requireId('key', request.params.key_id)
      const asked = { withDescendants: request.body.descendants ?? false }
      const answer = await change(request, reply, { orgId }, (tools) =>
        revokeOperatorKey(platform, tools, request.caller, id, asked),
      )
      // Their tokens are refused already. What they made ends now, or else with the worker's next run.
      await closeGrants(platform, endTraces).catch((error: unknown) =>
        platform.log.warn({ error }, 'the grants of a revoked key were not closed; the worker will do it'),
      )
      return answer
    },
  )

  app.get(
    '/v1/admin/operator-ip-allow-list',
    {
      config: { role: 'operator', scope: 'admin:read' },
      schema: {
        operationId: 'getOperatorIpAllowList',
        tags,
        summary: 'Get the operators’ IP allow-list',
        description: 'The addresses and networks from which operators’ keys and support grants are accepted.',
        response: { 200: OperatorAddressList },
      },
    },
    async () => ({ ip_allow_list: await sql.asOrgs([orgId], operatorAddresses) }),
  )

  replaceable(
    app,
    '/v1/admin/operator-ip-allow-list',
    {
      config: { role: 'operator', scope: 'admin:write' },
      tags,
      name: 'OperatorIpAllowList',
      put: {
        summary: 'Set the operators’ IP allow-list',
        description:
          'Replaces the list. It applies to the next request of every operator’s key and every support grant, on every process; an empty list admits every address. A list without your own address is refused unless `force` is true.',
      },
      patch: {
        summary: 'Change the operators’ IP allow-list',
        description: 'The list is one field: same as setting it.',
      },
      body: AddressListInput,
      view: OperatorAddressList,
    },
    (request, reply, wanted) => {
      const accepted = (before: object) => {
        const { ip_allow_list, force } = wanted(before)
        return normalizeAddressList(ip_allow_list, { address: request.clientAddress }, force === true)
      }
      return change(request, reply, { orgId }, (tools) => setOperatorAddresses(tools, accepted))
    },
  )

  app.get(
    '/v1/admin/nodes',
    {
      config: { role: 'operator', scope: 'admin:read' },
      schema: {
        operationId: 'listNodes',
        tags,
        summary: 'List processes',
        description:
          'The processes of the installation, with their roles and versions: which live, and which ended without leaving.',
        response: { 200: NodeList },
      },
    },
    async () => ({
      data: (await listNodes(sql)).map(({ is_live, started_at, lease_until, ...node }) => ({
        ...node,
        status: is_live ? ('live' as const) : ('gone' as const),
        started_at: timestamp(started_at),
        lease_until: timestamp(lease_until),
      })),
    }),
  )
}
