import type { EmbeddedGateway, Transport } from '@weir/gateway'
import { ConfigurationError } from './config.ts'
import type { App } from './contract/routes.ts'
import type { Platform } from './platform/infra/platform.ts'

/**
 * Starts the gateway inside this process, where a setting names its configuration. It speaks to the API as any gateway does, by requests to
 * `/v1` with the keys of its callers, but within the process.
 */
export async function startGatewayInside(
  app: App,
  { config, log }: Platform,
  env: NodeJS.ProcessEnv,
): Promise<EmbeddedGateway | undefined> {
  const { gatewayConfig: path, logLevel } = config
  if (path === undefined) return undefined
  // Loaded only where it is wanted: its tokenizer takes memory.
  const { startEmbeddedGateway } = await import('@weir/gateway')
  const gateway = await startEmbeddedGateway({ path, env, logLevel, transport: injected(app) })
  if ('faults' in gateway) throw new ConfigurationError(gateway.faults.map((fault) => `SVC_GATEWAY_CONFIG: ${fault}`))
  process.on('SIGHUP', () => gateway.reload())
  log.info({ url: gateway.url }, 'the gateway listens')
  return gateway
}

/** A way to the API within the process. A caller's address is that of its connection to the gateway. */
const injected =
  (app: App): Transport =>
  async ({ method, path, headers, body, timeoutMs }) => {
    const { 'x-forwarded-for': remoteAddress = '127.0.0.1', ...others } = headers
    const answer = await withinTime(
      app.inject({ method, url: path, headers: others, remoteAddress, ...(body !== undefined && { payload: body }) }),
      timeoutMs,
    )
    return { status: answer.statusCode, headers: plainHeaders(answer.headers), body: answer.body }
  }

const plainHeaders = (headers: Readonly<Record<string, number | string | string[] | undefined>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
  )

/** Waits for an answer, as long as it may take. */
function withinTime<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('the API did not answer in time')), timeoutMs)
  return Promise.race([answer, promise]).finally(() => clearTimeout(timer))
}
