import { type Static, type TSchema, Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { requireId } from '../../values/id.ts'
import { type FreezeTarget, freeze, keyTarget, limitTarget, listFreezes, orgTarget, thaw } from './freezes.ts'
import { Freeze, FreezeInput, FreezeList, FrozenKeyPath, FrozenLimitPath } from './schema.ts'

const tags = ['limits']
const config = { role: 'admin', scope: 'limits:write' } as const
const refused = 'Everything that would be charged to it is refused with 402 `frozen`, from the next decision on.'
const goesOn = 'Calls that are running go on and are settled; what it has counted, and its limit, stay as they are.'
const decideAgain = 'Its limits decide again.'

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
  freezable(app, change, {
    path: '/v1/orgs/:id',
    name: 'Org',
    noun: 'the organization',
    freezing: `${refused} ${goesOn}`,
    thawing: decideAgain,
    params: OrgPath,
    targetOf: async (_tx, orgId) => orgTarget(orgId),
  })
  freezable(app, change, {
    path: '/v1/orgs/:id/keys/:key_id',
    name: 'Key',
    noun: 'a key',
    freezing: `With the keys that it was and will be rotated to. ${refused} The key can still read.`,
    thawing: decideAgain,
    params: FrozenKeyPath,
    targetOf: (tx, orgId, { key_id }) => keyTarget(tx, orgId, requireId('key', key_id)),
  })
  freezable(app, change, {
    path: '/v1/orgs/:id/limits/:limit_id',
    name: 'Limit',
    noun: 'a limit',
    freezing: `A budget, a default budget, the spend cap, a concurrency limit or the limit of a customer. ${refused} ${goesOn}`,
    thawing: 'It decides again, with what it has counted.',
    params: FrozenLimitPath,
    targetOf: (tx, orgId, { limit_id }) => limitTarget(tx, orgId, limit_id),
  })
}

interface Freezable<P extends TSchema> {
  readonly path: string
  /** Its name in operation ids: `freezeKey` for `Key`. */
  readonly name: string
  readonly noun: string
  readonly freezing: string
  readonly thawing: string
  readonly params: P
  readonly targetOf: (tx: Tx, orgId: string, params: Static<P>) => Promise<FreezeTarget>
}

/** Registers the two routes by which something is frozen and thawed. */
function freezable<P extends TSchema>(
  app: App,
  change: Change,
  { path, name, noun, freezing, thawing, params, targetOf }: Freezable<P>,
) {
  const targetIn =
    ({ caller: { orgId }, params: named }: { caller: { orgId: string }; params: unknown }) =>
    (tx: Tx) =>
      targetOf(tx, orgId, named as Static<P>)

  app.post(
    `${path}/freeze`,
    {
      config,
      schema: {
        operationId: `freeze${name}`,
        tags,
        summary: `Freeze ${noun}`,
        description: freezing,
        params,
        body: FreezeInput,
        response: { 200: Freeze },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId }, (tools) => freeze(tools, orgId, targetIn(request), request.body))
    },
  )

  app.post(
    `${path}/thaw`,
    {
      config,
      schema: {
        operationId: `thaw${name}`,
        tags,
        summary: `Thaw ${noun}`,
        description: `${thawing} 404 where it is not frozen.`,
        params,
        response: { 204: Type.Null({ description: 'Thawed.' }) },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId, status: 204 }, (tools) => thaw(tools, orgId, targetIn(request)))
    },
  )
}
