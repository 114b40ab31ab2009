import type { FastifyReply, FastifyRequest } from 'fastify'
import { createDeniedRecorder, createImpersonationRecorder } from '../audit/audit.ts'
import { ApiError } from '../contract/errors.ts'
import type { App } from '../contract/routes.ts'
import type { Platform } from '../infra/platform.ts'
import { formatId } from '../values/id.ts'
import { actorOf } from './actor.ts'

declare module 'fastify' {
  interface FastifyRequest {
    isOnRecord: boolean
  }
}

const administrative = new Set(['admin', 'owner', 'operator'])

/**
 * Puts on record what left no trace by itself: every request under a support grant, whatever its answer, and attempts at
 * administration that were refused.
 */
export function recordAttempts(app: App, platform: Platform) {
  const impersonated = createImpersonationRecorder(platform)
  const denied = createDeniedRecorder(platform)
  app.addHook('onClose', async () => {
    await Promise.all([impersonated.close(), denied.close()])
  })
  app.decorateRequest('isOnRecord', false)

  app.addHook('onSend', (request, reply, payload, done) => {
    const { principal } = request
    if (!principal || request.isOnRecord) return done(null, payload)
    request.isOnRecord = true
    if (principal.kind === 'support' && !impersonated.record(principal.orgId, attempt(request, reply))) {
      // What cannot be put on record must not be served.
      return done(new ApiError('service_unavailable'))
    }
    if (principal.kind === 'key' && reply.statusCode === 403 && administrative.has(request.route.role ?? '')) {
      denied.record(principal.orgId, actorOf(principal), actionOf(request), request.clientAddress, request.id)
    }
    done(null, payload)
  })
}

const actionOf = ({ method, route }: FastifyRequest) => `request ${method} ${route.template}`

const attempt = (request: FastifyRequest, { statusCode }: FastifyReply) => ({
  actor: actorOf(request.principal!),
  action: actionOf(request),
  target: { kind: 'org', id: formatId('org', request.principal!.orgId) },
  outcome: statusCode < 400 ? ('allowed' as const) : ('denied' as const),
  after: { status: statusCode, path: request.raw.url!.split('?')[0] },
  address: request.clientAddress,
  traceId: request.id,
})
