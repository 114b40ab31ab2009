import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Attempts, authorOf, type PageChange, type PageTools } from '../../access/changes/changes.ts'
import type {
  Caller,
  CallerPerson,
  Identification,
  PageSession,
  SessionCookies,
  SessionWay,
} from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { RequestRates } from '../../tenants/rate-limits/rate-limits.ts'
import { holdEnabled, type Providers } from '../connections/connections.ts'
import { acceptMember, lockMember, memberStatus } from '../members/members.ts'
import { endSession, isOwn, openSession } from '../sessions/sessions.ts'
import { countSignIns } from './metrics.ts'

/** Services that the ways in need. */
export interface SignInHooks {
  readonly attempts: Attempts
  readonly cookies: SessionCookies
  readonly identification: Identification
  readonly pageChange: PageChange
  readonly providers: Providers
  readonly rates: RequestRates
}

/** Way in which somebody came, and the page to which they want to go. */
export interface Journey {
  readonly way: SessionWay
  /** Connection to an identity provider. */
  readonly connectionId?: string | undefined
  /** Page of the console, as `returnPath` returns it. */
  readonly returnTo?: string | undefined
}

/** The last step of every way in. */
export interface Arrival {
  /**
   * Opens a session for whoever `prove` returns, in place of the browser's session before, and redirects. A refusal is recorded in the
   * audit log of whoever was refused, and thrown.
   */
  readonly arrive: (
    request: FastifyRequest,
    reply: FastifyReply,
    journey: Journey,
    prove: () => Promise<Caller>,
  ) => Promise<FastifyReply>
  /** Counts somebody who was refused before it was known who they are. */
  readonly refused: (way: SessionWay) => void
  /** Lets a member in who has proved who they are. */
  readonly arriveAsMember: (
    request: FastifyRequest,
    reply: FastifyReply,
    journey: Journey & { readonly memberId: string },
  ) => Promise<FastifyReply>
}

/** Page to which somebody comes who wants no other, and that of the caller's own sessions and passkeys. */
export const home = '/console'
export const profilePath = '/console/profile'

export function createArrival(platform: Platform, hooks: SignInHooks): Arrival {
  const { attempts, cookies, identification, pageChange, rates } = hooks
  const signIns = countSignIns(platform.metrics)

  async function arrive(
    request: FastifyRequest,
    reply: FastifyReply,
    { way, connectionId, returnTo }: Journey,
    prove: () => Promise<Caller>,
  ) {
    const before = await identification.sessionOf(request).catch(() => undefined)
    // On record is whoever signs in, not whoever was signed in.
    request.bearer = null
    try {
      const caller = await prove()
      await rates.require(caller, request.method)
      const from = { address: request.clientAddress, userAgent: request.headers['user-agent'] ?? '', way, connectionId }
      const { token, seconds } = await pageChange(request, authorOf(caller), async (tools) => {
        if (caller.kind === 'person') await requireMember(tools, caller, personOf(before))
        if (connectionId !== undefined && !(await holdEnabled(tools.tx, caller.orgId, connectionId)))
          throw new ApiError('forbidden', {}, { message: 'This way in was turned off.' })
        return openSession(platform, tools, caller, from)
      })
      if (before?.state === 'live')
        await pageChange(request, authorOf(before.caller), (tools) =>
          endSession(platform, tools, before.caller, before.session.id, isOwn(before.caller)),
        )
      signIns.inc({ way, outcome: 'signed_in' })
      cookies.set(reply, token, seconds)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      signIns.inc({ way, outcome: 'refused' })
      if (request.bearer) attempts.refused(request, request.bearer, 'session.created')
      throw error
    }
    // A link works once: whoever came by one adds a passkey next, or they cannot come back.
    return reply.redirect(returnTo ?? (way === 'link' ? profilePath : home), 303)
  }

  return {
    arrive,
    refused: (way) => signIns.inc({ way, outcome: 'refused' }),
    arriveAsMember: (request, reply, { memberId, ...journey }) =>
      arrive(request, reply, journey, () => identification.member(request, memberId)),
  }
}

/** Locks the member who signs in, so that no session is opened while somebody shuts them out. */
async function requireMember(tools: PageTools, { orgId, id }: Caller, signedInAs: CallerPerson | undefined) {
  const row = await lockMember(tools.tx, orgId, id)
  const isIn = row && ['invited', 'active'].includes(memberStatus(row))
  if (!isIn) throw new ApiError('forbidden', {}, { message: 'You are no longer a member of this organization.' })
  await acceptMember(tools, row, signedInAs)
}

/** Returns the person of a live session that no single organization vouches for. */
const personOf = (before: PageSession | undefined) =>
  before?.state === 'live' && before.session.connectionId === undefined ? before.caller.person : undefined
