import type { FastifyRequest } from 'fastify'
import { authorOf } from '../../access/changes/changes.ts'
import { ApiError, isApiError } from '../../contract/errors.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { parseId } from '../../values/id.ts'
import { recordIn } from '../../values/records.ts'
import { sendPage, stylesheet } from '../pages/pages.ts'
import { createChallenges, passkeyScript, relyingPartyOf } from '../passkeys/passkeys.ts'
import { endSession, isOwn, listSessions, ownersOf, sessionView } from '../sessions/sessions.ts'
import { createSignIns } from '../sso/sso.ts'
import { type Arrival, createArrival, home, profilePath, type SignInHooks } from './arrival.ts'
import { createBrowserCookie } from './browser-cookie.ts'
import { answerWithPages } from './error-pages.ts'
import { foreignForm, formParser, needsHttps, shows, takesForm } from './forms.ts'
import { createInside, type Inside } from './inside.ts'
import { passkeyDoorRoutes } from './passkey-door-routes.ts'
import { passkeyScriptPath, passkeySection } from './passkey-pages.ts'
import { passkeyDeskOf, passkeyProfileRoutes } from './passkey-profile-routes.ts'
import { returnPath } from './return-path.ts'
import { samlRoutes } from './saml-routes.ts'
import { linkPage, profilePage, signInPage } from './sign-in-pages.ts'
import { signOutPath, ssoRoutes } from './sso-routes.ts'

const maxShownSessions = 100
const maxCodeLength = 100

/** Serves the pages on which people sign in, see their sessions and sign out. They work without script, except for passkeys. */
export async function signIn(root: App, platform: Platform, hooks: SignInHooks) {
  await root.register(async (app: App) => {
    // Forms only: nothing else is read from strangers.
    app.removeAllContentTypeParsers()
    formParser(app)
    answerWithPages(app, platform)
    app.get('/console/style.css', (_request, reply) =>
      reply.type('text/css; charset=utf-8').header('cache-control', 'no-cache').send(stylesheet),
    )
    app.get(passkeyScriptPath, (_request, reply) =>
      reply.type('text/javascript; charset=utf-8').header('cache-control', 'no-cache').send(passkeyScript),
    )
    const arrival = createArrival(platform, hooks)
    const inside = createInside(hooks)
    const passkeyTools = { challenges: createChallenges(platform), cookie: createBrowserCookie(platform, 'passkey') }
    doorRoutes(app, platform, hooks, arrival)
    const signIns = createSignIns(platform)
    ssoRoutes(app, platform, hooks, arrival, signIns)
    samlRoutes(app, platform, hooks, arrival, signIns)
    passkeyDoorRoutes(app, platform, hooks, arrival, passkeyTools)
    passkeyProfileRoutes(app, platform, hooks, arrival, passkeyTools, inside)
    insideRoutes(app, platform, hooks, inside)
  })
}

