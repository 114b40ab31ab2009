import type { FastifyRequest } from 'fastify'
import { ApiError, isApiError } from '../../contract/errors.ts'
import { type App, isContractPath } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { createNetworkMatcher } from '../../values/network.ts'
import { errorOf } from '../../values/thrown.ts'
import {
  createAdmission,
  type PresentedToken,
  refusalOfStanding,
  requireLive,
  requireStanding,
  safeMethods,
} from './admission.ts'
import { type CountFailure, sourceOf } from './backoff.ts'
import { type Caller, type Callers, hasSessionEnded } from './callers.ts'
import { clientAddress } from './client-address.ts'
import { createDirectoryTokens } from './directory-tokens.ts'
import type { Identification } from './identification.ts'
import { type ParsedKey, parseKey, parseSessionToken } from './key-format.ts'
import { presentedToken } from './presented-tokens.ts'
import { csrfTokenOf, type SessionCookies } from './session-cookie.ts'
import { createSignInLinks } from './sign-in-links.ts'
import { createVerification } from './verification.ts'

export { AddressListInput, normalizeAddressList } from './address-list.ts'
export { type KeyPowers, powersOfPerson, requireCanEnd, requireCanHandOut } from './authority.ts'
export { hasScopeAndRole } from './authorization.ts'
export { sourceOf } from './backoff.ts'
export { type Caller, type CallerPerson, type Callers, createCallerCache, secretKeyring, secretMac } from './callers.ts'
export { clientAddress } from './client-address.ts'
export { createForeignDigests, type ForeignDigests } from './foreign-digests.ts'
export type { Identification, PageSession } from './identification.ts'
export { mintDirectoryToken, mintKey, mintLinkCode, mintSessionToken } from './key-format.ts'
export { requireLineage } from './lineage.ts'
export { createLookups } from './lookups.ts'
export {
  type Agent,
  lineageIn,
  lineageOfMaker,
  type Maker,
  type MakerColumns,
  type MakerId,
  makerColumns,
  makerIn,
  makerOf,
  makerText,
  makerTextOrNull,
  parseMaker,
} from './makers.ts'
export { normalPins, withNormalNames } from './normal-names.ts'
export { applyPins, isPinned, isWithinPins, refuseOtherPins, requireWithinPins, withPins } from './pins.ts'
export { type TokenSurface, tokenOf } from './presented-tokens.ts'
export {
  type Authority,
  authorityOf,
  findAuthority,
  isOfLineage,
  keysOfLineage,
  lineageOf,
  lineagesOf,
  lockMemberShared,
  orgExists,
  type SessionWay,
} from './queries.ts'
export { operatorScopes, scopesInGiftOf, tenantScopes } from './scopes.ts'
export { createSessionCookies, csrfHeader, isCsrfToken, type SessionCookies } from './session-cookie.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The authorized caller; absent on open routes only. */
    principal: Caller | undefined
    /** The caller of a route that needs one. */
    readonly caller: Caller
    /** The token by which the principal was admitted. */
    presentedToken: PresentedToken | undefined
    /** The owner of a genuine token, even if it may no longer act; null without one, undefined before it was looked up. */
    bearer: Caller | null | undefined
    clientAddress: string
    /** Token that pages of the caller's session send with changes; undefined without a session. */
    csrfToken: string | undefined
  }
}

