import type { FastifyReply, FastifyRequest } from 'fastify'
import { buildEndSessionUrl } from 'openid-client'
import { ApiError, isApiError } from '../../contract/errors.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { formatId } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { recordIn } from '../../values/records.ts'
import { type ConnectionRow, redirectUriOf, samlConnectionOf, samlSettingsOf } from '../connections/connections.ts'
import { connectionOfDomain, domainOfEmail } from '../domains/domains.ts'
import { authorizationUrl, secretsOf, verifyCallback, verifyLogoutToken } from '../oidc/oidc.ts'
import { sendPage } from '../pages/pages.ts'
import { makeAuthnRequest } from '../saml/saml.ts'
import { admit, findEnabledConnection, followLogout, type SignIns, signInSeconds } from '../sso/sso.ts'
import type { Arrival, SignInHooks } from './arrival.ts'
import { createBrowserCookie } from './browser-cookie.ts'
import { foreignForm, needsHttps, shows, takesForm } from './forms.ts'
import { returnPath } from './return-path.ts'
import { forwardPage, leadPage, noConnectionPage, signedOutPage } from './sso-pages.ts'
import { authorOf, createJudgement, createSsoRefusal, visitOf } from './sso-refusal.ts'

const maxEmailLength = 254
/** State that SAML providers send back as it is; an answer is recognized by its signed content. */
const relayState = 'signin'

export const signOutPath = (connectionId: string) => `/sso/signout/${formatId('connection', connectionId)}`

/** Takes a wrong guess for none; any other failure is one, also too many wrong guesses. */
function unlessWrong(error: unknown): undefined {
  if (!isApiError(error, 'unauthorized')) throw error
}