/** The way in: a form that takes a key. */
function doorRoutes(app: App, platform: Platform, { cookies, identification }: SignInHooks, { arrive }: Arrival) {
  const host = () => new URL(platform.addresses.publicUrl()).host
  const hasPasskeys = ({ headers }: FastifyRequest) =>
    relyingPartyOf(platform.config.publicUrl, headers.host) !== undefined

  app.get('/console/signin', shows, async (request, reply) => {
    if (!cookies.isOffered(request)) throw new ApiError('forbidden', {}, { message: needsHttps })
    const { return_to, code } = recordIn(request.query)
    const returnTo = returnPath(return_to)
    const session = await identification.sessionOf(request)
    // A link is for whoever is not signed in as its member yet.
    if (session.state === 'live' && !session.refusal && code === undefined) return reply.redirect(returnTo ?? home, 303)
    if (session.state === 'unknown' || session.state === 'ended') cookies.clear(reply)
    if (typeof code === 'string') {
      const text = code.slice(0, maxCodeLength)
      return sendPage(reply, linkPage(host(), text, await identification.seenByLink(request, text)))
    }
    return sendPage(reply, signInPage({ host: host(), returnTo, hasPasskeys: hasPasskeys(request) }))
  })

  app.post('/console/signin', takesForm, async (request, reply) => {
    if (!cookies.isOffered(request)) throw new ApiError('forbidden', {}, { message: needsHttps })
    // Somebody else's page must not sign a visitor in to an organization of its choice.
    if (cookies.isFromOwnPage(request) === false) throw foreignForm()
    const fields = recordIn(request.body)
    const returnTo = returnPath(fields['return_to'])
    const way = 'code' in fields ? 'link' : 'key'
    const presented = fields[way === 'link' ? 'code' : 'key']
    const text = typeof presented === 'string' ? presented : ''
    const prove = () => (way === 'key' ? identification.ownerOf : identification.ownerOfLink)(request, text)
    try {
      return await arrive(request, reply, { way, returnTo }, prove)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      if (isApiError(error, 'rate_limited')) reply.header('retry-after', error.details.retry_after_seconds)
      const status = error.status === 410 ? 401 : error.status
      return sendPage(
        reply,
        signInPage({ host: host(), returnTo, hasPasskeys: hasPasskeys(request), fault: faultOf(error, way), status }),
      )
    }
  })
}

/** Pages of whoever is signed in. */
function insideRoutes(
  app: App,
  platform: Platform,
  { cookies, pageChange }: SignInHooks,
  { inside, anySession, ofOwnForm }: Inside,
) {
  const { sql, clock } = platform

  app.get(profilePath, shows, async (request, reply) => {
    const session = await inside(request, reply)
    if (!session) return reply
    const { caller, csrfToken } = session
    const now = clock.now()
    const rows = await sql.asOrgs([caller.orgId], async (tx) =>
      listSessions(
        tx,
        caller.orgId,
        { sort: 'created_at', descending: true, limit: maxShownSessions, after: undefined },
        { ownerIds: await ownersOf(tx, caller), status: 'active' },
        now,
      ),
    )
    const views = rows.slice(0, maxShownSessions).map((row) => sessionView(row, now, caller))
    const desk = await passkeyDeskOf(platform, session)
    return sendPage(reply, profilePage(caller, views, csrfToken, desk && passkeySection(desk)))
  })

  app.post('/console/sessions/:session_id/revoke', takesForm, async (request, reply) => {
    const session = ofOwnForm(request, await inside(request, reply))
    if (!session) return reply
    const { caller } = session
    const id = parseId('session', String(recordIn(request.params)['session_id']))
    if (id === undefined) throw new ApiError('not_found')
    await pageChange(request, authorOf(caller), (tools) => endSession(platform, tools, caller, id, isOwn(caller)))
    return reply.redirect(profilePath, 303)
  })

  app.post('/console/signout', takesForm, async (request, reply) => {
    const session = ofOwnForm(request, await anySession(request, reply))
    if (!session) return reply
    const { caller } = session
    await pageChange(request, authorOf(caller), (tools) =>
      endSession(platform, tools, caller, session.session.id, isOwn(caller)),
    )
    cookies.clear(reply)
    // Whoever came from a provider is signed in there as well.
    const { connectionId } = session.session
    return reply.redirect(connectionId === undefined ? '/console/signin' : signOutPath(connectionId), 303)
  })
}

const faults: Partial<Record<ApiError['code'], string>> = {
  unauthorized: 'This key is not valid. Copy it whole, from weir_ to its last letter.',
  key_expired: 'This key has expired or is not valid yet.',
  gone: 'This key was revoked.',
}
const usedUp = 'This link was used or is too old. Sign in with a key, or make another link.'
const faultOf = ({ code, message }: ApiError, way: 'key' | 'link') =>
  way === 'link' && code === 'unauthorized' ? usedUp : (faults[code] ?? message)
