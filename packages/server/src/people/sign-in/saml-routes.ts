import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { formatId } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { recordIn } from '../../values/records.ts'
import { type ConnectionRow, samlConnectionOf, samlSettingsOf, serviceProviderOf } from '../connections/connections.ts'
import { sendPage } from '../pages/pages.ts'
import { serviceProviderMetadata, verifyAnswer } from '../saml/saml.ts'
import { admit, findEnabledConnection, personOfSaml, type SignIns, type VouchedPerson } from '../sso/sso.ts'
import type { Arrival, SignInHooks } from './arrival.ts'
import { createBrowserCookie } from './browser-cookie.ts'
import { needsHttps, shows } from './forms.ts'
import { finishPage } from './sso-pages.ts'
import { authorOf, createJudgement, createSsoRefusal, type SsoRefusal, visitOf } from './sso-refusal.ts'

/** Bytes of the form of an answer: its text as `verifyAnswer` takes it, with what a form adds to it. */
const maxAnswerBytes = 600_000

/** Serves the way in by a provider of SAML: its answers, and what an administrator enters there. */
export function samlRoutes(app: App, platform: Platform, hooks: SignInHooks, arrival: Arrival, signIns: SignIns) {
  const { cookies, identification, pageChange } = hooks
  const { addresses, clock } = platform
  const cookie = createBrowserCookie(platform, 'sso', 'lax')
  const refuse = createSsoRefusal(hooks, arrival)
  const judged = createJudgement(hooks, refuse)

  async function connectionAt(request: FastifyRequest): Promise<ConnectionRow> {
    if (!cookies.isOffered(request)) throw new ApiError('forbidden', {}, { message: needsHttps })
    const found = await findEnabledConnection(platform, recordIn(request.params)['connection_id'])
    if (found?.kind !== 'saml')
      throw new ApiError('not_found', {}, { message: 'There is no such way in, or it was turned off.' })
    return found
  }

  /** Judges an answer of a provider; of an honest one it returns the person. */
  async function judge(
    connection: ConnectionRow,
    message: string,
  ): Promise<{ proved: { person: VouchedPerson; requestId: string } } | { refusal: SsoRefusal }> {
    const settings = present(samlSettingsOf(connection))
    const outcome = await verifyAnswer(message, samlConnectionOf(addresses, connection.id, settings), {
      now: clock.now(),
      claimRequest: (requestId) => signIns.claimAnswer(connection, requestId),
    })
    if ('refusal' in outcome) return outcome
    const person = personOfSaml(outcome.subject, settings.email_attribute)
    return 'refusal' in person ? person : { proved: { person, requestId: outcome.requestId } }
  }

  app.get('/saml/metadata/:connection_id', shows, async (request, reply) => {
    const { id } = await connectionAt(request)
    const { entity_id: spEntityId, acs_url: acsUrl } = serviceProviderOf(addresses, id)
    return reply
      .type('application/samlmetadata+xml; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(serviceProviderMetadata({ spEntityId, acsUrl }))
  })

  // A form of the provider's page, so it comes without our cookies: who brings it is found out at the next step.
  app.post(
    '/saml/acs/:connection_id',
    { bodyLimit: maxAnswerBytes, config: { urgency: 'change' } },
    async (request, reply) => {
      const connection = await connectionAt(request)
      const { SAMLResponse } = recordIn(request.body)
      const answer = await judged(request, connection, () =>
        judge(connection, typeof SAMLResponse === 'string' ? SAMLResponse : ''),
      )
      const code = await signIns.keepAnswer(connection, answer.requestId, answer.person)
      const path = `/saml/finish/${formatId('connection', connection.id)}?code=${code}`
      return sendPage(reply.header('refresh', `0; url=${path}`), finishPage(path))
    },
  )

  app.get('/saml/finish/:connection_id', { config: { urgency: 'change' } }, async (request, reply) => {
    const connection = await connectionAt(request)
    // Finds out where the request came from, whoever is signed in.
    const before = await identification.sessionOf(request).catch(() => undefined)
    request.bearer = null
    const { code } = recordIn(request.query)
    const answered = await signIns.takeAnswered(connection, cookie.read(request), code)
    if (!answered) throw refuse(request, connection, 'request_unknown')
    cookie.clear(reply)
    const { person, returnTo } = answered
    const admission = await pageChange(request, authorOf(connection), (tools) =>
      admit(platform, tools, connection, person, visitOf(request, before, connection.org_id)),
    )
    if ('refusal' in admission) throw refuse(request, connection, admission.refusal, person)
    const journey = { way: 'saml', connectionId: connection.id, returnTo } as const
    return arrival.arriveAsMember(request, reply, { ...journey, memberId: admission.memberId })
  })
}