/** Authenticates and authorizes the caller before the body is read, and emits every refusal itself. */
export function identify(
  app: App,
  platform: Platform,
  callers: Callers,
  cookies: SessionCookies,
  countFailure: CountFailure,
): Identification {
  const { config, clock, sql } = platform
  const trusted = createNetworkMatcher(config.trustedProxies)
  const verification = createVerification(callers, countFailure)
  const nowMs = () => clock.now().getTime()
  const admit = createAdmission(callers, cookies, nowMs)
  const directoryOf = createDirectoryTokens(app, platform, verification)
  decorateRequests(app)

  // Wherever it is noticed: also a change may find that its session has ended.
  app.addHook('onError', (_request, reply, error, done) => {
    if (isApiError(error, 'session_revoked')) cookies.clear(reply)
    done()
  })

  app.addHook('onRequest', (request, _reply, done) => {
    const { template, open } = request.route
    if (open === true || template === undefined || !isContractPath(template)) return done()
    request.clientAddress = clientAddress(request, trusted)
    request.bearer = null
    const { authorization } = request.headers
    const known = authorization === undefined ? undefined : callers.recognized(authorization)
    if (known) return letIn(request, known.caller, known, done)
    const token = presentedToken(request, cookies)
    if (token === 'missing') return done(new ApiError('unauthorized'))
    const caller = token === 'invalid' ? undefined : callers.cached(token)
    if (token !== 'invalid' && caller && callers.isGenuine(caller, token)) {
      if (authorization !== undefined) callers.remember(authorization, token, caller)
      letIn(request, caller, token, done)
    } else void letInFound(request, token, verification.load(request, token, caller), done)
  })

  // The body is there. It may have come long after the caller was admitted, who may be nobody by now: a revocation that was answered
  // meanwhile must hold. What is cached under the lease is as true as at the admission.
  app.addHook('preValidation', (request, _reply, done) => {
    const { principal, presentedToken: token } = request
    if (!principal || !token || safeMethods.has(request.method)) return done()
    const current = callers.cached(token)
    if (current === principal && !current.session && nowMs() < current.expiresAtMs) return done()
    readmit(request, current, done)
  })

  function readmit(request: FastifyRequest, current: Caller | undefined, done: (error?: Error) => void) {
    const token = presentedToken(request, cookies)
    if (token === 'missing') return done(new ApiError('unauthorized'))
    if (token !== 'invalid' && current && callers.isGenuine(current, token)) letIn(request, current, token, done)
    else void letInFound(request, token, verification.load(request, token, undefined), done)
  }

  /** Admits a caller that is not cached: the database decides, also for valid keys from a source over the limit. */
  async function letInFound(
    request: FastifyRequest,
    token: PresentedToken | 'invalid',
    found: Promise<Caller>,
    done: (error?: Error) => void,
  ) {
    let caller: Caller
    try {
      caller = await found
    } catch (error) {
      return done(errorOf(error))
    }
    letIn(request, caller, token, done)
  }

  function letIn(
    request: FastifyRequest,
    caller: Caller,
    token: PresentedToken | 'invalid',
    done: (error?: Error) => void,
  ) {
    try {
      admit(request, caller, token)
    } catch (error) {
      return done(errorOf(error))
    }
    done()
  }

  function requireEntry(request: FastifyRequest, caller: Caller) {
    requireLive(caller, nowMs())
    requireStanding(request, caller)
  }

  /** Returns whoever may sign in, or throws a refusal. */
  function welcome(request: FastifyRequest, caller: Caller): Caller {
    request.bearer = caller
    requireEntry(request, caller)
    callers.used(caller)
    return caller
  }

  /** Returns the owner of a token; undefined where it cannot be verified. With `isFromMemory` the database is not asked. */
  async function find(request: FastifyRequest, token: ParsedKey | 'missing' | 'invalid', isFromMemory = false) {
    if (token === 'missing' || token === 'invalid') return undefined
    request.clientAddress = clientAddress(request, trusted)
    const remembered = callers.cached(token)
    if (remembered && callers.isGenuine(remembered, token)) return remembered
    return isFromMemory ? undefined : verification.load(request, token, remembered)
  }

  const links = createSignInLinks(sql, callers, verification, requireEntry)

  return {
    directoryOf: (request) => {
      request.clientAddress = clientAddress(request, trusted)
      return directoryOf(request)
    },
    bearerOf: (request, { isFromMemory = false } = {}) =>
      find(request, presentedToken(request, cookies), isFromMemory).catch(() => undefined),
    sessionOf: async (request) => {
      request.clientAddress = clientAddress(request, trusted)
      const text = cookies.read(request)
      if (text === undefined) return { state: 'none' }
      const token = parseSessionToken(text)
      const caller = token && (await find(request, token).catch(unknownCaller))
      if (!token || !caller?.session) return { state: 'unknown' }
      request.bearer = caller
      if (hasSessionEnded(caller, caller.session, nowMs())) return { state: 'ended' }
      callers.used(caller)
      const refusal = refusalOfStanding(request, caller)
      return { state: 'live', caller, session: caller.session, csrfToken: csrfTokenOf(token.secret), refusal }
    },
    ownerOf: async (request, text) => {
      request.clientAddress = clientAddress(request, trusted)
      const key = parseKey(text.trim()) ?? 'invalid'
      const remembered = key === 'invalid' ? undefined : callers.cached(key)
      const isKnown = key !== 'invalid' && remembered && callers.isGenuine(remembered, key)
      return welcome(request, isKnown ? remembered : await verification.load(request, key, remembered))
    },
    ownerOfLink: (request, text) => {
      request.clientAddress = clientAddress(request, trusted)
      return links.take(request, text)
    },
    seenByLink: async (request, text) => {
      request.clientAddress = clientAddress(request, trusted)
      return links.peek(request, text).catch(refusedCaller)
    },
    proven: async (request, find) => {
      request.clientAddress = clientAddress(request, trusted)
      const found = await find(sourceOf(request.clientAddress), verification.isOver(request))
      return found ?? verification.refuse(request)
    },
    refuseGuess: (request) => {
      request.clientAddress = clientAddress(request, trusted)
      return verification.refuse(request)
    },
    isSlowed: (address) => verification.isSlowed(address),
    guess: async (request, find) => {
      request.clientAddress = clientAddress(request, trusted)
      if (verification.isOver(request)) return verification.refuse(request)
      return (await find()) ?? verification.refuse(request)
    },
    member: async (request, memberId) => {
      request.clientAddress = clientAddress(request, trusted)
      const caller = await callers.find(memberId)
      if (caller?.kind !== 'person') throw new ApiError('not_found')
      return welcome(request, caller)
    },
  }
}

function unknownCaller(error: unknown): undefined {
  if (!isApiError(error, 'unauthorized') && !isApiError(error, 'rate_limited')) throw error
}

function refusedCaller(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.status >= 500) throw error
}

function decorateRequests(app: App) {
  app.decorateRequest('principal')
  app.decorateRequest('presentedToken')
  app.decorateRequest('caller', {
    getter(this: FastifyRequest) {
      if (!this.principal) throw new Error(`${this.route.template ?? this.url} is open to everybody: it has no caller`)
      return this.principal
    },
  })
  app.decorateRequest('bearer')
  app.decorateRequest('clientAddress', '')
  app.decorateRequest('forwarded')
  app.decorateRequest('isHandedOn', false)
  app.decorateRequest('csrfToken')
}
