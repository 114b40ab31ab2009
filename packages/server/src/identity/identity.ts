import type { FastifyRequest } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import { type App, isContractPath } from '../contract/routes.ts'
import type { Platform } from '../infra/platform.ts'
import { networks } from '../values/network.ts'
import { authorize } from './authorization.ts'
import type { Caller, Callers } from './callers.ts'
import { clientAddress } from './client-address.ts'
import { type ParsedKey, parseKey } from './key-format.ts'

export { outranks } from './authorization.ts'
export { type Caller, type Callers, rememberCallers, secretKeyring, secretMac } from './callers.ts'
export { mintKey } from './key-format.ts'
export { operatorScopes, tenantScopes } from './scopes.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling; absent on open routes only. */
    principal: Caller | undefined
    clientAddress: string
  }
}

/** Counts a failed verification of a presented token; answers what to say when there were too many. */
export type Backoff = (address: string) => Promise<{ overLimit: boolean; retryAfterSeconds: number }>

/** Establishes who is calling and whether it may, before the body is read; emits every refusal itself. */
export function identify(app: App, { config, clock }: Platform, callers: Callers, backoff: Backoff) {
  const trusted = networks(config.trustedProxies)
  app.decorateRequest('principal')
  app.decorateRequest('clientAddress', '')

  app.addHook('onRequest', (request, _reply, done) => {
    const { template, open } = request.route
    if (open === true || template === undefined || !isContractPath(template)) return done()
    request.clientAddress = clientAddress(request, trusted)
    const key = presentedKey(request)
    if (key === 'missing') return done(new ApiError('unauthorized'))
    const caller = key === 'invalid' ? undefined : callers.remembered(key)
    if (key !== 'invalid' && caller && callers.isGenuine(caller, key)) {
      try {
        admit(request, caller)
        done()
      } catch (error) {
        done(error as Error)
      }
    } else void slowly(request, key, done)
  })

  /** The way of a caller that is not remembered: the database decides, or nobody has to be asked. */
  async function slowly(request: FastifyRequest, key: ParsedKey | 'invalid', done: (error?: Error) => void) {
    try {
      const caller = key === 'invalid' ? undefined : await callers.look(key)
      if (key === 'invalid' || !caller || !callers.isGenuine(caller, key)) await refuse(request)
      else admit(request, caller)
    } catch (error) {
      return done(error as Error)
    }
    done()
  }

  /** Only failed verifications count, so a valid key is never held up by what others send from its address. */
  async function refuse(request: FastifyRequest): Promise<never> {
    const { overLimit, retryAfterSeconds } = await backoff(request.clientAddress)
    if (overLimit)
      throw new ApiError(
        'rate_limited',
        { retry_after_seconds: retryAfterSeconds },
        { message: 'Too many invalid keys from this address.' },
      )
    throw new ApiError('unauthorized')
  }

  /** The secret is known to match, so the true state may be told. Revoked wins over expired. */
  function admit(request: FastifyRequest, caller: Caller) {
    if (caller.isRevoked) throw new ApiError('gone', {}, { message: 'This key was revoked.' })
    const nowMs = clock.now().getTime()
    if (nowMs < caller.notBeforeMs || nowMs >= caller.expiresAtMs) throw new ApiError('key_expired')
    request.principal = caller
    callers.used(caller)
    if (caller.isOrgSuspended) throw new ApiError('org_suspended')
    if (caller.allowedNetworks && !caller.allowedNetworks.contains(request.clientAddress))
      throw new ApiError('ip_not_allowed')
    authorize(caller, {
      method: request.method,
      template: request.route.template!,
      params: request.params as { id?: string; org_id?: string },
      declaration: request.route,
    })
  }
}

const bearer = /^bearer +(\S+) *$/i

function presentedKey({ headers }: FastifyRequest): ParsedKey | 'missing' | 'invalid' {
  const { authorization } = headers
  if (authorization === undefined) return 'missing'
  const token = bearer.exec(authorization)?.[1]
  return (token !== undefined && parseKey(token)) || 'invalid'
}
