import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import { type CountFailure, createBackoff, sourceOf } from './backoff.ts'
import type { Caller, Callers } from './callers.ts'
import type { ParsedKey } from './key-format.ts'

export type Verification = ReturnType<typeof createVerification>

/** Verifies tokens that are not cached with their secret, and slows sources down that present invalid ones. */
export function createVerification(callers: Callers, countFailure: CountFailure) {
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
    refuse,
    isSlowed: (clientAddress: string) => backoff.isOver(sourceOf(clientAddress)),
    /** True for a request from a source that has failed too often. */
    isOver: (request: FastifyRequest) => backoff.isOver(sourceOf(request.clientAddress)),
    /** Returns the owner of a token, or throws a refusal. */
    load: async (request: FastifyRequest, key: ParsedKey | 'invalid', remembered: Caller | undefined) => {
      // The cache holds what the database would return: a wrong secret for a cached key costs no query.
      const caller = key === 'invalid' || remembered ? undefined : await lookUp(request, key)
      return caller ?? refuse(request)
    },
  }
}
