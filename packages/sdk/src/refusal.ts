import { type ErrorCode, type ErrorFacts, WeirError } from './errors.ts'
import { isObject } from './objects.ts'

/** The field of a refusal by which it is told from an error of the provider's own. */
const mark = 'weir'

/**
 * Writes a refusal as an answer in the form of OpenAI and Anthropic at once, so that their SDKs throw it as an error of their own, and do not
 * send the request again.
 */
export function refusalAnswer(error: WeirError): Response {
  const { code, message, status = 503, details } = error
  const kind = status === 402 ? 'billing_error' : status === 429 ? 'rate_limit_error' : 'permission_error'
  const body = {
    type: 'error',
    error: { type: kind, code, message: `Weir: ${message}`, param: null, [mark]: { message, details, status } },
  }
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'x-should-retry': 'false' },
  })
}

/** Returns Weir's refusal behind an error of a provider's SDK or a framework; undefined where it is no refusal. */
export function refusalOf(error: unknown): WeirError | undefined {
  for (let one = error, depth = 0; isObject(one) && depth < 8; one = one['cause'] ?? one['lastError'], depth += 1) {
    if (one instanceof WeirError) return one
    const refused = refusedIn(one['error']) ?? refusedIn(one['data']) ?? refusedIn(one)
    if (refused) return refused
  }
  return undefined
}

/** OpenAI's SDK keeps the error itself, Anthropic's and others the body around it. */
function refusedIn(body: unknown): WeirError | undefined {
  if (!isObject(body)) return undefined
  const error = isObject(body['error']) ? body['error'] : body
  const ours = error[mark]
  if (!isObject(ours) || typeof error['code'] !== 'string') return undefined
  // It was written by `refusalAnswer`, of an error of ours.
  const { message, details, status } = ours as unknown as Pick<ErrorFacts<ErrorCode>, 'message' | 'details' | 'status'>
  return new WeirError({ code: error['code'] as ErrorCode, message, details, status }) as WeirError
}
