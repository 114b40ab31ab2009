import type { AddressInfo } from 'node:net'
import fastify from 'fastify'
import { sql as raw } from 'kysely'
import { Type } from 'typebox'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { deprecations } from '../../src/contract/deprecations/registry.ts'
import type { App } from '../../src/contract/routes.ts'
import { manualLifecycle } from '../../src/platform/infra/lifecycle.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { openPlatform, type Platform } from '../../src/platform/infra/platform.ts'
import { mint } from '../../src/tenants/keys/keys.ts'
import { putRateLimits } from '../../src/tenants/rate-limits/rate-limits.ts'
import type { RateLimitsInput } from '../../src/tenants/rate-limits/schema.ts'
import { newUuid } from '../../src/values/id.ts'

/** One of the two servers that are compared: `weir` with every hook, or `bare` with nothing but the framework. */

const Answer = Type.Object({
  id: Type.String(),
  amount_usd: Type.String(),
  count: Type.Integer(),
  tags: Type.Array(Type.String()),
})
const Body = Type.Object(
  {
    model: Type.String({ maxLength: 100 }),
    input_tokens: Type.Integer({ minimum: 0, maximum: 1e9 }),
    tags: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 10 })),
  },
  { additionalProperties: false },
)
const answer = { id: 'run_01jd3v5v7pf4ra7c9s2q8xk0zt', amount_usd: '12.5', count: 42, tags: ['a', 'b'] }

/** A read as a customer's: a key, an address list, and no rate limit, one or three. */
function identifiedRoute(app: App) {
  const config = { role: 'viewer', scope: 'orgs:read' } as const
  app.get(
    '/v1/bench/read',
    { config, schema: { operationId: 'benchIdentified', response: { 200: Answer } } },
    async () => answer,
  )
}

const plenty = 1_000_000_000
const twoMore: RateLimitsInput['policies'] = [
  { kind: 'requests', per: 'org', amount: plenty, window_seconds: 60 },
  { kind: 'requests', per: 'key', amount: plenty, window_seconds: 60 },
]

async function customerKey(
  platform: Platform,
  read_rpm: number | null,
  policies: RateLimitsInput['policies'] = [],
): Promise<string> {
  const orgId = newUuid()
  return platform.sql.asOrgs([orgId], async (tx) => {
    await raw`insert into orgs (id, name, ip_allow_list) values (${orgId}, 'Bench', '{127.0.0.0/8,10.0.0.0/8}')`.execute(
      tx,
    )
    await putRateLimits(tx, orgId, { read_rpm, policies })
    return (await mint(platform, tx, orgId, { name: 'bench', role: 'viewer', scopes: ['orgs:read'] })).secret
  })
}

function routes(app: App) {
  const config = { open: true } as const
  app.get('/v1/bench', { config, schema: { operationId: 'benchRead', response: { 200: Answer } } }, async () => answer)
  app.post(
    '/v1/bench',
    { config, schema: { operationId: 'benchWrite', body: Body, response: { 200: Answer } } },
    async () => answer,
  )
}

async function listening(): Promise<{ app: App; keys?: string[] }> {
  if (process.argv[2] === 'bare') {
    const app = fastify() as unknown as App
    routes(app)
    app.get('/v1/bench/read', { schema: { response: { 200: Answer } } }, async () => answer)
    await app.listen({ host: '127.0.0.1', port: 0 })
    return { app }
  }
  const { config } = readConfig(process.env)
  const platform = await openPlatform(config, 'api', createLog({ level: 'info', role: 'bench' }))
  const { app } = await buildApp(platform, manualLifecycle, deprecations, [routes, identifiedRoute])
  await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    app,
    keys: [
      await customerKey(platform, null),
      await customerKey(platform, plenty),
      await customerKey(platform, plenty, twoMore),
    ],
  }
}

const { app, keys } = await listening()
process.send!({ keys, port: (app.server.address() as AddressInfo).port })
process.on('message', () => process.send!({ cpuMicros: process.cpuUsage().user + process.cpuUsage().system }))
process.on('disconnect', () => process.exit(0))
