import type { RequestHeaders } from '../dialects/dialect.ts'
import { keyOf } from '../weir/caller-keys.ts'

/** Headers that end here: of the connection, credentials, and those by which a caller could have another account billed. */
const dropped = new Set(
  `host connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade expect
  content-length content-encoding accept-encoding authorization x-api-key api-key x-goog-api-key cookie forwarded via
  x-forwarded-for x-forwarded-host x-forwarded-proto x-real-ip openai-organization openai-project x-goog-user-project
  idempotency-key baggage x-http-method-override x-http-method x-method-override`.split(/\s+/),
)
const credentialHeaders = new Set(['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'])

const isWeirKey = (value: unknown) => /^(bearer\s+)?weir_/i.test(String(value))

/** An object to which a header of any name can be added. */
const noHeaders = () => Object.create(null) as Record<string, string | string[]>

/** Returns the headers of a caller that its provider gets. */
export function forwardedHeaders(
  headers: RequestHeaders,
  keepsCredentials: boolean,
): Record<string, string | string[]> {
  const named = new Set(
    String(headers['connection'] ?? '')
      .split(',')
      .map((name) => name.trim().toLowerCase()),
  )
  // A key of another gateway looks like one of a provider, and is none: it ends here where it was the caller's for Weir.
  const own = keyOf(headers, true)
  const isOwn = (value: unknown) => isWeirKey(value) || (own !== undefined && String(value).includes(own))
  const kept = noHeaders()
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || named.has(name)) continue
    if (dropped.has(name) && !(keepsCredentials && credentialHeaders.has(name) && !isOwn(value))) continue
    // One of Google's would leave out of an answer what it used.
    if (name.startsWith('x-') && /^x-(weir|amz|amzn|vertex|goog(?!-api-(client|key)$))-/.test(name)) continue
    kept[name] = value
  }
  return kept
}

/** Headers in which providers give the id of a request. Whoever reports the call as well, such as the client itself, names it by this id. */
const requestIds = ['request-id', 'x-request-id', 'x-amzn-requestid'] as const

export const requestIdOf = (headers: RequestHeaders): string | undefined =>
  requestIds
    .map((name) => headers[name])
    .find((id): id is string => typeof id === 'string' && /^[\x21-\x7e]{8,200}$/.test(id))

/** Headers of an answer that a caller does not get: of the connection, and what belongs to the account of the provider. */
const notReturned = new Set(
  `connection keep-alive proxy-authenticate proxy-connection te trailer transfer-encoding upgrade set-cookie
  openai-organization openai-project anthropic-organization-id alt-svc strict-transport-security`.split(/\s+/),
)

/** Returns the headers of an answer that its caller gets; the length only where no byte of the body is changed. */
export function returnedHeaders(headers: RequestHeaders, isChanged: boolean): Record<string, string | string[]> {
  const kept = noHeaders()
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !notReturned.has(name) && !(isChanged && name === 'content-length')) kept[name] = value
  return kept
}
