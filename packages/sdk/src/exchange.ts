import { type ApiErrorCode, type ErrorDetails, WeirError } from './errors.ts'
import { isObject } from './objects.ts'

const longestBody = 64 * 1024 * 1024
const shownBody = 500

/** Every code of the catalogue: an entry that is missing here, or is none, does not compile. */
const known: Readonly<Record<ApiErrorCode, true>> = {
  bad_request: true,
  unauthorized: true,
  key_expired: true,
  session_revoked: true,
  forbidden: true,
  missing_scope: true,
  ip_not_allowed: true,
  org_suspended: true,
  residency_violation: true,
  policy_blocked: true,
  policy_approval_required: true,
  content_safety_blocked: true,
  support_scope_denied: true,
  not_found: true,
  conflict: true,
  precondition_failed: true,
  idempotency_key_conflict: true,
  idempotency_key_processing: true,
  gone: true,
  payload_too_large: true,
  validation_failed: true,
  insufficient_cohort_size: true,
  spend_cap_exceeded: true,
  chain_budget_exceeded: true,
  budget_exceeded: true,
  quota_exhausted: true,
  credits_exhausted: true,
  plan_limit_exceeded: true,
  concurrency_exceeded: true,
  frozen: true,
  rate_limited: true,
  policy_expression_error: true,
  internal: true,
  no_model_passes_eval: true,
  service_unavailable: true,
}

const isKnown = (code: string): code is ApiErrorCode => Object.hasOwn(known, code)

/** Reads an answer as text; one that never ends is cut off. */
export async function textOf(response: Response): Promise<string> {
  const length = Number(response.headers.get('content-length') ?? 0)
  if (length > longestBody) throw new Error(`the answer has ${length} bytes`)
  return response.text()
}

/** Returns the error that an answer is; undefined for a success. */
export function answerError(response: Response, text: string): WeirError | undefined {
  const { status, headers, ok } = response
  const body = parsed(text)
  if (status === 304 || (ok && (text === '' || body !== undefined || isPlain(headers)))) return undefined
  const error = isObject(body) ? body['error'] : undefined
  const base = {
    status,
    retryAfter: retryAfterOf(headers),
    traceId: headers.get('x-svc-trace-id') ?? undefined,
  }
  if (!isObject(error) || typeof error['code'] !== 'string')
    return new WeirError({
      ...base,
      code: 'unrecognized_answer',
      message: `Something that is not Weir answered ${status}.`,
      details: { body: text.slice(0, shownBody) },
    })
  return errorIn(error, base)
}

/** Reads the error of an envelope: its code, message and details. */
export function errorIn(
  error: Readonly<Record<string, unknown>>,
  base: { status: number; retryAfter?: number | undefined; traceId?: string | undefined },
): WeirError {
  const code = String(error['code'])
  const message = typeof error['message'] === 'string' ? error['message'] : code
  const details = isObject(error['details']) ? error['details'] : {}
  if (!isKnown(code)) return new WeirError({ ...base, code: 'unrecognized_code', message, details: { code, details } })
  // The API states the details of each code, and its tests hold it to that.
  return new WeirError({ ...base, code, message, details: details as ErrorDetails[typeof code] }) as WeirError
}

/** True for an answer that is no JSON on purpose, such as an export; a page of a proxy is none. */
export const isPlain = (headers: Headers): boolean => !/json|html/.test(headers.get('content-type') ?? 'html')

function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (value === null || value.trim() === '') return undefined
  const seconds = Number(value)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}

/** The pause before the next attempt: what Weir asks for, else growing, with jitter so that callers do not return together. */
export function pauseMs(error: WeirError, attempt: number): number {
  const jitter = Math.random()
  if (error.retryAfter !== undefined) return error.retryAfter * 1_000 + jitter * 250
  return Math.min(8_000, 250 * 2 ** (attempt - 1)) * (0.5 + jitter / 2)
}

/** Waits, unless a signal ends it. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal?.addEventListener('abort', end, { once: true })
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
