import pg from 'pg'
import { asAdmin } from '../../scripts/private-services.ts'
import { eventually } from '../../test/support/programs.ts'
import type { Installation } from './installation.ts'

/** Something that goes wrong, the alerts that must say so, and what puts it right. */
export interface Drill {
  readonly name: string
  readonly alerts: readonly string[]
  readonly cause: (installation: Installation) => Promise<unknown> | void
  /** Goes on, time and again, until all is well. */
  readonly meanwhile?: (installation: Installation) => Promise<unknown>
  readonly cure: (installation: Installation) => Promise<unknown> | void
}

const decide = ({ ask, owner }: Installation, model = 'gpt-4o') =>
  ask('POST', '/v1/runs', { model, input_tokens: 10, max_output_tokens: 10 }, owner)

const setDatabaseOpen = async (name: string, isOpen: boolean) =>
  asAdmin(async (admin) => {
    await admin.query(`alter database ${pg.escapeIdentifier(name)} allow_connections ${isOpen}`)
    if (!isOpen) await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  })

export const drills: readonly Drill[] = [
  {
    name: 'the worker dies',
    alerts: ['WeirWorkerAbsent', 'WeirPartitionsUnknown'],
    cause: ({ parts }) => parts.worker.kill(),
    cure: ({ parts }) => parts.worker.start(),
  },
  {
    name: 'a model has no price',
    alerts: ['WeirUnpricedCallsRefused'],
    cause: (installation) => decide(installation, 'nobody-knows-this'),
    cure: () => undefined,
  },
  {
    name: 'Redis is gone',
    alerts: ['WeirRateLimitsFallBack'],
    async cause({ ask, orgId, operator, parts }) {
      await ask('PUT', `/v1/admin/orgs/${orgId}/rate-limits`, { read_rpm: 100_000, policies: [] }, operator)
      await parts.redis.kill()
    },
    meanwhile: ({ ask, owner }) => ask('GET', '/v1/runs', undefined, owner),
    cure: ({ parts }) => parts.redis.start(),
  },
  {
    name: 'the api dies',
    alerts: ['WeirApiAbsent'],
    cause: ({ parts }) => parts.api.kill(),
    cure: ({ parts }) => parts.api.start(),
  },
  {
    name: 'PostgreSQL lets nobody in',
    alerts: ['WeirPostgresUnreachable', 'WeirDecisionErrorsFast'],
    cause: ({ database }) => setDatabaseOpen(database, false),
    meanwhile: decide,
    cure: ({ database }) => setDatabaseOpen(database, true),
  },
  {
    name: 'the endpoint of a webhook is dead',
    alerts: ['WeirWebhookDeadLetters'],
    async cause({ ask, orgId, owner, closedPort }) {
      const body = { url: `http://127.0.0.1:${closedPort}/`, events: ['key.*'] }
      await ask('POST', `/v1/orgs/${orgId}/webhooks`, body, owner)
      await ask('POST', `/v1/orgs/${orgId}/keys`, { name: 'k', role: 'viewer', scopes: ['orgs:read'] }, owner)
    },
    cure: () => undefined,
  },
  {
    name: 'a gateway has no Weir',
    alerts: ['WeirGatewaySettlementsWaiting'],
    async cause({ gatewayUrl, providerUrl, owner, parts }) {
      void fetch(`${gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${owner}`,
          'content-type': 'application/json',
          'x-practice': JSON.stringify({ firstMs: 2_000 }),
        },
        body: JSON.stringify({ model: 'gpt-4o', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] }),
      }).catch(() => undefined)
      // The call is on its way: it was held, and will have to be settled.
      await eventually(async () => {
        const books = (await (await fetch(`${providerUrl}/books`)).json()) as { entries: unknown[] }
        return books.entries.length > 0
      })
      await parts.api.kill()
    },
    cure: ({ parts }) => parts.api.start(),
  },
  {
    name: 'a gateway dies',
    alerts: ['WeirGatewayDown'],
    cause: ({ parts }) => parts.gateway.kill(),
    cure: ({ parts }) => parts.gateway.start(),
  },
  {
    name: 'the configuration of a gateway is faulty',
    alerts: ['WeirGatewayConfigRejected'],
    cause({ parts, configure }) {
      configure('{')
      parts.gateway.signal('SIGHUP')
    },
    cure({ parts, configure }) {
      configure()
      parts.gateway.signal('SIGHUP')
    },
  },
]
