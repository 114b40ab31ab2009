import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { Pool } from 'undici'
import { checkConfig } from '../../src/config.ts'
import { startGateway } from '../../src/gateway.ts'
import { createLog } from '../../src/infra/log.ts'
import { StubWeir } from '../support/stub-weir.ts'

/** One exchange: what a client sends, and what the provider answers, chunk by chunk. */
export interface Exchange {
  readonly path: string
  readonly body: Buffer
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  readonly type: string
  readonly chunks: readonly Buffer[]
}

export interface Relayed {
  /** The request at the provider. */
  readonly body: Buffer
  readonly headers: IncomingHttpHeaders
  /** The answer at the client. */
  readonly status: number
  readonly answer: Buffer
  readonly runId: string
}

/** A real gateway between a client and a provider that notes every byte. */
export async function openRelay() {
  const weir = new StubWeir()
  const open = new Map<string, { exchange: Exchange; seen?: { body: Buffer; headers: IncomingHttpHeaders } }>()
  const provider = createServer((request, response) => {
    void (async () => {
      const one = open.get(String(request.headers['x-case']))!
      one.seen = { body: await buffer(request), headers: request.headers }
      response.writeHead(one.exchange.status, { 'content-type': one.exchange.type })
      for (const chunk of one.exchange.chunks) {
        response.write(chunk)
        await turn()
      }
      response.end()
    })()
  })
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  const credential = { header: 'authorization', prefix: 'Bearer ', env: 'PROVIDER_KEY' }
  const env = { PROVIDER_KEY: 'sk-provider' }
  const gateway = await startGateway({
    config: checkConfig(
      {
        listen: { port: 0 },
        weir: { url: 'http://127.0.0.1:1', settlement_key: { env: 'PROVIDER_KEY' } },
        providers: {
          openai: { kind: 'openai', base_url, credential },
          anthropic: { kind: 'anthropic', base_url, credential },
          gemini: { kind: 'gemini', base_url, credential: { header: 'x-goog-api-key', env: 'PROVIDER_KEY' } },
        },
        models: [
          { prefix: 'claude-', provider: 'anthropic' },
          { prefix: 'gemini-', provider: 'gemini' },
          { prefix: '', provider: 'openai' },
        ],
      },
      env,
    ),
    env,
    log: createLog('silent'),
    transport: weir.send,
  })
  const client = new Pool(gateway.url, { connections: 16 })
  let cases = 0

  const relay = async (exchange: Exchange): Promise<Relayed | undefined> => {
    cases += 1
    const name = String(cases)
    open.set(name, { exchange })
    const answer = await client.request({
      method: 'POST',
      path: exchange.path,
      headers: {
        ...exchange.headers,
        'x-case': name,
        authorization: 'Bearer weir_fidelity_0123456789',
        'content-type': 'application/json',
      },
      body: exchange.body,
    })
    const bytes = Buffer.from(await answer.body.arrayBuffer())
    const { seen } = open.get(name)!
    open.delete(name)
    // Refused at the gateway: then there is nothing to compare.
    if (seen === undefined) return undefined
    return { ...seen, status: answer.statusCode, answer: bytes, runId: String(answer.headers['x-weir-run-id']) }
  }

  return {
    relay,
    weir,
    gateway,
    async close() {
      await client.close()
      await gateway.stop()
      provider.closeAllConnections()
      provider.close()
    },
  }
}

export type Relay = Awaited<ReturnType<typeof openRelay>>