/** Serves the way to a provider, and the way back from one of OpenID Connect and out. */
export function ssoRoutes(app: App, platform: Platform, hooks: SignInHooks, arrival: Arrival, signIns: SignIns) {
  const { cookies, identification, pageChange, providers } = hooks
  const { sql, log, addresses, clock } = platform
  const cookie = createBrowserCookie(platform, 'sso', 'lax')
  const refuse = createSsoRefusal(hooks, arrival)
  const judged = createJudgement(hooks, refuse)

  async function connectionAt(request: FastifyRequest): Promise<ConnectionRow> {
    const found = await findEnabledConnection(platform, recordIn(request.params)['connection_id'])
    if (!found) throw new ApiError('not_found', {}, { message: 'There is no such way in, or it was turned off.' })
    return found
  }

  async function openIdConnectionAt(request: FastifyRequest): Promise<ConnectionRow> {
    const connection = await connectionAt(request)
    if (connection.kind !== 'oidc') throw new ApiError('not_found')
    return connection
  }

  async function providerOf(connection: ConnectionRow) {
    const provider = await providers.of(connection)
    if (typeof provider !== 'string') return provider
    log.warn({ connection_id: formatId('connection', connection.id), fault: provider }, 'a provider was not found')
    throw new ApiError(
      'service_unavailable',
      {},
      { message: 'Your organization’s provider cannot be reached. Try again later.' },
    )
  }

  /** Begins a sign-in in this browser; returns where to send it. */
  async function begin(
    reply: FastifyReply,
    connection: ConnectionRow,
    returnTo: string | undefined,
    loginHint?: string,
  ) {
    if (connection.kind === 'saml') return beginSaml(reply, connection, returnTo)
    const provider = await providerOf(connection)
    const token = signIns.begin(connection, returnTo)
    cookie.set(reply, token, signInSeconds)
    const redirectUri = redirectUriOf(addresses, connection.id)
    return authorizationUrl(provider, secretsOf(token), { redirectUri, ...(loginHint !== undefined && { loginHint }) })
  }

  async function beginSaml(reply: FastifyReply, connection: ConnectionRow, returnTo: string | undefined) {
    const settings = samlConnectionOf(addresses, connection.id, present(samlSettingsOf(connection)))
    const token = signIns.begin(connection, returnTo)
    cookie.set(reply, token, signInSeconds)
    return new URL(await makeAuthnRequest(settings, signIns.requestIdOf(connection, token), relayState))
  }

  app.post('/sso/start', takesForm, async (request, reply) => {
    requireOffered(request)
    // Somebody else's page must not send a visitor to a provider of its choice.
    if (cookies.isFromOwnPage(request) === false) throw foreignForm()
    const { email, return_to } = recordIn(request.body)
    const address = typeof email === 'string' && email.length <= maxEmailLength ? email.trim() : ''
    const domain = domainOfEmail(address)
    const id = domain === undefined ? undefined : await connectionOfDomain(sql, domain)
    const connection = id === undefined ? undefined : await findEnabledConnection(platform, formatId('connection', id))
    if (!connection) return sendPage(reply, noConnectionPage)
    const provider = await begin(reply, connection, returnPath(return_to), address)
    return sendPage(reply.header('refresh', `0; url=${provider.href}`), forwardPage(provider))
  })

  app.get('/sso/:connection_id', shows, async (request, reply) => {
    requireOffered(request)
    const connection = await connectionAt(request)
    const returnTo = returnPath(recordIn(request.query)['return_to'])
    // Typed, a bookmark, or from a page of ours. Whoever comes from elsewhere is asked first.
    const isWanted = ['none', 'same-origin'].includes(String(request.headers['sec-fetch-site']))
    if (isWanted) return reply.redirect((await begin(reply, connection, returnTo)).href, 303)
    const query = returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`
    return sendPage(reply, leadPage(connection.name, `/sso/${formatId('connection', connection.id)}${query}`))
  })

  app.get('/sso/callback/:connection_id', { config: { urgency: 'change' } }, async (request, reply) => {
    requireOffered(request)
    const connection = await openIdConnectionAt(request)
    // Finds out where the request came from, whoever is signed in.
    const before = await identification.sessionOf(request).catch(() => undefined)
    request.bearer = null
    const { searchParams: parameters } = new URL(request.url, addresses.publicUrl())
    const { subject, returnTo } = await judged(request, connection, async () => {
      const begun = await signIns.take(connection, cookie.read(request), parameters.get('state'))
      if (!begun) return { refusal: 'request_unknown' }
      cookie.clear(reply)
      const provider = await providerOf(connection)
      const redirectUri = redirectUriOf(addresses, connection.id)
      const { secrets, returnTo } = begun
      const outcome = await verifyCallback({ parameters, redirectUri, provider, secrets, now: clock.now() })
      return 'refusal' in outcome ? outcome : { proved: { ...outcome, returnTo } }
    })
    const admission = await pageChange(request, authorOf(connection), (tools) =>
      admit(platform, tools, connection, subject, visitOf(request, before, connection.org_id)),
    )
    if ('refusal' in admission) throw refuse(request, connection, admission.refusal, subject)
    const journey = { way: 'oidc', connectionId: connection.id, returnTo } as const
    return arrival.arriveAsMember(request, reply, { ...journey, memberId: admission.memberId })
  })

  app.post('/sso/backchannel/:connection_id', takesForm, async (request, reply) => {
    const connection = await openIdConnectionAt(request)
    await identification.sessionOf(request).catch(() => undefined)
    request.bearer = null
    const token = recordIn(request.body)['logout_token']
    const provider = await providerOf(connection)
    const find = async () => (typeof token === 'string' ? verifyLogoutToken(provider, token, clock.now()) : undefined)
    const wish = await identification.guess(request, find).catch(unlessWrong)
    const isFollowed =
      wish &&
      (await pageChange(request, authorOf(connection), (tools) => followLogout(platform, tools, connection, wish)))
    void reply.header('cache-control', 'no-store')
    return isFollowed ? reply.send('') : reply.code(400).send({ error: 'invalid_request' })
  })

  app.get('/sso/signout/:connection_id', shows, async (request, reply) => {
    const connection = await findEnabledConnection(platform, recordIn(request.params)['connection_id'])
    const provider = connection?.kind === 'oidc' ? await providers.of(connection) : undefined
    const isOffered =
      typeof provider === 'object' && provider.configuration.serverMetadata().end_session_endpoint !== undefined
    const url = isOffered
      ? buildEndSessionUrl(provider.configuration, {
          post_logout_redirect_uri: `${addresses.publicUrl()}/console/signin`,
        })
      : undefined
    // By itself only for whoever has just signed out here: nobody else may sign a visitor out of their provider.
    if (url && request.headers['sec-fetch-site'] === 'same-origin') void reply.header('refresh', `0; url=${url.href}`)
    return sendPage(reply, signedOutPage(url))
  })

  function requireOffered(request: FastifyRequest) {
    if (!cookies.isOffered(request)) throw new ApiError('forbidden', {}, { message: needsHttps })
  }
}
