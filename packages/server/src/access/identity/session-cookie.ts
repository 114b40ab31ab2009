import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Platform } from '../../platform/infra/platform.ts'

/**
 * The cookie of a session. Under HTTPS its name begins with `__Host-`, so that no other host and no subdomain can set it; over plain
 * HTTP it exists on this machine's own names only, for development.
 */
export interface SessionCookies {
  /** True when a session can be had where the request came in: under HTTPS, or on this machine. */
  readonly isOffered: (request: FastifyRequest) => boolean
  /** Returns the presented token. */
  readonly read: (request: FastifyRequest) => string | undefined
  readonly set: (reply: FastifyReply, token: string, seconds: number) => void
  readonly clear: (reply: FastifyReply) => void
  /** True when a page of ours sent the request; undefined when the request does not say who did. */
  readonly isFromOwnPage: (request: FastifyRequest) => boolean | undefined
}

const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']
const localNames = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/

export function createSessionCookies({ config }: Pick<Platform, 'config'>): SessionCookies {
  const publicUrl = new URL(config.publicUrl ?? 'http://localhost')
  const isSecure = publicUrl.protocol === 'https:'
  const name = isSecure ? '__Host-weir' : 'weir'
  const attributes = { name, path: '/', httpOnly: true, secure: isSecure, sameSite: 'lax' } as const
  // Whoever passes a proxy came over a network, whatever name the proxy passes on.
  const isLocal = ({ headers }: FastifyRequest) =>
    localNames.test(headers.host ?? '') && !proxyHeaders.some((name) => name in headers)
  const isOffered = (request: FastifyRequest) => isSecure || isLocal(request)
  const put = (reply: FastifyReply, value: string, maxAge: number) =>
    reply.header('set-cookie', stringifySetCookie({ ...attributes, value, maxAge }))

  return {
    isOffered,
    read: (request) => {
      const { cookie } = request.headers
      return cookie !== undefined && isOffered(request) ? parseCookie(cookie)[name] : undefined
    },
    set: (reply, token, seconds) => {
      put(reply, token, seconds)
    },
    clear: (reply) => {
      put(reply, '', 0)
    },
    isFromOwnPage: ({ headers }) => {
      const { origin, host } = headers
      const site = headers['sec-fetch-site']
      if (site !== undefined) return site === 'same-origin'
      return origin === undefined ? undefined : origin === (isSecure ? publicUrl.origin : `http://${host}`)
    },
  }
}

export const csrfHeader = 'x-csrf-token'

/** Returns the token that pages of a session send with every change: it follows from the session's secret, and does not reveal it. */
export const csrfTokenOf = (secret: string): string =>
  createHmac('sha256', secret).update('weir csrf token').digest('base64url')

/** True when a presented CSRF token is that of the session. */
export function isCsrfToken(presented: unknown, csrfToken: string): boolean {
  const expected = Buffer.from(csrfToken)
  const given = Buffer.from(typeof presented === 'string' ? presented : '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
