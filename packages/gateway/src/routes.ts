import type { Dialect, PathFacts, RequestHeaders } from './dialects/dialect.ts'
import { dialectNamed } from './dialects/dialects.ts'
import type { Place } from './models/models.ts'

/** The meaning of a path. A path that is not listed is closed: what is forwarded and not metered is a hole in every limit. */
export type Route =
  | {
      readonly kind: 'call'
      readonly dialect: Dialect
      readonly path: string
      readonly provider?: string
      readonly deployment?: string
      readonly facts?: PathFacts
      readonly place?: Place
    }
  /** Free of charge at the provider: passed on once the key has been checked. */
  | {
      readonly kind: 'free'
      readonly dialect: Dialect
      readonly path: string
      readonly provider?: string
      readonly place?: Place
      readonly facts?: PathFacts
    }
  /** About an answer that the provider keeps: for the caller that made it. */
  | {
      readonly kind: 'stored'
      readonly dialect: Dialect
      readonly method: 'GET' | 'POST' | 'DELETE'
      readonly id: string
      readonly path: string
    }
  | { readonly kind: 'models'; readonly dialect?: Dialect }
  | { readonly kind: 'probe'; readonly name: 'healthz' | 'readyz' }
  | { readonly kind: 'closed'; readonly dialect: Dialect }

const calls: Readonly<Record<string, Dialect['name']>> = {
  '/v1/chat/completions': 'chat',
  '/v1/completions': 'completions',
  '/v1/responses': 'responses',
  '/v1/responses/compact': 'compaction',
  '/v1/embeddings': 'embeddings',
  '/v1/messages': 'messages',
}
const free: Readonly<Record<string, Dialect['name']>> = {
  '/v1/messages/count_tokens': 'messages',
  '/v1/responses/input_tokens': 'responses',
}

/** Operations of Gemini, which stand after the name of a model. */
const geminiCalls: Readonly<Record<string, { readonly dialect: Dialect['name']; readonly stream: boolean }>> = {
  generateContent: { dialect: 'gemini', stream: false },
  streamGenerateContent: { dialect: 'gemini', stream: true },
  embedContent: { dialect: 'gemini-embeddings', stream: false },
  batchEmbedContents: { dialect: 'gemini-embeddings', stream: false },
}

/** Paths that only Gemini has. The list of models may stand at the same one as OpenAI's: then its headers tell. */
const isGemini = (path: string, headers: RequestHeaders) =>
  path.startsWith('/v1beta/') ||
  /^\/v1\/models\/[^/]*:/.test(path) ||
  (path === '/v1/models' && (headers['x-goog-api-key'] ?? headers['x-goog-api-client']) !== undefined)

/** The meaning of a path of Gemini. A name that is written with escapes is none. */
function geminiRoute(method: string, path: string, where: { readonly provider?: string }): Route {
  const [, version = ''] = /^\/(v1|v1beta)\/models/.exec(path) ?? []
  if (method === 'GET' && path === `/${version}/models`) return { kind: 'models', dialect: dialectNamed('gemini') }
  const [, model = '', operation = ''] = /^\/\w+\/models\/([A-Za-z0-9][\w.-]*):([A-Za-z]+)$/.exec(path) ?? []
  const target = { path: `/${version}/models/{model}:${operation}`, ...where }
  if (method === 'POST' && operation === 'countTokens')
    return { kind: 'free', dialect: dialectNamed('gemini'), ...target, facts: { model } }
  const call = method === 'POST' && Object.hasOwn(geminiCalls, operation) ? geminiCalls[operation] : undefined
  if (call === undefined) return { kind: 'closed', dialect: dialectNamed('gemini') }
  return { kind: 'call', dialect: dialectNamed(call.dialect), ...target, facts: { model, stream: call.stream } }
}

/** Routes whose path is written as it is listed: nearly all calls. */
const plainRoutes: ReadonlyMap<string, Route> = new Map(
  Object.entries(calls).map(([path, name]) => [path, { kind: 'call', dialect: dialectNamed(name), path }]),
)

export function routeOf(method: string, fullPath: string, headers: RequestHeaders): Route {
  const plain = method === 'POST' ? plainRoutes.get(fullPath) : undefined
  if (plain !== undefined) return plain
  const named = /^\/p\/([a-z0-9][a-z0-9_-]*)(\/.*)$/.exec(fullPath)
  const provider = named?.[1]
  const path = named?.[2] ?? fullPath
  const azure = /^\/openai\/deployments\/([^/]+)(\/.+)$/.exec(path)
  // Azure's clients send responses to `/openai/responses`, and all else to a deployment or to `/openai/v1`.
  const wanted = azure ? `/v1${azure[2]}` : path.replace(/^\/openai(?:\/v1)?(?=\/responses)|^\/openai\/v1/, '/v1')
  const deployment = azure ? { deployment: decoded(azure[1] ?? '') } : {}
  const where = provider === undefined ? {} : { provider }
  if (method === 'GET' && (path === '/healthz' || path === '/readyz'))
    return { kind: 'probe', name: path === '/healthz' ? 'healthz' : 'readyz' }
  if (path.startsWith('/model/')) return bedrockRoute(method, path, where)
  if (path.startsWith('/v1/projects/')) return vertexRoute(method, path, where)
  if (isGemini(path, headers)) return geminiRoute(method, path, where)
  if (method === 'GET' && wanted === '/v1/models') return { kind: 'models' }
  if (method === 'POST') {
    const called = Object.hasOwn(calls, wanted) ? calls[wanted] : undefined
    if (called !== undefined)
      return { kind: 'call', dialect: dialectNamed(called), path: wanted, ...where, ...deployment }
    const counted = Object.hasOwn(free, wanted) ? free[wanted] : undefined
    if (counted !== undefined) return { kind: 'free', dialect: dialectNamed(counted), path: wanted, ...where }
  }
  const stored = storedRoute(method, wanted)
  if (stored !== undefined) return stored
  return { kind: 'closed', dialect: dialectNamed(wanted.startsWith('/v1/messages') ? 'messages' : 'chat') }
}

