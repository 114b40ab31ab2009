import type { FastifyRequest } from 'fastify'
import { ApiError, orgIsMoving } from '../../contract/errors.ts'
import { present } from '../../values/present.ts'
import { authorize } from './authorization.ts'
import { type Caller, type Callers, hasSessionEnded } from './callers.ts'
import type { ParsedKey } from './key-format.ts'
import { csrfHeader, csrfTokenOf, isCsrfToken, type SessionCookies } from './session-cookie.ts'

/** Refuses a key that was revoked or has expired, and a member who was removed; revoked takes precedence. */
export function requireLive(caller: Caller, atMs: number) {
  if (caller.isRevoked && caller.kind === 'person')
    throw new ApiError('forbidden', {}, { message: 'You are no longer a member of this organization.' })
  if (caller.isRevoked) throw new ApiError('gone', {}, { message: 'This key was revoked.' })
  if (atMs < caller.notBeforeMs || atMs >= caller.expiresAtMs) throw new ApiError('key_expired')
}

/** Refuses callers of a suspended organization, and those at an address that it does not list. */
export function requireStanding(request: FastifyRequest, caller: Caller) {
  const refusal = refusalOfStanding(request, caller)
  if (refusal) throw refusal
}

export function refusalOfStanding(request: FastifyRequest, caller: Caller): ApiError | undefined {
  if (caller.isOrgMoving) return new ApiError('service_unavailable', {}, { message: orgIsMoving })
  if (caller.isOrgSuspended) return new ApiError('org_suspended')
  const isListed = caller.allowedNetworks?.contains(request.clientAddress) ?? true
  return isListed ? undefined : new ApiError('ip_not_allowed')
}

/** Methods that change nothing, and have no body. */
export const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** A token that a request presents; without its secret where it was recognized as one that was verified before. */
export type PresentedToken = Pick<ParsedKey, 'publicId'> & Partial<Pick<ParsedKey, 'secret'>>

/** Creates the admission of callers whose secret matches, so their true state may be revealed. */
export const createAdmission =
  (callers: Callers, cookies: SessionCookies, nowMs: () => number) =>
  (request: FastifyRequest, caller: Caller, token: PresentedToken | 'invalid') => {
    request.bearer = caller
    const atMs = nowMs()
    const { session } = caller
    if (session && hasSessionEnded(caller, session, atMs)) throw new ApiError('session_revoked')
    requireLive(caller, atMs)
    request.principal = caller
    request.presentedToken = token === 'invalid' ? undefined : token
    callers.used(caller)
    requireStanding(request, caller)
    if (session && token !== 'invalid') {
      request.csrfToken = csrfTokenOf(present(token.secret))
      const isOwn =
        cookies.isFromOwnPage(request) === true && isCsrfToken(request.headers[csrfHeader], request.csrfToken)
      if (!safeMethods.has(request.method) && !isOwn) throw new ApiError('forbidden', {}, { message: foreignPage })
    }
    authorize(caller, {
      method: request.method,
      template: request.route.template ?? '',
      params: request.params as { id?: string; org_id?: string },
      declaration: request.route,
    })
  }

const foreignPage =
  'A change in a session must come from a page of this service, with the header X-CSRF-Token: GET /v1/me has its value.'
