import { Pool } from 'undici'
import { addressOf, type GatewayConfig, mostInFlight, type ProviderConfig } from '../config-schema.ts'
import { type JsonObject, RequestFault, type RequestHeaders } from '../dialects/dialect.ts'
import type { Clock } from '../infra/clock.ts'
import type { Edit } from '../values/json-text.ts'
import { azurePlatform } from './azure.ts'
import { bedrockPlatform } from './bedrock.ts'
import { Circuit } from './circuit.ts'
import { createAuthorize } from './credentials.ts'
import { geminiPlatform } from './gemini.ts'
import { forwardedHeaders } from './headers.ts'
import { type Platform, plainPlatform, type Target } from './platform.ts'
import type { UpstreamRequest } from './upstream-request.ts'
import { vertexPlatform } from './vertex.ts'
import { vertexGeminiPlatform } from './vertex-gemini.ts'

/** One provider: where it is, how to authenticate there, and what it bills when a caller hangs up. */
export interface Upstream {
  readonly name: string
  readonly config: ProviderConfig
  /** The provider as runs and prices name it. */
  readonly label: string
  /** The answer to a caller that hangs up: stop the provider, or read on for what it bills. */
  readonly onClientGone: 'abort' | 'drain'
  readonly pool: Pool
  readonly circuit: Circuit
  /** True when it may be asked for a model. */
  serves(model: string): boolean
  /** Returns a model as runs and prices name it. */
  pricedName(model: string): string
  /** True for an answer that refuses the gateway and not its caller: it may tell of the gateway's account. */
  refusesGateway(status: number): boolean
  /** Returns the message of an error in a form of a cloud's own; undefined for other errors, and for a provider that has none. */
  readonly errorMessage: Platform['errorMessage'] | undefined
  /** Returns what is to be changed in the body of a request, beside what bounds its cost. */
  edits(body: JsonObject, target: Target, headers: RequestHeaders): Edit[]
  /** Makes a request, with the headers of its caller and the credential of the gateway. */
  requestOf(target: Target, headers: RequestHeaders, body: Buffer): Promise<UpstreamRequest>
}

export type Upstreams = ReadonlyMap<string, Upstream>

export function createUpstreams(config: GatewayConfig, env: NodeJS.ProcessEnv, clock: Clock): Upstreams {
  // A call that was admitted holds money: none waits for a connection, unless the operator has bounded them.
  const connections = mostInFlight(config)
  return new Map(
    Object.entries(config.providers).map(([name, provider]) => [
      name,
      createUpstream(name, { connections, ...provider }, env, clock),
    ]),
  )
}

const platforms: Partial<Record<ProviderConfig['kind'], (config: ProviderConfig) => Platform>> = {
  azure: azurePlatform,
  'bedrock-anthropic': bedrockPlatform,
  'vertex-anthropic': vertexPlatform,
  gemini: () => geminiPlatform,
  'vertex-gemini': vertexGeminiPlatform,
}

/** Names by which prices know a cloud, whatever its entry is called. */
const labels: Partial<Record<ProviderConfig['kind'], string>> = {
  azure: 'azure',
  'bedrock-anthropic': 'aws',
  'vertex-anthropic': 'google',
  gemini: 'google',
  'vertex-gemini': 'google',
}

/** Clouds, which say 403 of the gateway's own rights. */
const clouds: ReadonlySet<ProviderConfig['kind']> = new Set(['bedrock-anthropic', 'vertex-anthropic', 'vertex-gemini'])

/** Providers that bill an answer to its end, whether somebody reads it or not. */
const billedToTheEnd: ReadonlySet<ProviderConfig['kind']> = new Set([...clouds, 'gemini'])

function createUpstream(name: string, config: ProviderConfig, env: NodeJS.ProcessEnv, clock: Clock): Upstream {
  const url = new URL(addressOf(config))
  const base = basePath(url, config)
  const platform = platforms[config.kind]?.(config) ?? plainPlatform
  const authorize = createAuthorize(config, env, clock)
  const isCloud = clouds.has(config.kind)
  const isCallers = 'client' in config.credential
  const idOf = (model: string) => {
    const id = platform.idOf(model)
    if (id === undefined) throw new RequestFault('model_not_found', `the model ${model} is not served here`, 'model')
    return id
  }
  return {
    name,
    config,
    label: config.label ?? labels[config.kind] ?? name,
    onClientGone: config.on_client_gone ?? (billedToTheEnd.has(config.kind) ? 'drain' : 'abort'),
    pool: new Pool(url.origin, {
      ...(config.connections !== undefined && { connections: config.connections }),
      pipelining: 1,
      connect: { timeout: 10_000 },
      headersTimeout: (config.first_byte_seconds ?? 600) * 1_000,
      bodyTimeout: (config.idle_seconds ?? 300) * 1_000,
      keepAliveTimeout: 60_000,
    }),
    circuit: new Circuit(clock),
    serves: (model) => platform.idOf(model) !== undefined,
    pricedName: (model) => platform.pricedName?.(model, idOf(model)) ?? model,
    refusesGateway: (status) => !isCallers && (status === 401 || (isCloud && status === 403)),
    errorMessage: platform.errorMessage,
    edits: (body, target, headers) => platform.edits(body, idOf(target.model), target, headers),
    async requestOf(target, headers, body) {
      const path = platform.pathOf(target, idOf(target.model))
      if (path === undefined)
        throw new RequestFault('model_not_found', `the provider of ${target.model} does not offer ${target.path}`)
      const sent = forwardedHeaders(headers, isCallers)
      sent['host'] = url.host
      sent['content-length'] = String(body.length)
      // In another character set, or as something else than JSON, the same bytes could say something else than was read here.
      sent['content-type'] = 'application/json'
      // What is compressed could not be metered.
      sent['accept-encoding'] = 'identity'
      const request = { method: 'POST', path: base + path, headers: sent, body } as const
      Object.assign(sent, await authorize(request))
      return request
    },
  }
}

/** Returns what stands before the paths of a provider, however much of them the address has already. */
function basePath({ pathname }: URL, { kind }: ProviderConfig): string {
  const path = pathname.replace(/\/$/, '').replace(kind === 'gemini' ? /\/v1(beta)?$/ : /\/v1$/, '')
  return kind === 'azure' ? path.replace(/\/openai$/, '') : path
}