/** The meaning of a path of Bedrock. The name in it only finds a configured model, and is never passed on. */
function bedrockRoute(method: string, path: string, where: { readonly provider?: string }): Route {
  const dialect = dialectNamed('bedrock')
  const [, id, operation] = /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream)$/.exec(path) ?? []
  if (method !== 'POST' || id === undefined) return { kind: 'closed', dialect }
  const facts = { model: decoded(id), stream: operation !== 'invoke' }
  return { kind: 'call', dialect, path: '/v1/messages', ...where, facts }
}

/** The meaning of a path of Vertex AI, of which project, region and model only find what is configured. */
function vertexRoute(method: string, path: string, where: { readonly provider?: string }): Route {
  const dialect = dialectNamed('vertex')
  const [, project, region, id, operation] =
    /^\/v1\/projects\/([^/]+)\/locations\/([^/]+)\/publishers\/anthropic\/models\/([^/:]+):(rawPredict|streamRawPredict)$/.exec(
      path,
    ) ?? []
  if (method !== 'POST' || project === undefined || region === undefined || id === undefined)
    return { kind: 'closed', dialect }
  const place = { project: decoded(project), region: decoded(region) }
  const isStream = operation === 'streamRawPredict'
  if (id === 'count-tokens')
    return isStream
      ? { kind: 'closed', dialect }
      : { kind: 'free', dialect, path: '/v1/messages/count_tokens', ...where, place }
  return {
    kind: 'call',
    dialect,
    path: '/v1/messages',
    ...where,
    facts: { model: decoded(id), stream: isStream },
    place,
  }
}

/** Reads a segment of a path; one that cannot be read stands for itself. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const storedPaths = /^\/v1\/responses\/([A-Za-z0-9_-]{1,200})(\/cancel|\/input_items)?$/
const storedMethods: Readonly<Record<string, readonly ('GET' | 'POST' | 'DELETE')[]>> = {
  '': ['GET', 'DELETE'],
  '/cancel': ['POST'],
  '/input_items': ['GET'],
}

function storedRoute(method: string, path: string): Route | undefined {
  const [, id, part = ''] = storedPaths.exec(path) ?? []
  const known = storedMethods[part]?.find((one) => one === method)
  if (id === undefined || known === undefined) return undefined
  return { kind: 'stored', dialect: dialectNamed('responses'), method: known, id, path }
}

/** Parameters of addresses that are passed on. Any other is refused: nobody here knows what it would change. */
const parameters = new Set(['beta', 'api-version'])
/** Parameters of requests about an answer that is kept: they choose what is shown of it. */
const storedParameters = new Set(
  'api-version include include[] stream starting_after include_obfuscation limit order after before'.split(' '),
)

/** The parameters of an address. */
export interface Query {
  /** The one because of which the address is refused. */
  readonly refused?: string | undefined
  /** The parameters that are passed on, as they stand after a path. */
  readonly forwarded: string
  /** A key that stands in the address, as Google allows. It is never passed on. */
  readonly key?: string | undefined
}

export function queryOf(route: Route, search: string): Query {
  if (search === '') return { forwarded: '' }
  const given = new URLSearchParams(search)
  if ('dialect' in route && route.dialect?.name.startsWith('gemini')) return geminiQuery(route, given)
  const known = route.kind === 'stored' ? storedParameters : parameters
  return {
    refused: [...given.keys()].find((name) => !known.has(name)),
    forwarded: `?${search}`,
  }
}

/** The parameters of a request to Gemini. Others than these would hide what an answer used, or write it in a form that is not read here. */
function geminiQuery(route: Route, given: URLSearchParams): Query {
  const isStream = route.kind === 'call' && route.facts?.stream === true
  const forms = isStream ? ['sse', 'json'] : ['json']
  const known = new Set(route.kind === 'models' ? ['key', 'pageSize', 'pageToken'] : ['key', 'alt'])
  const isFine = (name: string) => known.has(name) && given.getAll(name).length === 1
  const form = given.get('alt')
  return {
    refused:
      [...given.keys()].find((name) => !isFine(name)) ?? (form === null || forms.includes(form) ? undefined : 'alt'),
    forwarded: form === 'sse' ? '?alt=sse' : '',
    key: given.get('key') ?? undefined,
  }
}
