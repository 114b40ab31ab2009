import { isObject, parseObject } from '../dialects/fields.ts'
import type { WeirAnswer } from './transport.ts'

/** Weir's no to a call: its error, as `/v1` says it. */
export interface Refused {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds: number | undefined
}

/** Reads an error of `/v1`; an answer without one, of a proxy in between, counts as an outage. */
export function refusedOf({ status, headers, body }: WeirAnswer): Refused {
  const error = parseObject(body)?.['error']
  const retryAfter = Number(headers['retry-after'])
  const retryAfterSeconds = Number.isFinite(retryAfter) && headers['retry-after'] !== undefined ? retryAfter : undefined
  if (!isObject(error) || typeof error['code'] !== 'string')
    return {
      status: 503,
      code: 'service_unavailable',
      message: `Weir answered ${status}`,
      details: {},
      retryAfterSeconds: 1,
    }
  return {
    status,
    code: error['code'],
    message: typeof error['message'] === 'string' ? error['message'] : error['code'],
    details: isObject(error['details']) ? error['details'] : {},
    retryAfterSeconds,
  }
}
