import { WeirError } from './errors.ts'
import { isObject } from './objects.ts'

/**
 * Statuses by which a provider refuses to do any work, and bills nothing. A 500 or a 502 is none: the work may have been done. The gateway
 * draws the line at the same place.
 */
export const refusedStatuses: ReadonlySet<number> = new Set([
  400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 429, 503, 529,
])

/** Failures before a connection: the request has not been sent. */
const unsentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
])

/** True for an error after which the provider has billed nothing: it refused the request, or has never seen it. */
export const isUnbilled = (error: unknown): boolean => isNever(error, (status) => refusedStatuses.has(status))

/** True for a failure before a connection: the request has not been sent. */
export const isUnsent = (error: unknown): boolean => isNever(error, () => false)

function isNever(error: unknown, isRefusal: (status: number) => boolean): boolean {
  for (let one = error, depth = 0; isObject(one) && depth < 8; one = one['cause'], depth += 1) {
    // A refusal by Weir says nothing of the provider.
    if (one instanceof WeirError) return false
    const status = one['status'] ?? one['statusCode']
    if (typeof status === 'number') return isRefusal(status)
    if (typeof one['code'] === 'string' && unsentCodes.has(one['code'])) return true
    // Several attempts, or one at several addresses: each has an error of its own.
    const all = one['errors']
    if (Array.isArray(all) && all.length > 0) return all.every((each) => isNever(each, isRefusal))
  }
  return false
}
