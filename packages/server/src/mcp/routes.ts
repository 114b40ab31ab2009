import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiFault, createApi, type PageApi, type Schemas } from '../console/api/api.ts'
import { ApiError, type ErrorCode, errorCodes } from '../contract/errors.ts'
import type { App } from '../contract/routes.ts'
import { bodyFaultsOf } from '../contract/unreadable-body.ts'
import type { Platform } from '../platform/infra/platform.ts'
import { newUuid } from '../values/id.ts'
import { isRecord } from '../values/records.ts'

const path = '/mcp'
const maxBodyBytes = 65_536

/** The caller of a message: who it is, and the API as it may use it. */
interface McpCaller {
  readonly api: PageApi
  readonly me: Schemas['Me']
  /** Aborted when the caller hangs up. */
  readonly signal: AbortSignal
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller of a message to `/mcp`, once the API has let it in. */
    mcpCaller: McpCaller | undefined
  }
}

/**
 * Serves the Model Context Protocol to agents, with their own keys. It is a client of the API like the console: each message first asks
 * `/v1/me` whose key it has, and tools ask `/v1` for everything else, so that nothing here can show or do what the API refuses.
 */
export async function mcp(root: App, platform: Platform) {
  await root.register(async (app: App) => {
    app.decorateRequest('mcpCaller')
    app.addHook('onRequest', async (request, reply) => {
      requireOwnOrigin(request, platform)
      if (request.method === 'POST') request.mcpCaller = await callerOf(root, request, reply)
    })
    const config = { urgency: 'read', ignoresIdempotencyKey: true } as const
    app.post(path, { config, bodyLimit: maxBodyBytes }, (request, reply) => answer(request, reply, platform))
    // A server that keeps no session has no stream to open and nothing to end.
    for (const method of ['GET', 'DELETE'] as const)
      app.route({ method, url: path, config: { urgency: 'read' }, handler: (_request, reply) => refuseMethod(reply) })
  })
}

/**
 * Refuses pages of other sites. They have no key, and a browser adds none; yet a name that a page has pointed at this machine must not
 * reach it at all. Programs send no origin.
 */
function requireOwnOrigin({ headers }: FastifyRequest, { addresses }: Platform) {
  const { origin } = headers
  if (origin === undefined || origin === new URL(addresses.publicUrl()).origin) return
  throw new ApiError('forbidden', {}, { message: 'Pages of other sites cannot use this.' })
}

/** Returns the caller whose key a request presents, or throws the refusal of the API. A cookie is no key here. */
async function callerOf(root: App, request: FastifyRequest, reply: FastifyReply): Promise<McpCaller> {
  if (request.headers.authorization === undefined) throw new ApiError('unauthorized')
  const hangUp = new AbortController()
  const { signal } = hangUp
  reply.raw.once('close', () => hangUp.abort())
  const options = {
    csrfToken: '',
    credential: 'authorization',
    signal,
    // A proposal that is sent again is the proposal that is there, so each call may have a key of its own.
    formKey: newUuid(),
  } as const
  try {
    const me = await createApi(root, request, { ...options, orgId: '' }).get('/v1/me')
    // A key of operators belongs to no organization: the API refuses whatever it asks for in one.
    return { me, signal, api: createApi(root, request, { ...options, orgId: me.org_id ?? 'none' }) }
  } catch (error) {
    throw error instanceof ApiFault ? refusalOf(error) : error
  }
}

/** Returns a refusal of the API as our own, with the same status, code and details. */
function refusalOf({ code, details, message, status }: ApiFault): ApiError {
  const known = errorCodes.find((each) => each === code) ?? 'internal'
  return new ApiError<ErrorCode>(known, details as never, { message, status } as never)
}

const jsonRpcError = (reply: FastifyReply, status: number, code: number, message: string, id: unknown = null) =>
  sendJson(reply, status, JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }))

const sendJson = (reply: FastifyReply, status: number, text: string) =>
  reply.code(status).type('application/json').serializer(String).send(text)

const refuseMethod = (reply: FastifyReply) =>
  jsonRpcError(reply.header('allow', 'POST'), 405, -32_000, 'Method not allowed: send each message with POST.')

const parseError = -32_700
const invalidRequest = -32_600
const methodNotFound = -32_601

/** Headers of the protocol; the credential is not among what tools are handed. */
const passedHeaders = /^(?:accept|content-type|mcp-[a-z-]+)$/

async function answer(request: FastifyRequest, reply: FastifyReply, { addresses, clock, log, version }: Platform) {
  const { body, mcpCaller } = request
  const [fault] = bodyFaultsOf(body) ?? []
  if (fault) return jsonRpcError(reply, 400, parseError, fault.message)
  // Revisions since 2025-06-18 have no batches, and one request counts as one against the rates.
  if (Array.isArray(body)) return jsonRpcError(reply, 400, invalidRequest, 'Send one message with each request.')
  if (!isRecord(body) || mcpCaller === undefined)
    return jsonRpcError(reply, 400, invalidRequest, 'The body must be a message of JSON-RPC 2.0.')
  if (body['method'] === 'subscriptions/listen')
    return jsonRpcError(reply, 200, methodNotFound, 'Nothing here changes while you listen.', idOf(body))
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    typeof value === 'string' && passedHeaders.test(name) ? [[name, value] as [string, string]] : [],
  )
  const message = new Request(new URL(path, addresses.publicUrl()), {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  const context = { ...mcpCaller, now: clock.now(), log }
  // Loaded with the first message: many installations never get one.
  const { answerMessage } = await import('./server.ts')
  const response = await answerMessage(message, body, context, version)
  const type = response.headers.get('content-type')
  if (type !== null) reply.type(type)
  return reply
    .code(response.status)
    .serializer(String)
    .send(await response.text())
}

const idOf = ({ id }: Record<string, unknown>) => (typeof id === 'string' || typeof id === 'number' ? id : null)
