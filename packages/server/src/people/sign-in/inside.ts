import type { FastifyReply, FastifyRequest } from 'fastify'
import { isCsrfToken, type PageSession } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import { recordIn } from '../../values/records.ts'
import type { SignInHooks } from './arrival.ts'
import { foreignForm } from './forms.ts'
import { returnPath } from './return-path.ts'

export type LiveSession = Extract<PageSession, { state: 'live' }>

/** The checks that pages of whoever is signed in begin with. */
export type Inside = ReturnType<typeof createInside>

export function createInside({
  cookies,
  identification,
  rates,
}: Pick<SignInHooks, 'cookies' | 'identification' | 'rates'>) {
  /** Returns the session of a request that may act; undefined when it was sent to the sign-in page. */
  async function inside(request: FastifyRequest, reply: FastifyReply): Promise<LiveSession | undefined> {
    const session = await anySession(request, reply)
    if (session?.refusal) throw session.refusal
    return session
  }

  /** Returns the live session of a request, also one that may do nothing but end. */
  async function anySession(request: FastifyRequest, reply: FastifyReply): Promise<LiveSession | undefined> {
    const session = await identification.sessionOf(request)
    if (session.state === 'live') {
      await rates.require(session.caller, request.method)
      return session
    }
    if (session.state === 'ended') throw new ApiError('session_revoked')
    if (session.state === 'unknown') {
      cookies.clear(reply)
      throw new ApiError('unauthorized', {}, { message: 'Sign in to see this page.' })
    }
    const returnTo = request.method === 'GET' ? returnPath(request.url) : undefined
    await reply.redirect(
      `/console/signin${returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`}`,
      303,
    )
    return undefined
  }

  /** Returns the session if a page of ours sent the form of its request. */
  function ofOwnForm(request: FastifyRequest, session: LiveSession | undefined): LiveSession | undefined {
    const isOurs = cookies.isFromOwnPage(request) === true
    if (session && !(isOurs && isCsrfToken(recordIn(request.body)['csrf_token'], session.csrfToken)))
      throw foreignForm()
    return session
  }

  return { inside, anySession, ofOwnForm }
}
