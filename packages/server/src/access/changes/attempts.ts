import type { FastifyReply, FastifyRequest } from 'fastify'
import { withhold } from '../../contract/envelope.ts'
import { ApiError } from '../../contract/errors.ts'
import { type App, isContractPath } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { formatId } from '../../values/id.ts'
import { type Actor, type AuditRecord, createDeniedRecorder, createImpersonationRecorder } from '../audit/audit.ts'
import type { Caller, Identification } from '../identity/identity.ts'
import { actorOf } from './actor.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** True once a response is being recorded in the audit log: it is the only one that may be sent. */
    isOnRecord: boolean
  }
}

const administrative = new Set(['admin', 'owner', 'operator'])
const unavailable = 503
const maxPathLength = 2_048

/** A request and the status of its answer, as an audit entry shows them. */
export interface AnsweredRequest {
  readonly method: string
  /** Absent for a path that matches no route. */
  readonly template?: string
  readonly path: string
  readonly status: number
  readonly traceId: string
}

/**
 * Records a refusal where the organization of its caller lives; `false` when that failed. Returns undefined for a caller who lives here, if
 * anywhere.
 */
export type RecordAtHome = (request: FastifyRequest, refused: AnsweredRequest) => Promise<boolean | undefined>

export interface Attempts {
  /** Records a request that bypasses all hooks; `false` when that failed, and its response must not be sent. */
  readonly record: (request: FastifyRequest, status: number) => Promise<boolean>
  /** Records what another cell has refused, for whoever's token the request carries; `false` when that failed. */
  readonly recordRefused: (request: FastifyRequest, refused: AnsweredRequest) => Promise<boolean>
  /** Records that a caller was refused something outside `/v1`, such as a session. */
  readonly refused: (request: FastifyRequest, caller: Caller, action: string) => void
  /** Records that somebody who is no caller, such as a person at the door, was refused something, and why. */
  readonly refusedAtDoor: (
    request: FastifyRequest,
    author: { readonly orgId: string; readonly actor: Actor },
    action: string,
    after: Readonly<Record<string, string | null>>,
  ) => void
}

/**
 * Records in the audit log what leaves no trace by itself: every request under a support grant, before its response is sent and
 * whatever it is, and denied attempts at administration.
 */
export function recordAttempts(
  app: App,
  platform: Platform,
  identification: Identification,
  recordAtHome?: RecordAtHome,
): Attempts {
  const impersonated = createImpersonationRecorder(platform)
  const denied = createDeniedRecorder(platform)
  app.addHook('onClose', async () => {
    await Promise.all([impersonated.close(), denied.close()])
  })
  app.decorateRequest('isOnRecord', false)

  async function putOnRecord(request: FastifyRequest, status: number): Promise<boolean> {
    const elsewhere =
      request.bearer === undefined ? await recordAtHome?.(request, answeredOf(request, status)) : undefined
    if (elsewhere !== undefined) return elsewhere
    // A 503 may mean overload or no database: callers are not looked up for it.
    const isFromMemory = status === unavailable
    const bearer =
      request.bearer === undefined ? await identification.bearerOf(request, { isFromMemory }) : request.bearer
    return bearer?.kind !== 'support' || impersonated.record(bearer.orgId, entryOf(request, bearer, status))
  }

  async function recordRefused(request: FastifyRequest, { traceId, ...refused }: AnsweredRequest): Promise<boolean> {
    const bearer = await identification.bearerOf(request)
    if (bearer?.kind !== 'support') return true
    return impersonated.record(bearer.orgId, { ...entryBy(bearer, refused), address: request.clientAddress, traceId })
  }

  app.addHook('onSend', (request, reply, payload, done) => {
    const { principal } = request
    // A second response after the recorded one, such as of a handler that timed out, is dropped.
    if (request.isOnRecord) return undefined
    if (!mayBeSupport(request)) {
      if (principal && principal.kind !== 'support') noteRefusal(request, reply, principal)
      return done(null, payload)
    }
    request.isOnRecord = true
    void sendOnRecord(request, reply, payload, done)
    return undefined
  })

  async function sendOnRecord(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: null, payload: unknown) => void,
  ) {
    const { statusCode } = reply
    const isOnRecord = await putOnRecord(request, statusCode)
    if (reply.raw.headersSent) return
    if (!isOnRecord) {
      discard(payload)
      return done(null, withhold(reply, new ApiError('service_unavailable')))
    }
    // The recorded status is the one that is sent, whatever a late handler has set meanwhile.
    reply.code(statusCode)
    done(null, payload)
  }

  function noteRefusal(request: FastifyRequest, { statusCode }: FastifyReply, principal: Caller) {
    if (statusCode !== 403 || !administrative.has(request.route.role ?? '')) return
    denied.record(principal.orgId, actorOf(principal), attemptAt(request, actionOf(request)))
  }

  return {
    record: putOnRecord,
    recordRefused,
    refused: (request, caller, action) => denied.record(caller.orgId, actorOf(caller), attemptAt(request, action)),
    refusedAtDoor: (request, { orgId, actor }, action, after) =>
      denied.record(orgId, actor, { ...attemptAt(request, action), after }),
  }
}

/** True when a request may be under a support grant: it is, or was refused before its token was checked. */
function mayBeSupport({ bearer, route, headers }: FastifyRequest): boolean {
  if (bearer !== undefined) return bearer?.kind === 'support'
  const isClosed = route.template === undefined || (isContractPath(route.template) && route.open !== true)
  return isClosed && (headers.authorization !== undefined || headers.cookie !== undefined)
}

/** Destroys a stream that nobody will read, which would hold its source open. */
function discard(payload: unknown) {
  if (payload !== null && typeof payload === 'object' && 'destroy' in payload && typeof payload.destroy === 'function')
    payload.destroy()
}

const attemptAt = ({ clientAddress, id }: FastifyRequest, action: string) => ({
  action,
  address: clientAddress,
  traceId: id,
})

const actionOf = ({ method, routeOptions }: FastifyRequest) => actionOn(method, routeOptions.config?.template)
const actionOn = (method: string, template: string | undefined) => `request ${method} ${template ?? '(unmatched)'}`

const answeredOf = ({ method, routeOptions, originalUrl, id }: FastifyRequest, status: number): AnsweredRequest => {
  const template = routeOptions.config?.template
  const path = originalUrl.replace(/\?.*$/s, '').slice(0, maxPathLength)
  return { method, ...(template !== undefined && { template }), path, status, traceId: id }
}

const entryOf = (request: FastifyRequest, bearer: Caller, status: number): AuditRecord => ({
  ...entryBy(bearer, answeredOf(request, status)),
  address: request.clientAddress,
  traceId: request.id,
})

const entryBy = (
  bearer: Caller,
  { method, template, path, status }: Omit<AnsweredRequest, 'traceId'>,
): Omit<AuditRecord, 'address' | 'traceId'> => ({
  actor: actorOf(bearer),
  action: actionOn(method, template),
  target: { kind: 'org', id: formatId('org', bearer.orgId) },
  outcome: status < 400 ? 'allowed' : 'denied',
  after: { status, path },
})
