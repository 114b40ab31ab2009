import { pino } from 'pino'
import { afterAll, beforeAll } from 'vitest'
import { type ServerUnderTest, useServer } from '../../../server/test/support/harness.ts'
import { call, keyOf, operatorOf } from '../../../server/test/support/tenants.ts'
import { checkConfig } from '../../src/config.ts'
import type { GatewayConfig } from '../../src/config-schema.ts'
import { type Gateway, startGateway } from '../../src/gateway.ts'
import { createLog, type Log } from '../../src/infra/log.ts'
import { type PracticeProvider, startPracticeProvider } from '../../src/practice/provider.ts'
import type { Script } from '../../src/practice/script.ts'

export interface GatewayUnderTest {
  readonly weir: ServerUnderTest
  gateway: Gateway
  provider: PracticeProvider
  /** The settlement key's organization, with its owner's key. */
  orgId: string
  ownerKey: string
}

/** A real Weir, a real gateway before the practice provider, and an organization. */
export function useGateway(
  more: (base: GatewayConfig) => GatewayConfig = (base) => base,
  secrets: Record<string, string> = {},
  log = createLog(process.env['WEIR_TEST_LOG'] ?? 'silent'),
): GatewayUnderTest {
  const weir = useServer({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' } })
  const under = { weir } as GatewayUnderTest
  beforeAll(async () => {
    under.provider = await startPracticeProvider()
    const operator = await operatorOf(weir)
    const made = await call(weir.url, 'POST', '/v1/admin/orgs', { key: operator.key, body: { name: 'Gateway' } })
    under.orgId = (made.json as { id: string }).id
    under.ownerKey = (await keyOf(weir, under.orgId)).key
    const settlement = await keyOf(weir, under.orgId, {
      role: 'service',
      scopes: ['runs:read', 'runs:write', 'runs:manage'],
    })
    const env = { SETTLEMENT_KEY: settlement.key, PROVIDER_KEY: 'sk-provider-secret', ...secrets }
    under.gateway = await startGateway({
      config: checkConfig(more(baseConfig(weir.url, under.provider.url)), env),
      env,
      log,
    })
  })
  afterAll(async () => {
    await under.gateway?.stop()
    await under.provider?.stop()
  })
  return under
}

export const baseConfig = (weirUrl: string, providerUrl: string): GatewayConfig => ({
  listen: { port: 0, metrics_port: 0 },
  weir: { url: weirUrl, settlement_key: { env: 'SETTLEMENT_KEY' }, timeout_seconds: 60 },
  providers: {
    openai: {
      kind: 'openai',
      base_url: providerUrl,
      credential: { header: 'authorization', prefix: 'Bearer ', env: 'PROVIDER_KEY' },
    },
    anthropic: {
      kind: 'anthropic',
      base_url: providerUrl,
      credential: { header: 'x-api-key', env: 'PROVIDER_KEY' },
    },
    gemini: {
      kind: 'gemini',
      base_url: providerUrl,
      credential: { header: 'x-goog-api-key', env: 'PROVIDER_KEY' },
    },
  },
  models: [
    { prefix: 'gpt-', provider: 'openai' },
    { prefix: 'text-embedding-', provider: 'openai' },
    { prefix: 'claude-', provider: 'anthropic' },
    { prefix: 'gemini-', provider: 'gemini' },
    { name: 'gpt-4o', provider: 'openai' },
  ],
})

/** A log of everything, as it would be without the redaction of secrets. */
export function keptLog(): { log: Log; lines: string[] } {
  const lines: string[] = []
  return { log: pino({ level: 'trace', errorKey: 'error' }, { write: (line) => void lines.push(line) }), lines }
}

/** A header that tells the practice provider how to answer. */
export const practice = (script: Script) => ({ 'x-practice': JSON.stringify(script) })
