import type { Change } from '../../access/changes/changes.ts'
import { isWithinPins } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import { describeTag } from '../../contract/openapi.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { parseId, requireId } from '../../values/id.ts'
import { awardForeign, contestedView, endForeign, foreignKeyView, registerForeignKeys } from './foreign-keys.ts'
import { findForeignKey, listContested, listForeignKeys } from './queries.ts'
import {
  AdminForeignKeyPath,
  ContestedForeignKeyList,
  ContestedForeignKeyListQuery,
  ForeignKey,
  ForeignKeyList,
  ForeignKeyListQuery,
  ForeignKeyPath,
  ForeignKeysInput,
  RegisteredForeignKeys,
} from './schema.ts'

export function foreignKeys(app: App, platform: Platform, change: Change) {
  const { sql, clock } = platform
  const tags = ['foreign-keys']
  describeTag(
    app,
    'foreign-keys',
    'Keys of another gateway, such as LiteLLM, that stand for keys of Weir for a limited time.',
  )

  app.post(
    '/v1/orgs/:id/foreign-keys',
    {
      config: { role: 'admin', scope: 'keys:write', errors: ['conflict'] },
      schema: {
        operationId: 'registerForeignKeys',
        tags,
        summary: 'Register keys of another gateway',
        description:
          'Creates a key of the role `service` for each, with the scopes `edge:decide` and `runs:write`, and takes the foreign key (`sk-…`) in its place until `ends_at`; then it is 401 `key_expired`. The secret of the new key is shown to nobody: rotate the key to get one, with an overlap for which the foreign key works on. Whoever calls with a foreign key reads in the header `x-svc-foreign-key-ends` until when. A digest that the organization has registered before is left as it is. One that another organization has, or had, is `contested`: it is not taken until an operator decides. Foreign keys with fewer than 20 characters after `sk-`, or fewer than ten different ones, are never taken.',
        params: OrgPath,
        body: ForeignKeysInput,
        response: { 200: RegisteredForeignKeys },
      },
    },
    (request, reply) => {
      const { caller, body } = request
      return change(request, reply, { orgId: caller.orgId }, (tools) =>
        registerForeignKeys(platform, tools, caller, body),
      )
    },
  )

  app.get(
    '/v1/orgs/:id/foreign-keys',
    {
      config: { role: 'admin', scope: 'keys:read', pinned: 'filtered' },
      schema: {
        operationId: 'listForeignKeys',
        tags,
        summary: 'List keys of another gateway',
        description:
          'With the last use and the number of uses of each, counted within a second. `used_since` leaves those that somebody still uses.',
        params: OrgPath,
        querystring: ForeignKeyListQuery,
        response: { 200: ForeignKeyList },
      },
    },
    async ({ caller, query }) => {
      const { orgId, pins } = caller
      const asked = pageRequest<'created_at'>(query, 'created_at')
      const wanted = {
        status: query.status,
        keyId: query.key_id === undefined ? undefined : parseId('key', query.key_id),
        ownerId: query.owner_id === undefined ? undefined : parseId('member', query.owner_id),
        usedSince: query.used_since,
        pins,
      }
      const rows = await sql.asOrgs([orgId], (tx) => listForeignKeys(tx, orgId, asked, wanted, clock.now()))
      const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
      return { ...answer, data: answer.data.map(foreignKeyView) }
    },
  )

  app.get(
    '/v1/orgs/:id/foreign-keys/:foreign_key_id',
    {
      config: { role: 'admin', scope: 'keys:read', pinned: 'filtered' },
      schema: {
        operationId: 'getForeignKey',
        tags,
        summary: 'Get a key of another gateway',
        description: 'One foreign key, with its uses.',
        params: ForeignKeyPath,
        response: { 200: ForeignKey },
      },
    },
    async ({ caller, params }) => {
      const { orgId, pins } = caller
      const id = requireId('foreignKey', params.foreign_key_id)
      const row = await sql.asOrgs([orgId], (tx) => findForeignKey(tx, orgId, id, clock.now()))
      if (!row || !isWithinPins(pins, row.pins)) throw new ApiError('not_found')
      return foreignKeyView(row)
    },
  )

  app.post(
    '/v1/orgs/:id/foreign-keys/:foreign_key_id/end',
    {
      config: { role: 'admin', scope: 'keys:write' },
      schema: {
        operationId: 'endForeignKey',
        tags,
        summary: 'End a key of another gateway',
        description:
          'The response is sent once no process takes it any more: its next use is 401 `key_expired`. The key that it stands for lives on; to end both, revoke that.',
        params: ForeignKeyPath,
        response: { 200: ForeignKey },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const id = requireId('foreignKey', request.params.foreign_key_id)
      return change(request, reply, { orgId }, (tools) => endForeign(platform, tools, orgId, id))
    },
  )

  app.get(
    '/v1/admin/contested-foreign-keys',
    {
      config: { role: 'operator', scope: 'admin:read' },
      schema: {
        operationId: 'listContestedForeignKeys',
        tags,
        summary: 'List contested keys of other gateways',
        description:
          'Claims of keys that several organizations have registered. None of a key’s claims is taken but one that was in use before the others came. They stay until an operator decides, or their organizations end them.',
        querystring: ContestedForeignKeyListQuery,
        response: { 200: ContestedForeignKeyList },
      },
    },
    async ({ query }) => {
      const asked = pageRequest(query, 'contested_at')
      const rows = await listContested(sql, asked)
      const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
      return { ...answer, data: answer.data.map(contestedView) }
    },
  )

  app.post(
    '/v1/admin/orgs/:org_id/foreign-keys/:foreign_key_id/award',
    {
      config: { role: 'operator', scope: 'admin:write', errors: ['conflict'] },
      schema: {
        operationId: 'awardForeignKey',
        tags,
        summary: 'Award a contested key of another gateway',
        description:
          'Decides that the key is this organization’s: it is taken from now on, and the claims of others end. Recorded in the audit logs of all of them.',
        params: AdminForeignKeyPath,
        response: { 200: ForeignKey },
      },
    },
    (request, reply) => {
      const orgId = requireId('org', request.params.org_id)
      const id = requireId('foreignKey', request.params.foreign_key_id)
      return change(request, reply, { orgId }, (tools) => awardForeign(platform, tools, request.caller, orgId, id))
    },
  )
}
