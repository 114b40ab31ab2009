import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Platform } from '../../platform/infra/platform.ts'

/** A cookie that ties a few steps of one browser together, for as long as they take. It is no session, and opens nothing by itself. */
export interface BrowserCookie {
  readonly read: (request: FastifyRequest) => string | undefined
  readonly set: (reply: FastifyReply, value: string, seconds: number) => void
  readonly clear: (reply: FastifyReply) => void
}

export function createBrowserCookie(
  { config }: Pick<Platform, 'config'>,
  suffix: string,
  sameSite: 'strict' | 'lax' = 'strict',
): BrowserCookie {
  const isSecure = config.publicUrl?.startsWith('https:') ?? false
  const name = `${isSecure ? '__Host-' : ''}weir-${suffix}`
  const attributes = { name, path: '/', httpOnly: true, secure: isSecure, sameSite } as const
  const put = (reply: FastifyReply, value: string, maxAge: number) => {
    void reply.header('set-cookie', stringifySetCookie({ ...attributes, value, maxAge }))
  }
  return {
    read: ({ headers }) => (headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[name]),
    set: put,
    clear: (reply) => put(reply, '', 0),
  }
}
