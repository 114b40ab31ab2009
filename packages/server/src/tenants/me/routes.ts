import { Type } from 'typebox'
import { describeTag } from '../../contract/openapi.ts'
import { type App, roles } from '../../contract/routes.ts'
import { Id, Nullable, OneOf, Timestamp } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { formatId, operatorsOrgId } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { timestamp } from '../../values/timestamp.ts'

const Me = Type.Object(
  {
    kind: OneOf(['key', 'support'], { description: '`support` for a support grant.' }),
    id: Id('key'),
    org_id: Nullable(Id('org')),
    role: OneOf(roles),
    scopes: Type.Array(Type.String()),
    pins: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
    expires_at: Nullable(Timestamp),
    limits: Type.Object({
      reads_per_minute: Nullable(Type.Integer({ description: 'Limit on reads; null for no limit.' })),
      policies: Type.Array(
        Type.Object({
          kind: OneOf(['requests', 'tokens', 'quota']),
          per: OneOf(['org', 'key', 'route_class', 'model']),
          match: Nullable(Type.String()),
          amount: Type.Integer(),
          window_seconds: Type.Integer(),
        }),
      ),
    }),
  },
  { title: 'Me', description: 'The caller.' },
)

/** Routes about the caller. */
export function me(app: App, { config }: Platform) {
  describeTag(app, 'identity', 'The calling key or grant.')
  app.get(
    '/v1/me',
    {
      config: { anyKey: true },
      schema: {
        operationId: 'getMe',
        tags: ['identity'],
        summary: 'Get the caller',
        description: 'Your own key or grant: its role, its scopes and the limits that bind it.',
        response: { 200: Me },
      },
    },
    ({ caller }) => {
      return {
        kind: caller.kind,
        id: formatId(caller.kind === 'key' ? 'key' : 'grant', caller.id),
        org_id: caller.orgId === operatorsOrgId ? null : formatId('org', caller.orgId),
        role: caller.role,
        scopes: caller.kind === 'support' ? [present(caller.grantScope)] : [...caller.scopes],
        pins: caller.pins,
        expires_at: Number.isFinite(caller.expiresAtMs) ? timestamp(new Date(caller.expiresAtMs)) : null,
        limits: {
          reads_per_minute: (caller.readRpm === undefined ? config.readLimitPerMinute : caller.readRpm) ?? null,
          policies: caller.ratePolicies.map(({ kind, per, match, amount, window_seconds }) => ({
            kind,
            per,
            match,
            amount,
            window_seconds,
          })),
        },
      }
    },
  )
}
