import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import { type App, isContractPath } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { createNetworkMatcher } from '../../values/network.ts'
import { errorOf } from '../../values/thrown.ts'
import { authorize } from './authorization.ts'
import { type CountFailure, createBackoff, sourceOf } from './backoff.ts'
import type { Caller, Callers } from './callers.ts'
import { clientAddress } from './client-address.ts'
import { type ParsedKey, parseKey } from './key-format.ts'

export { AddressListInput, normalizeAddressList } from './address-list.ts'
export { type KeyPowers, requireCanEnd, requireCanHandOut } from './authority.ts'
export { type Caller, type Callers, createCallerCache, secretKeyring, secretMac } from './callers.ts'
export { mintKey } from './key-format.ts'
export { requireLineage } from './lineage.ts'
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
export { isOfLineage, keysOfLineage, lineageOf, orgExists } from './queries.ts'
export { operatorScopes, tenantScopes } from './scopes.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The authorized caller; absent on open routes only. */
    principal: Caller | undefined
    /** The caller of a route that needs one. */
    readonly caller: Caller
    /** The owner of a genuine token, even if it may no longer act; null without one, undefined before it was looked up. */
    bearer: Caller | null | undefined
    clientAddress: string
  }
}

export interface Identification {
  /**
   * Returns the owner of the token of a request that was refused before authentication; `undefined` when there is none that can
   * be verified. With `isFromMemory` the database is not asked.
   */
  readonly bearerOf: (request: FastifyRequest, options?: { isFromMemory?: boolean }) => Promise<Caller | undefined>
}

/** Authenticates and authorizes the caller before the body is read, and emits every refusal itself. */
export function identify(
  app: App,
  { config, clock }: Platform,
  callers: Callers,
  countFailure: CountFailure,
): Identification {
  const trusted = createNetworkMatcher(config.trustedProxies)
  const verification = createVerification(callers, countFailure)
  const admit = createAdmission(callers, () => clock.now().getTime())
  decorateRequests(app)

  app.addHook('onRequest', (request, _reply, done) => {
    const { template, open } = request.route
    if (open === true || template === undefined || !isContractPath(template)) return done()
    request.clientAddress = clientAddress(request, trusted)
    request.bearer = null
    const key = presentedKey(request)
    if (key === 'missing') return done(new ApiError('unauthorized'))
    const caller = key === 'invalid' ? undefined : callers.cached(key)
    if (key !== 'invalid' && caller && callers.isGenuine(caller, key)) {
      try {
        admit(request, template, caller)
        done()
      } catch (error) {
        done(errorOf(error))
      }
    } else void authenticateFromDatabase(request, template, () => verification.load(request, key, caller), done)
  })

  /** Authenticates a caller that is not cached: the database decides, also for valid keys from a source over the limit. */
  async function authenticateFromDatabase(
    request: FastifyRequest,
    template: string,
    load: () => Promise<Caller>,
    done: (error?: Error) => void,
  ) {
    try {
      admit(request, template, await load())
    } catch (error) {
      return done(errorOf(error))
    }
    done()
  }

  return {
    bearerOf: async (request, { isFromMemory = false } = {}) => {
      const key = presentedKey(request)
      if (key === 'missing' || key === 'invalid') return undefined
      request.clientAddress = clientAddress(request, trusted)
      const remembered = callers.cached(key)
      if (remembered && callers.isGenuine(remembered, key)) return remembered
      return isFromMemory ? undefined : verification.load(request, key, remembered).catch(() => undefined)
    },
  }
}

function decorateRequests(app: App) {
  app.decorateRequest('principal')
  app.decorateRequest('caller', {
    getter(this: FastifyRequest) {
      if (!this.principal) throw new Error(`${this.route.template ?? this.url} is open to everybody: it has no caller`)
      return this.principal
    },
  })
  app.decorateRequest('bearer')
  app.decorateRequest('clientAddress', '')
}

/** Verifies tokens that are not cached with their secret, and slows sources down that present invalid ones. */
function createVerification(callers: Callers, countFailure: CountFailure) {
  const backoff = createBackoff(countFailure, () => performance.now())

  async function lookUp(request: FastifyRequest, key: ParsedKey): Promise<Caller | undefined> {
    const source = sourceOf(request.clientAddress)
    const caller = await callers.load(key, source, backoff.isOver(source))
    return callers.isGenuine(caller, key) ? caller : undefined
  }

  /**
   * Counts the failure and refuses. Only failures count, so a valid key is never slowed by what others send from its address.
   */
  async function refuse(request: FastifyRequest): Promise<never> {
    const retryAfterSeconds = await backoff.fail(sourceOf(request.clientAddress))
    if (retryAfterSeconds !== undefined)
      throw new ApiError(
        'rate_limited',
        { retry_after_seconds: retryAfterSeconds },
        { message: 'Too many invalid keys from this address.' },
      )
    throw new ApiError('unauthorized')
  }

  return {
    /** Returns the owner of a token, or throws a refusal. */
    load: async (request: FastifyRequest, key: ParsedKey | 'invalid', remembered: Caller | undefined) => {
      // The cache holds what the database would return: a wrong secret for a cached key costs no query.
      const caller = key === 'invalid' || remembered ? undefined : await lookUp(request, key)
      return caller ?? refuse(request)
    },
  }
}

/** Creates the admission of callers whose secret matches, so their true state may be revealed. Revoked takes precedence over expired. */
const createAdmission =
  (callers: Callers, nowMs: () => number) => (request: FastifyRequest, template: string, caller: Caller) => {
    request.bearer = caller
    if (caller.isRevoked) throw new ApiError('gone', {}, { message: 'This key was revoked.' })
    const atMs = nowMs()
    if (atMs < caller.notBeforeMs || atMs >= caller.expiresAtMs) throw new ApiError('key_expired')
    request.principal = caller
    callers.used(caller)
    if (caller.isOrgSuspended) throw new ApiError('org_suspended')
    if (caller.allowedNetworks && !caller.allowedNetworks.contains(request.clientAddress))
      throw new ApiError('ip_not_allowed')
    authorize(caller, {
      method: request.method,
      template,
      params: request.params as { id?: string; org_id?: string },
      declaration: request.route,
    })
  }

const bearer = /^bearer +(\S+) *$/i

function presentedKey({ headers }: FastifyRequest): ParsedKey | 'missing' | 'invalid' {
  const { authorization } = headers
  if (authorization === undefined) return 'missing'
  const token = bearer.exec(authorization)?.[1]
  return (token !== undefined && parseKey(token)) || 'invalid'
}
