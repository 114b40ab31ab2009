import type { FastifyRequest } from 'fastify'
import { type ParsedKey, parseDirectoryToken, parseForeignKey, parseKey, parseSessionToken } from './key-format.ts'
import type { SessionCookies } from './session-cookie.ts'

const bearer = /^bearer +(\S+) *$/i

/** Returns the presented token: a key in `Authorization`, or else the cookie of a session. */
export function presentedToken(request: FastifyRequest, cookies: SessionCookies): ParsedKey | 'missing' | 'invalid' {
  const { authorization } = request.headers
  if (authorization === undefined) {
    const session = cookies.read(request)
    return session === undefined ? 'missing' : (parseSessionToken(session) ?? 'invalid')
  }
  const token = bearer.exec(authorization)?.[1]
  return (token !== undefined && (parseKey(token) ?? parseForeignKey(token))) || 'invalid'
}

/** Kinds of paths by the token that they take: of the API, a page of the console, an agent's, a directory's. */
export type TokenSurface = 'api' | 'console' | 'mcp' | 'scim'

/** Returns the token by which a request on a surface would be let in; undefined for none and for what we did not mint. */
export function tokenOf(
  request: FastifyRequest,
  surface: TokenSurface,
  cookies: SessionCookies,
): ParsedKey | undefined {
  if (surface === 'api') {
    const token = presentedToken(request, cookies)
    return token === 'missing' || token === 'invalid' ? undefined : token
  }
  if (surface === 'console') {
    const session = cookies.read(request)
    return session === undefined ? undefined : parseSessionToken(session)
  }
  const token = bearer.exec(request.headers.authorization ?? '')?.[1] ?? ''
  return surface === 'mcp' ? parseKey(token) : parseDirectoryToken(token)
}
