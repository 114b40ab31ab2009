import { setTimeout as sleep } from 'node:timers/promises'
import { sql as raw } from 'kysely'
import { Type } from 'typebox'
import { ApiError } from '../../src/contract/errors.ts'
import { ListOf, ListQuery } from '../../src/contract/lists.ts'
import type { App } from '../../src/contract/routes.ts'
import { Nullable, Usd } from '../../src/contract/wire.ts'
import type { Platform } from '../../src/platform/infra/platform.ts'

/** Routes that fail in every way a handler can, and one that has every kind of field. Registered in tests only. */
export function misbehavingRoutes(app: App, { sql }: Platform) {
  const open = (operationId: string) => ({ config: { open: true } as const, schema: { operationId } })
  const throwing: Record<string, () => unknown> = {
    string: () => {
      throw 'secret stack at /srv/weir/src/main.ts'
    },
    null: () => {
      throw null
    },
    undefined: () => {
      throw undefined
    },
    status: () => {
      throw Object.assign(new Error('I am a teapot'), { statusCode: 418, status: 418 })
    },
    'late-status': async () => {
      await sleep(1)
      throw Object.assign(new Error('no such user: alice'), { statusCode: 404 })
    },
    sql: () => raw`select * from no_such_table`.execute(sql.db),
    catalog: () => {
      throw new ApiError('budget_exceeded', {
        budget_id: 'bud_1',
        scope_kind: 'org',
        limit_usd: '1',
        spent_usd: '1',
        period_start: '2026-11-01T00:00:00+00:00',
        period_end: '2026-12-01T00:00:00+00:00',
      })
    },
    'rate-limited': () => {
      throw new ApiError('rate_limited', { retry_after_seconds: 7 })
    },
    unserializable: () => ({ value: 1n }),
    never: () => new Promise(() => undefined),
  }
  for (const [name, handler] of Object.entries(throwing)) {
    app.get(`/v1/test/throws/${name}`, open(`throws_${name}`), async () => (await handler()) as object)
  }

  app.post('/v1/test/bodyless', open('bodyless'), (request) => ({ body: request.body ?? null }))
  app.get(
    '/v1/test/closed',
    { config: { role: 'viewer', scope: 'orgs:read' }, schema: { operationId: 'closed' } },
    () => ({}),
  )
  app.post(
    '/v1/test/closed-change',
    { config: { role: 'admin', scope: 'orgs:write' }, schema: { operationId: 'closedChange' } },
    () => ({}),
  )
  app.get(
    '/v1/test/things/:thing_id',
    {
      config: { open: true },
      schema: {
        operationId: 'getThing',
        params: Type.Object({ thing_id: Type.String({ pattern: '^thing_[0-9]+$', 'x-path-id': true }) }),
      },
    },
    ({ params }) => params,
  )
  app.post(
    '/v1/test/bulk',
    {
      config: { open: true, bulk: true },
      schema: { operationId: 'bulk', body: Type.Object({ text: Type.Optional(Type.String()) }) },
    },
    ({ body }) => ({ length: body.text?.length ?? 0 }),
  )
  app.post(
    '/v1/test/echo',
    {
      config: { open: true },
      schema: {
        operationId: 'echo',
        querystring: Type.Object({
          page: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
          deep: Type.Optional(Type.Boolean()),
          tag: Type.Optional(Type.Array(Type.String({ maxLength: 5 }), { maxItems: 3 })),
        }),
        body: Type.Object({
          name: Type.String({ minLength: 1, maxLength: 10 }),
          count: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
          amount_usd: Type.Optional(Usd),
          note: Type.Optional(Nullable(Type.String({ maxLength: 20 }))),
          runs: Type.Optional(
            Type.Array(Type.Object({ cost_usd: Usd, model: Type.Optional(Type.Enum(['a', 'b'])) }), {
              minItems: 1,
              maxItems: 5,
            }),
          ),
        }),
      },
    },
    ({ body, query }) => ({ body, query }),
  )

  const rows = Type.Object({ id: Type.String(), name: Type.String() })
  app.get(
    '/v1/test/rows',
    {
      config: { open: true },
      schema: {
        operationId: 'listRows',
        querystring: ListQuery(
          { name: 'text', created_at: 'time' },
          {
            status: Type.Enum(['on', 'off']),
            minimum: Type.Integer({ minimum: 0, maximum: 10 }),
          },
        ),
        response: { 200: ListOf(rows) },
      },
    },
    () => ({ data: [], next_cursor: null }),
  )
}
