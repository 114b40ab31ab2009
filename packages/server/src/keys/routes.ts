import type { Change } from '../changes/changes.ts'
import { ApiError } from '../contract/errors.ts'
import { page, pageRequest } from '../contract/lists.ts'
import { describeTag } from '../contract/openapi.ts'
import type { App } from '../contract/routes.ts'
import { OrgPath } from '../contract/wire.ts'
import type { Platform } from '../infra/platform.ts'
import { parseId } from '../values/id.ts'
import { keyView, mint, revoke, rotate, wantedKey } from './keys.ts'
import { findKey, listKeys } from './queries.ts'
import { Key, KeyInput, KeyList, KeyListQuery, KeyPath, type KeyView, KeyWithSecret, RotateInput } from './schema.ts'

export function keys(app: App, platform: Platform, change: Change) {
  const { sql } = platform
  const tags = ['keys']
  describeTag(app, 'keys', 'API keys of an organization.')

  app.post(
    '/v1/orgs/:id/keys',
    {
      config: { role: 'admin', scope: 'keys:write' },
      schema: {
        operationId: 'createKey',
        tags,
        summary: 'Create a key',
        description:
          'Mints a key with a role and scopes that you hold yourself. `secret` is shown in this answer only.',
        params: OrgPath,
        body: KeyInput,
        response: { 201: KeyWithSecret },
      },
    },
    (request, reply) => {
      const { orgId } = request.principal!
      return change(request, reply, { orgId, status: 201 }, async ({ tx, audit, emit }) => {
        const { view, secret } = await mint(platform, tx, orgId, wantedKey(request.principal!, request.body))
        audit({ action: 'key.created', target: { kind: 'key', id: view.id }, after: view })
        emit({ kind: 'key.created', subject: view.id, data: { ...toldOf(view), expires_at: view.expires_at } })
        return { ...view, secret }
      })
    },
  )

  app.get(
    '/v1/orgs/:id/keys',
    {
      config: { role: 'admin', scope: 'keys:read' },
      schema: {
        operationId: 'listKeys',
        tags,
        summary: 'List keys',
        description: 'The keys of the organization, revoked ones too; never their secrets.',
        params: OrgPath,
        querystring: KeyListQuery,
        response: { 200: KeyList },
      },
    },
    async ({ principal, query }) => {
      const asked = pageRequest(query, 'created_at')
      const rows = await sql.asOrgs([principal!.orgId], (tx) => listKeys(tx, principal!.orgId, asked, query))
      const answer = page(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
      return { ...answer, data: answer.data.map(keyView) }
    },
  )

  app.get(
    '/v1/orgs/:id/keys/:key_id',
    {
      config: { role: 'admin', scope: 'keys:read' },
      schema: {
        operationId: 'getKey',
        tags,
        summary: 'Get a key',
        description: 'One key, without its secret.',
        params: KeyPath,
        response: { 200: Key },
      },
    },
    async ({ principal, params }) => {
      const row = await sql.asOrgs([principal!.orgId], (tx) =>
        findKey(tx, principal!.orgId, parseId('key', params.key_id)!),
      )
      if (!row) throw new ApiError('not_found')
      return keyView(row)
    },
  )

  app.post(
    '/v1/orgs/:id/keys/:key_id/revoke',
    {
      config: { role: 'admin', scope: 'keys:write' },
      schema: {
        operationId: 'revokeKey',
        tags,
        summary: 'Revoke a key',
        description: 'Answered when no process accepts the key any more: its next use is 410 `gone` everywhere.',
        params: KeyPath,
        response: { 200: Key },
      },
    },
    (request, reply) => {
      const { orgId } = request.principal!
      return change(request, reply, { orgId }, async ({ tx, audit, emit, accessChanged }) => {
        const { before, after, isNew } = await revoke(tx, orgId, parseId('key', request.params.key_id)!)
        if (isNew) {
          audit({ action: 'key.revoked', target: { kind: 'key', id: after.id }, before, after })
          emit({ kind: 'key.revoked', subject: after.id, data: { ...toldOf(after), revoked_at: after.revoked_at! } })
          accessChanged()
        }
        return after
      })
    },
  )

  app.post(
    '/v1/orgs/:id/keys/:key_id/rotate',
    {
      config: { role: 'admin', scope: 'keys:write', errors: ['conflict'] },
      schema: {
        operationId: 'rotateKey',
        tags,
        summary: 'Rotate a key',
        description:
          'Mints a key like this one. The old one works for `overlap_seconds` more and then ends as `key_expired`.',
        params: KeyPath,
        body: RotateInput,
        response: { 200: KeyWithSecret },
      },
    },
    (request, reply) => {
      const { orgId } = request.principal!
      return change(request, reply, { orgId }, async ({ tx, audit, emit, accessChanged }) => {
        const id = parseId('key', request.params.key_id)!
        const { old, view, secret } = await rotate(platform, tx, orgId, id, request.body.overlap_seconds ?? 0)
        audit({ action: 'key.rotated', target: { kind: 'key', id: old.id }, after: view })
        emit({
          kind: 'key.rotated',
          subject: old.id,
          data: { ...toldOf(old), replaced_by: view.id, expires_at: old.expires_at! },
        })
        accessChanged()
        return { ...view, secret }
      })
    },
  )
}

/** What events say of any key. */
const toldOf = ({ id, name, role }: KeyView) => ({ key_id: id, name, role })
