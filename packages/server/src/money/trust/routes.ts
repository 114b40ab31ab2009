import { type Static, type TSchema, Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App, RouteDeclaration } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { requireId } from '../../values/id.ts'
import { TrustedKeyPath, TrustInput, TrustSettings } from './schema.ts'
import { getTrust, keySubject, orgSubject, putTrust, removeTrust, type TrustSubject } from './trust.ts'

const tags = ['limits']
const write = { role: 'admin', scope: 'limits:write' } as const
const read = { role: 'viewer', scope: 'limits:read' } as const

export function trust(app: App, platform: Platform, change: Change) {
  trustable(app, platform, change, {
    path: '/v1/orgs/:id/trust',
    name: 'Trust',
    noun: 'callers',
    reading: { ...read, pinned: 'unaffected' },
    about: 'How far the word of every key of the organization is taken.',
    setting:
      'For every key of the organization; what is left out returns to its default. It counts for reservations and settlements from now on.',
    removing: {
      summary: 'Remove the settings of trust',
      description: 'The defaults apply again: what callers report is taken as it is.',
    },
    params: OrgPath,
    subjectOf: async (_tx, orgId) => orgSubject(orgId),
  })
  trustable(app, platform, change, {
    path: '/v1/orgs/:id/keys/:key_id/trust',
    name: 'KeyTrust',
    noun: 'a key',
    reading: read,
    about: 'How far the word of a key is taken, beside the settings of the organization.',
    setting:
      'For a key with the keys that it was and will be rotated to. The stricter of these settings and those of the organization counts.',
    removing: {
      summary: 'Remove the settings of trust of a key',
      description: 'The settings of the organization alone count again.',
    },
    params: TrustedKeyPath,
    subjectOf: (tx, orgId, { key_id }) => keySubject(tx, orgId, requireId('key', key_id)),
  })
}

interface Trustable<P extends TSchema> {
  readonly path: string
  /** Its name in operation ids: `getKeyTrust` for `KeyTrust`. */
  readonly name: string
  readonly noun: string
  readonly reading: RouteDeclaration
  readonly about: string
  readonly setting: string
  readonly removing: { readonly summary: string; readonly description: string }
  readonly params: P
  readonly subjectOf: (tx: Tx, orgId: string, params: Static<P>) => Promise<TrustSubject>
}

/** Registers the routes of the settings for one kind of subject. */
function trustable<P extends TSchema>(
  app: App,
  { sql }: Platform,
  change: Change,
  { path, name, noun, reading, about, setting, removing, params, subjectOf }: Trustable<P>,
) {
  const subjectIn =
    ({ caller: { orgId }, params: named }: { caller: { orgId: string }; params: unknown }) =>
    (tx: Tx) =>
      subjectOf(tx, orgId, named as Static<P>)

  app.get(
    path,
    {
      config: reading,
      schema: {
        operationId: `get${name}`,
        tags,
        summary: `Get the trust in ${noun}`,
        description: about,
        params,
        response: { 200: TrustSettings },
      },
    },
    (request) => {
      const { orgId } = request.caller
      return sql.asOrgs([orgId], async (tx) => getTrust(tx, orgId, await subjectIn(request)(tx)))
    },
  )

  replaceable(
    app,
    path,
    {
      config: write,
      tags,
      name,
      put: { summary: `Set the trust in ${noun}`, description: setting },
      patch: {
        summary: `Change the trust in ${noun}`,
        description: 'Changes the fields that are given and no other; otherwise as setting it.',
      },
      params,
      body: TrustInput,
      view: TrustSettings,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId }, (tools) => putTrust(tools, orgId, subjectIn(request), wanted))
    },
  )

  app.delete(
    path,
    {
      config: write,
      schema: {
        operationId: `delete${name}`,
        tags,
        ...removing,
        params,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId, status: 204 }, (tools) => removeTrust(tools, orgId, subjectIn(request)))
    },
  )
}
