import type { Change } from '../../access/changes/changes.ts'
import { isWithinPins } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import { describeTag } from '../../contract/openapi.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { AdminOrgPath, OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { parseId, requireId } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { specifyOwnerKey } from './key-spec.ts'
import { changeKey, eventFieldsOf, keyView, mint, mintFor, revocationEvent, revoke, rotate } from './keys.ts'
import { findKey, listKeys, lockOrgOfKeys } from './queries.ts'
import {
  Key,
  KeyChange,
  KeyInput,
  KeyList,
  KeyListQuery,
  KeyPath,
  KeyWithSecret,
  OwnerKeyInput,
  RevokedKey,
  RevokeInput,
  RotateKeyInput,
} from './schema.ts'

export function keys(app: App, platform: Platform, change: Change) {
  const { sql, clock } = platform
  const tags = ['keys']
  describeTag(app, 'keys', 'API keys of an organization.')

  app.post(
    '/v1/orgs/:id/keys',
    {
      config: { role: 'admin', scope: 'keys:write', pinned: 'filtered' },
      schema: {
        operationId: 'createKey',
        tags,
        summary: 'Create a key',
        description:
          'Creates a key that does not exceed your own: no higher role, no other scopes, at least the same pins, no later expiry. Omitted `pins` and `expires_at` are those of your own key. `secret` is shown in this response only.',
        params: OrgPath,
        body: KeyInput,
        response: { 201: KeyWithSecret },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId, status: 201 }, async ({ tx, audit, emit }) => {
        const { view, secret } = await mintFor(platform, tx, request.caller, request.body)
        audit({ action: 'key.created', target: { kind: 'key', id: view.id }, after: view })
        emit({ kind: 'key.created', subject: view.id, data: { ...eventFieldsOf(view), expires_at: view.expires_at } })
        return { ...view, secret }
      })
    },
  )

  app.get(
    '/v1/orgs/:id/keys',
    {
      config: { role: 'admin', scope: 'keys:read', pinned: 'filtered' },
      schema: {
        operationId: 'listKeys',
        tags,
        summary: 'List keys',
        description: 'The keys of the organization, including revoked ones; never their secrets.',
        params: OrgPath,
        querystring: KeyListQuery,
        response: { 200: KeyList },
      },
    },
    async ({ caller, query }) => {
      const asked = pageRequest(query, 'created_at')
      const { role, status, minted_by, owner_id } = query
      const mintedBy = minted_by === undefined ? undefined : parseId('key', minted_by)
      const ownerId = owner_id === undefined ? undefined : parseId('member', owner_id)
      const now = clock.now()
      const rows = await sql.asOrgs([caller.orgId], (tx) =>
        listKeys(tx, caller.orgId, asked, { role, status, mintedBy, ownerId, pins: caller.pins }, now),
      )
      const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
      return { ...answer, data: answer.data.map((row) => keyView(row, now)) }
    },
  )

  app.get(
    '/v1/orgs/:id/keys/:key_id',
    {
      config: { role: 'admin', scope: 'keys:read', pinned: 'filtered' },
      schema: {
        operationId: 'getKey',
        tags,
        summary: 'Get a key',
        description: 'One key, without its secret.',
        params: KeyPath,
        response: { 200: Key },
      },
    },
    async ({ caller, params }) => {
      const row = await sql.asOrgs([caller.orgId], (tx) => findKey(tx, caller.orgId, requireId('key', params.key_id)))
      if (!row || !isWithinPins(caller.pins, row.pins)) throw new ApiError('not_found')
      return keyView(row, clock.now())
    },
  )

  replaceable(
    app,
    '/v1/orgs/:id/keys/:key_id',
    {
      config: { role: 'admin', scope: 'keys:write', pinned: 'filtered' },
      tags,
      name: 'Key',
      put: {
        summary: 'Replace the changeable fields of a key',
        description:
          'Only its name and its owner: the powers of a key are fixed when it is created. You cannot change a key with more power than yours.',
      },
      patch: {
        summary: 'Rename a key, or hand it to another owner',
        description: 'Changes the fields that are given and no other.',
      },
      params: KeyPath,
      body: KeyChange,
      view: Key,
    },
    (request, reply, wanted) => {
      const caller = request.caller
      const id = requireId('key', request.params.key_id)
      return change(request, reply, { orgId: caller.orgId }, (tools) => changeKey(platform, tools, caller, id, wanted))
    },
  )

  app.post(
    '/v1/orgs/:id/keys/:key_id/revoke',
    {
      config: { role: 'admin', scope: 'keys:write', errors: ['conflict'], pinned: 'filtered' },
      schema: {
        operationId: 'revokeKey',
        tags,
        summary: 'Revoke a key',
        description:
          'The response is sent once no process accepts the key any more: its next use is 410 `gone` everywhere. You cannot revoke a key with more power than yours, and the last owner’s key that can manage others is 409 `conflict`. With `descendants`, every key that it has created or rotated is revoked too, recursively; never the key that you call with.',
        params: KeyPath,
        body: RevokeInput,
        response: { 200: RevokedKey },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId }, async ({ tx, audit, emit, accessChanged }) => {
        const id = requireId('key', request.params.key_id)
        const { descendants } = request.body
        const asked = { withDescendants: descendants ?? false }
        const [target, ...others] = await revoke(platform, tx, request.caller, id, asked)
        const revoked = [target, ...others].filter(({ isNew }) => isNew)
        for (const { before, after } of revoked) {
          audit({ action: 'key.revoked', target: { kind: 'key', id: after.id }, before, after })
          emit(revocationEvent(after))
        }
        if (revoked.length > 0) accessChanged()
        return {
          ...target.after,
          ...(descendants === true && { revoked_descendants: others.map(({ after }) => after.id) }),
        }
      })
    },
  )

  app.post(
    '/v1/orgs/:id/keys/:key_id/rotate',
    {
      config: { role: 'admin', scope: 'keys:write', errors: ['conflict'], pinned: 'filtered' },
      schema: {
        operationId: 'rotateKey',
        tags,
        summary: 'Rotate a key',
        description:
          'Creates the successor of a key: with the same powers and expiry. The old one works for another `overlap_seconds` and is then refused as `key_expired`. Works for your own key, or one with no more power than yours; a key can be rotated once.',
        params: KeyPath,
        body: RotateKeyInput,
        response: { 200: KeyWithSecret },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId }, async ({ tx, audit, emit, accessChanged }) => {
        const id = requireId('key', request.params.key_id)
        const { old, view, secret } = await rotate(platform, tx, request.caller, id, request.body.overlap_seconds ?? 0)
        audit({ action: 'key.rotated', target: { kind: 'key', id: old.id }, after: view })
        emit({
          kind: 'key.rotated',
          subject: old.id,
          data: { ...eventFieldsOf(old), replaced_by: view.id, expires_at: present(old.expires_at) },
        })
        accessChanged()
        return { ...view, secret }
      })
    },
  )

  app.post(
    '/v1/admin/orgs/:org_id/owner-keys',
    {
      config: { role: 'operator', scope: 'admin:write' },
      schema: {
        operationId: 'createOwnerKey',
        tags,
        summary: 'Create an owner’s key',
        description:
          'Recovers an organization that has lost its owners’ keys: creates a key with every scope, recorded in the organization’s audit log with the operator’s name. `secret` is shown in this response only.',
        params: AdminOrgPath,
        body: OwnerKeyInput,
        response: { 201: KeyWithSecret },
      },
    },
    (request, reply) => {
      const orgId = requireId('org', request.params.org_id)
      return change(request, reply, { orgId, status: 201 }, async ({ tx, audit, emit }) => {
        if (!(await lockOrgOfKeys(tx, orgId))) throw new ApiError('not_found')
        const { view, secret } = await mint(
          platform,
          tx,
          orgId,
          specifyOwnerKey(request.caller, request.body, clock.now()),
        )
        audit({ action: 'key.created', target: { kind: 'key', id: view.id }, after: view })
        emit({ kind: 'key.created', subject: view.id, data: { ...eventFieldsOf(view), expires_at: view.expires_at } })
        return { ...view, secret }
      })
    },
  )
}
