import { Type } from 'typebox'
import { makerText } from '../../access/identity/identity.ts'
import { describeTag } from '../../contract/openapi.ts'
import { type App, roles } from '../../contract/routes.ts'
import { exampleId, Id, Nullable, OneOf, Timestamp } from '../../contract/wire.ts'
import { readAtDatabaseTime } from '../../money/ledger/ledger.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { formatId, operatorsOrgId } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { timestamp } from '../../values/timestamp.ts'
import { limitsOfCaller, OwnLimits } from './limits.ts'

const Me = Type.Object(
  {
    kind: OneOf(['key', 'support', 'person'], { description: '`support` for a support grant, `person` for a member.' }),
    id: Type.String({ description: 'The key, the support grant or the membership.', examples: [exampleId('key')] }),
    org_id: Nullable(Id('org')),
    person: Nullable(
      Type.Object(
        { id: Id('person'), email: Type.String({ examples: ['ada@acme.example'] }) },
        { description: 'The person who calls; null for a key or a grant.' },
      ),
    ),
    role: OneOf(roles),
    scopes: Type.Array(Type.String()),
    pins: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
    expires_at: Nullable(Timestamp),
    session: Nullable(
      Type.Object(
        {
          id: Id('session'),
          way: OneOf(['key', 'link', 'oidc', 'saml', 'passkey'], { description: 'How somebody signed in.' }),
          expires_at: Timestamp,
          csrf_token: Type.String({
            description: 'Send it as `X-CSRF-Token` with every change that a page of this session makes.',
            examples: ['2pTz0yq1n1Vb3kq8mC0wqg3wq0uJxv2m3y6Q9cO8l0E'],
          }),
        },
        { description: 'The session of a browser in which the request was made.' },
      ),
    ),
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
export function me(app: App, { config, sql }: Platform) {
  describeTag(app, 'identity', 'The calling key or grant.')
  app.get(
    '/v1/me/limits',
    {
      config: { anyKey: true },
      schema: {
        operationId: 'getMyLimits',
        tags: ['identity'],
        summary: 'Get the limits of the caller',
        description:
          'Every limit on your key, your user and your pins, those by default included: what is left, when it starts afresh, and whether it is frozen. Limits of the whole organization come with `limits:read` and without pins.',
        response: { 200: OwnLimits },
      },
    },
    ({ caller }) => readAtDatabaseTime(sql, caller.orgId, (tx, nowMs) => limitsOfCaller(tx, caller, nowMs)),
  )

  app.get(
    '/v1/me',
    {
      config: { anyKey: true },
      schema: {
        operationId: 'getMe',
        tags: ['identity'],
        summary: 'Get the caller',
        description: 'Your own key, grant or membership: its role, its scopes and the limits that bind it.',
        response: { 200: Me },
      },
    },
    ({ caller, csrfToken }) => {
      return {
        kind: caller.kind,
        id: makerText(caller),
        org_id: caller.orgId === operatorsOrgId ? null : formatId('org', caller.orgId),
        person: caller.person ? { id: formatId('person', caller.person.id), email: caller.person.email } : null,
        role: caller.role,
        scopes: caller.kind === 'support' ? [present(caller.grantScope)] : [...caller.scopes],
        pins: caller.pins,
        expires_at: Number.isFinite(caller.expiresAtMs) ? timestamp(new Date(caller.expiresAtMs)) : null,
        session: caller.session
          ? {
              id: formatId('session', caller.session.id),
              way: caller.session.way,
              expires_at: timestamp(new Date(caller.session.expiresAtMs)),
              csrf_token: present(csrfToken),
            }
          : null,
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
