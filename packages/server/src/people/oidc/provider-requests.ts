import type { CustomFetch } from 'openid-client'
import type { Outbound } from '../../platform/infra/outbound.ts'
import type { Failure } from '../../platform/infra/outbound-failure.ts'

/** Sizes that no provider comes near: discovery documents have a few KiB, key sets and tokens with many groups some more. */
const maxResponseBytes = 262_144
/** Statuses of responses that must not have a body. */
const bodiless = new Set([204, 205, 304])

/** Thrown where a provider could not be asked: the wall refused its address, or it did not answer in time or in full. */
export class ProviderUnreachable extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

/** Returns the `fetch` with which the library asks a provider: every request passes the wall, and no redirect is followed. */
export const providerFetch =
  (outbound: Outbound): CustomFetch =>
  async (url, { method, headers, body }) => {
    // Bodies of the library are forms.
    const text = body instanceof URLSearchParams ? body.toString() : undefined
    const outcome = await outbound.request({
      method: method === 'POST' ? 'POST' : 'GET',
      url,
      headers,
      ...(text !== undefined && { body: text }),
      maxBytes: maxResponseBytes,
    })
    if ('error' in outcome) throw new ProviderUnreachable(outcome)
    const isStatus = outcome.status >= 200 && outcome.status <= 599
    return new Response(bodiless.has(outcome.status) ? null : new Uint8Array(outcome.body), {
      status: isStatus ? outcome.status : 502,
      headers: { 'content-type': outcome.contentType },
    })
  }
