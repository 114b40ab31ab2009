import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import type { Caller } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import { describeTag } from '../../contract/openapi.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import type { PasskeyPower } from './passkey-powers.ts'
import { passkeyAmong, passkeyView, proofsWithPower, removePasskey, renamePasskey } from './person-passkeys.ts'
import { Passkey, PasskeyList, PasskeyName, PasskeyPath } from './schema.ts'

export function passkeys(app: App, platform: Platform, change: Change) {
  const tags = ['passkeys']
  describeTag(app, 'passkeys', 'Passkeys of the person who calls. They are added on the page of their profile.')

  /** Returns what a person has; a key or a grant has nothing that could be named. */
  function proofsOfPerson(caller: Caller, power: PasskeyPower) {
    if (caller.person === undefined) throw new ApiError('not_found')
    return proofsWithPower(platform, caller, power)
  }

  app.get(
    '/v1/me/passkeys',
    {
      config: { anyKey: true },
      schema: {
        operationId: 'listMyPasskeys',
        tags,
        summary: 'List your passkeys',
        description:
          'For a person who has signed in with a passkey or a recovery code; everybody else is 403 `forbidden`. No organization sees them.',
        response: { 200: PasskeyList },
      },
    },
    async ({ caller }) => {
      const proofs = await proofsWithPower(platform, caller, 'see')
      return { data: proofs.passkeys.map(passkeyView) }
    },
  )

  app.get(
    '/v1/me/passkeys/:passkey_id',
    {
      config: { anyKey: true, errors: ['not_found'] },
      schema: {
        operationId: 'getMyPasskey',
        tags,
        summary: 'Get one of your passkeys',
        description: 'Its name, when it was added and when it was last used.',
        params: PasskeyPath,
        response: { 200: Passkey },
      },
    },
    async ({ caller, params }) => {
      const proofs = await proofsOfPerson(caller, 'see')
      return passkeyView(passkeyAmong(proofs, requireId('passkey', params.passkey_id)))
    },
  )

  app.post(
    '/v1/me/passkeys/:passkey_id/rename',
    {
      config: { anyKey: true, errors: ['not_found'] },
      schema: {
        operationId: 'renameMyPasskey',
        tags,
        summary: 'Rename one of your passkeys',
        description: 'The name by which you tell them apart. It needs a session that is younger than ten minutes.',
        params: PasskeyPath,
        body: PasskeyName,
        response: { 200: Passkey },
      },
    },
    async (request, reply) => {
      const { caller, params, body } = request
      await proofsOfPerson(caller, 'change')
      const id = requireId('passkey', params.passkey_id)
      return change(request, reply, { orgId: caller.orgId }, (tools) => renamePasskey(tools, caller, id, body.name))
    },
  )

  app.delete(
    '/v1/me/passkeys/:passkey_id',
    {
      config: { anyKey: true, errors: ['not_found', 'conflict'] },
      schema: {
        operationId: 'deleteMyPasskey',
        tags,
        summary: 'Remove one of your passkeys',
        description:
          'Nobody signs in with it any more; sessions that it opened go on. It needs a session that is younger than ten minutes. The last one is 409 `conflict` while you have neither recovery codes nor an identity provider.',
        params: PasskeyPath,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    async (request, reply) => {
      const { caller, params } = request
      await proofsOfPerson(caller, 'change')
      const id = requireId('passkey', params.passkey_id)
      return change(request, reply, { orgId: caller.orgId, status: 204 }, (tools) => removePasskey(tools, caller, id))
    },
  )
}
