import type { FastifyRequest } from 'fastify'
import { actingAs } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { parseId } from '../../values/id.ts'
import { recordIn } from '../../values/records.ts'
import { sendPage } from '../pages/pages.ts'
import {
  addPasskey,
  ceremonySeconds,
  creationOptions,
  handleOf,
  hasProofs,
  lackOfPower,
  mintRecoveryCodes,
  type PasskeyPower,
  passkeyView,
  personBehind,
  personIn,
  proofsOf,
  proofsWithPower,
  removePasskey,
  setRecoveryCodes,
  verifyRegistration,
} from '../passkeys/passkeys.ts'
import { type Arrival, profilePath, type SignInHooks } from './arrival.ts'
import { shows, takesForm } from './forms.ts'
import type { Inside, LiveSession } from './inside.ts'
import { type PasskeyTools, requireParty } from './passkey-door-routes.ts'
import { codesOfferPage, codesPage, type PasskeyDesk } from './passkey-pages.ts'

const maxNameLength = 100
const codesPath = '/console/recovery-codes'

/** Returns what a session may see and do on the part of the profile about passkeys; undefined for whoever is no person. */
export async function passkeyDeskOf(
  platform: Platform,
  { caller, csrfToken }: Pick<LiveSession, 'caller' | 'csrfToken'>,
): Promise<PasskeyDesk | undefined> {
  if (caller.person === undefined) return undefined
  const proofs = await proofsOf(platform, caller.person.id)
  const asker = { caller, nowMs: platform.clock.now().getTime(), hasProofs: hasProofs(proofs) }
  const lack = (power: PasskeyPower) => lackOfPower(power, asker)
  return {
    passkeys: lack('see') === undefined ? proofs.passkeys.map(passkeyView) : undefined,
    recoveryCodes: proofs.recoveryCodes,
    lackToAdd: lack('add'),
    lackToChange: lack('change'),
    csrfToken,
  }
}

/** The part of the profile about passkeys: they are added, removed and confirmed, and recovery codes are made. */
export function passkeyProfileRoutes(
  app: App,
  platform: Platform,
  hooks: SignInHooks,
  { arriveAsMember }: Arrival,
  { challenges, cookie }: PasskeyTools,
  { inside, ofOwnForm }: Inside,
) {
  const { pageChange } = hooks

  const answerIn = (request: FastifyRequest) => {
    const { answer } = recordIn(request.body)
    return typeof answer === 'string' ? answer : ''
  }

  app.post('/console/passkeys/options', takesForm, async (request, reply) => {
    const session = ofOwnForm(request, await inside(request, reply))
    if (!session) return reply
    const party = requireParty(platform, hooks, request)
    const { caller } = session
    const proofs = await proofsWithPower(platform, caller, 'add')
    const { token, challenge } = challenges.issue('enrolment', session.session.id)
    cookie.set(reply, token, ceremonySeconds)
    const email = caller.person?.email ?? ''
    const credentialIds = proofs.passkeys.map(({ credential_id }) => credential_id.toString('base64url'))
    const owner = { handle: handleOf(personIn(caller)), email, name: email, credentialIds }
    return reply.header('cache-control', 'no-store').send(await creationOptions(party, owner, challenge))
  })

  app.post('/console/passkeys', takesForm, async (request, reply) => {
    const session = ofOwnForm(request, await inside(request, reply))
    if (!session) return reply
    const party = requireParty(platform, hooks, request)
    const { caller } = session
    const proofs = await proofsWithPower(platform, caller, 'add')
    const held = challenges.open(cookie.read(request), 'enrolment')
    cookie.clear(reply)
    if (!held || held.subject !== session.session.id) throw notAccepted()
    const outcome = await verifyRegistration(answerIn(request), { party, challenge: held.challenge })
    if ('refusal' in outcome) {
      platform.log.info({ refusal: outcome.refusal, trace_id: request.id }, 'a new passkey was refused')
      throw notAccepted()
    }
    if (!(await held.use())) throw notAccepted()
    const { name } = recordIn(request.body)
    const given = typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, maxNameLength) : 'Passkey'
    await pageChange(request, actingAs(caller), (tools) => addPasskey(tools, caller, outcome.passkey, given))
    // A session of more power gets a new id.
    const returnTo = proofs.recoveryCodes === 0 ? codesPath : profilePath
    return arriveAsMember(request, reply, { memberId: caller.id, way: 'passkey', returnTo })
  })

  app.post('/console/passkeys/confirm', takesForm, async (request, reply) => {
    const session = ofOwnForm(request, await inside(request, reply))
    if (!session) return reply
    const party = requireParty(platform, hooks, request)
    const { caller } = session
    const held = challenges.open(cookie.read(request), 'sign_in')
    cookie.clear(reply)
    const proof = held && (await personBehind(platform, answerIn(request), party, held))
    if (!proof || 'refusal' in proof || proof.personId !== personIn(caller)) throw notAccepted()
    return arriveAsMember(request, reply, { memberId: caller.id, way: 'passkey', returnTo: profilePath })
  })

  app.post('/console/passkeys/:passkey_id/remove', takesForm, async (request, reply) => {
    const session = ofOwnForm(request, await inside(request, reply))
    if (!session) return reply
    const { caller } = session
    await proofsWithPower(platform, caller, 'change')
    const id = parseId('passkey', String(recordIn(request.params)['passkey_id']))
    if (id === undefined) throw new ApiError('not_found')
    await pageChange(request, actingAs(caller), (tools) => removePasskey(tools, caller, id))
    return reply.redirect(profilePath, 303)
  })

  app.get(codesPath, shows, async (request, reply) => {
    const session = await inside(request, reply)
    if (!session) return reply
    const { recoveryCodes } = await proofsWithPower(platform, session.caller, 'change')
    return sendPage(reply, codesOfferPage(recoveryCodes, session.csrfToken))
  })

  app.post(codesPath, takesForm, async (request, reply) => {
    const session = ofOwnForm(request, await inside(request, reply))
    if (!session) return reply
    const { caller } = session
    await proofsWithPower(platform, caller, 'change')
    const { codes, digests } = await mintRecoveryCodes()
    await pageChange(request, actingAs(caller), (tools) => setRecoveryCodes(tools, caller, digests))
    return sendPage(reply, codesPage(codes))
  })
}

const notAccepted = () =>
  new ApiError('forbidden', {}, { message: 'This passkey was not accepted. Go back to your profile and try again.' })
