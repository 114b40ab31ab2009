import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Member } from '../../../server/proofs/storm/faults.ts'
import {
  createTenant,
  type Installation,
  openInstallation,
  type Tenant,
} from '../../../server/proofs/storm/installation.ts'
import { leashed } from '../../../server/proofs/support/postgres-server.ts'
import { startProgram } from '../../../server/test/support/programs.ts'
import { openTcpProxy } from '../../../server/test/support/tcp-proxy.ts'
import { call } from '../../../server/test/support/tenants.ts'
import type { GatewayConfig } from '../../src/config-schema.ts'
import { type PracticeProvider, startPracticeProvider } from '../../src/practice/provider.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const cache = { NODE_COMPILE_CACHE: join(tmpdir(), 'weir-compile-cache') }

/** Gateways as processes of their own, before a provider that keeps books, and all of Weir behind them. */
export interface Site {
  readonly installation: Installation
  readonly tenant: Tenant
  readonly provider: PracticeProvider
  readonly gateways: readonly (Member & { readonly url: string })[]
  /** Asks Weir as the owner of the organization. */
  readonly ask: (method: string, path: string, body?: object) => Promise<Record<string, unknown>>
  readonly close: () => Promise<void>
}

export async function openSite(options: {
  readonly apis: number
  readonly gateways: number
  /** What is configured beside the rest, by gateway. */
  readonly config?: readonly Partial<GatewayConfig>[]
}): Promise<Site> {
  const closing: (() => Promise<void> | void)[] = []
  const close = async () => {
    for (const end of closing.splice(0).toReversed()) await end()
  }
  try {
    const installation = await openInstallation({
      apis: options.apis,
      environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' },
    })
    closing.push(installation.close)
    const provider = await startPracticeProvider()
    closing.push(() => provider.stop())
    const folder = mkdtempSync(join(tmpdir(), 'weir-gateways-'))
    closing.push(() => rmSync(folder, { recursive: true, force: true }))
    const tenant = await createTenant(installation)
    const { apis, calm } = installation
    // One address for whichever API process serves: a balancer.
    const balancer = await openTcpProxy(() => ({
      host: '127.0.0.1',
      port: apis.find(({ port, serves }) => serves && port !== undefined)?.port ?? 1,
    }))
    closing.push(() => balancer.close())
    const ask: Site['ask'] = async (method, path, body) => {
      const { status, json, text } = await call(`http://127.0.0.1:${balancer.port}`, method, path, {
        key: tenant.key,
        body,
      })
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
      return json
    }
    const scopes = ['runs:write', 'runs:manage']
    const { secret } = await ask('POST', `/v1/orgs/${tenant.id}/keys`, { name: 'settlement', role: 'service', scopes })
    const gateways = await Promise.all(
      Array.from({ length: options.gateways }, async (_, i) => {
        const port = await freePort()
        const file = join(folder, `gateway-${i}.json`)
        const journal = { folder: join(folder, `journal-${i}`) }
        const weirUrl = `http://127.0.0.1:${balancer.port}`
        const config = { ...configOf(weirUrl, provider.url), ...options.config?.[i], listen: { port }, journal }
        writeFileSync(file, JSON.stringify(config))
        const start = () =>
          startProgram(`gateway-${i}`, leashed('KILL', [process.execPath, main]), {
            ...cache,
            WEIR_GATEWAY_CONFIG: file,
            SETTLEMENT_KEY: String(secret),
          })
        const member = new Member(`gateway-${i}`, 'the gateway listens', start, () => calm.value)
        return Object.assign(member, { url: `http://127.0.0.1:${port}` })
      }),
    )
    closing.push(async () => {
      await Promise.all(gateways.map((each) => each.close()))
    })
    await Promise.all(gateways.map((each) => each.up()))
    return { installation, tenant, provider, gateways, ask, close }
  } catch (error) {
    await close()
    throw error
  }
}

const configOf = (url: string, base_url: string): GatewayConfig => {
  const provider = { base_url, credential: { none: true } } as const
  return {
    weir: { url, settlement_key: { env: 'SETTLEMENT_KEY' }, timeout_seconds: 10, lease_seconds: 10 },
    providers: {
      openai: { kind: 'openai', ...provider },
      anthropic: { kind: 'anthropic', ...provider },
      drained: { kind: 'anthropic', ...provider, on_client_gone: 'drain' },
    },
    models: [
      { prefix: 'gpt-', provider: 'openai' },
      { prefix: 'claude-', provider: 'anthropic' },
    ],
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
