import type { FastifyReply, FastifyRequest } from 'fastify'
import { authorOf } from '../../access/changes/changes.ts'
import { ApiError, isApiError } from '../../contract/errors.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { formatId } from '../../values/id.ts'
import { recordIn } from '../../values/records.ts'
import { sendPage } from '../pages/pages.ts'
import {
  type Challenges,
  ceremonySeconds,
  countRecoveryCodes,
  type DoorRow,
  doorsOfPerson,
  normalRecoveryCode,
  personBehind,
  recoveryDigest,
  relyingPartyOf,
  requestOptions,
  takeRecoveryCode,
  type UnprovedPerson,
} from '../passkeys/passkeys.ts'
import type { Arrival, SignInHooks } from './arrival.ts'
import type { BrowserCookie } from './browser-cookie.ts'
import { foreignForm, shows, takesForm } from './forms.ts'
import { choicePage, noDoorPage, recoveryPage } from './passkey-pages.ts'
import { returnPath } from './return-path.ts'
import { signInPage } from './sign-in-pages.ts'

/** Tools that the pages of passkeys share. */
export interface PasskeyTools {
  readonly challenges: Challenges
  readonly cookie: BrowserCookie
}

const textIn = (fields: Record<string, unknown>, name: string) => {
  const value = fields[name]
  return typeof value === 'string' ? value : ''
}

/** Returns the relying party of a request; throws where browsers have no passkeys. */
export function requireParty({ config }: Pick<Platform, 'config'>, { cookies }: SignInHooks, request: FastifyRequest) {
  const party = relyingPartyOf(config.publicUrl, request.headers.host)
  if (!party || !cookies.isOffered(request))
    throw new ApiError('forbidden', {}, { message: 'Passkeys need HTTPS and a host name, or localhost.' })
  return party
}

/** The ways in with a passkey and with a recovery code, and the choice of an organization after either. */
export function passkeyDoorRoutes(
  app: App,
  platform: Platform,
  hooks: SignInHooks,
  { arrive }: Arrival,
  { challenges, cookie }: PasskeyTools,
) {
  const { sql, log, addresses } = platform
  const { attempts, cookies, identification, pageChange } = hooks

  app.post('/console/signin/passkey/options', takesForm, async (request, reply) => {
    const party = requireParty(platform, hooks, request)
    if (cookies.isFromOwnPage(request) === false) throw foreignForm()
    const { token, challenge } = challenges.issue('sign_in')
    cookie.set(reply, token, ceremonySeconds)
    return reply.header('cache-control', 'no-store').send(await requestOptions(party, challenge))
  })

  app.post('/console/signin/passkey', takesForm, async (request, reply) => {
    const party = requireParty(platform, hooks, request)
    if (cookies.isFromOwnPage(request) === false) throw foreignForm()
    const fields = recordIn(request.body)
    const returnTo = returnPath(fields['return_to'])
    const held = challenges.open(cookie.read(request), 'sign_in')
    cookie.clear(reply)
    const proof = held && (await personBehind(platform, textIn(fields, 'answer'), party, held))
    if (proof && 'personId' in proof && !('refusal' in proof))
      return enter(request, reply, { personId: proof.personId, isRecovery: false, returnTo })
    const error = await refusalOf(request, reply, proof)
    const fault = isApiError(error, 'rate_limited') ? error.message : 'This passkey was not accepted. Try again.'
    const host = new URL(addresses.publicUrl()).host
    return sendPage(reply, signInPage({ host, returnTo, hasPasskeys: true, passkeyFault: fault, status: error.status }))
  })

  /** Counts a refusal, and records it where the person whose passkey was presented is a member. */
  async function refusalOf(request: FastifyRequest, reply: FastifyReply, unproved: UnprovedPerson | undefined) {
    const { refusal, personId } = unproved ?? { refusal: 'challenge', personId: undefined }
    log.info({ refusal, trace_id: request.id }, 'a passkey was refused')
    if (personId !== undefined)
      for (const door of await doorsOfPerson(sql.db, personId)) {
        const caller = await identification.member(request, door.member_id).catch(() => undefined)
        if (caller) attempts.refused(request, caller, 'session.created')
      }
    const error = await refused(arrive(request, reply, { way: 'passkey' }, () => identification.refuseGuess(request)))
    if (error instanceof ApiError) return error
    throw new TypeError('a refusal let somebody in')
  }

  app.get('/console/signin/recovery', shows, async (request, reply) =>
    sendPage(reply, recoveryPage(returnPath(recordIn(request.query)['return_to']))),
  )

  app.post('/console/signin/recovery', takesForm, async (request, reply) => {
    requireParty(platform, hooks, request)
    if (cookies.isFromOwnPage(request) === false) throw foreignForm()
    const fields = recordIn(request.body)
    const returnTo = returnPath(fields['return_to'])
    const found = await refused(
      identification.guess(request, async () => {
        const code = normalRecoveryCode(textIn(fields, 'recovery_code'))
        return code === undefined ? undefined : takeRecoveryCode(sql.db, await recoveryDigest(code))
      }),
    )
    if (typeof found === 'string') return enter(request, reply, { personId: found, isRecovery: true, returnTo })
    const isWaiting = isApiError(found, 'rate_limited')
    if (isWaiting) reply.header('retry-after', found.details.retry_after_seconds)
    const text = isWaiting ? 'Too many wrong codes. Wait a minute.' : 'This code is not valid, or was used.'
    return sendPage(reply, recoveryPage(returnTo, { text, status: found.status }))
  })

  interface Visitor {
    readonly personId: string
    readonly isRecovery: boolean
    readonly returnTo: string | undefined
  }

  /** Lets a person in who has proved who they are: where they are a member, or where they choose to. */
  async function enter(request: FastifyRequest, reply: FastifyReply, visitor: Visitor) {
    const { personId, isRecovery, returnTo } = visitor
    const doors = await doorsOfPerson(sql.db, personId)
    const [only] = doors
    if (!only) return sendPage(reply, noDoorPage())
    if (doors.length === 1) return enterBy(request, reply, only, visitor)
    const { token } = challenges.issue('choice', `${personId} ${isRecovery ? 'recovery' : 'passkey'}`)
    cookie.set(reply, token, ceremonySeconds)
    const query = returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`
    return reply.redirect(`/console/choose${query}`, 303)
  }

  const enterBy = (request: FastifyRequest, reply: FastifyReply, door: DoorRow, visitor: Visitor) =>
    arrive(request, reply, { way: 'passkey', returnTo: visitor.returnTo }, async () => {
      const caller = await identification.member(request, door.member_id)
      if (visitor.isRecovery) {
        const left = await countRecoveryCodes(sql.db, visitor.personId)
        await pageChange(request, authorOf(caller), async ({ audit }) => {
          const target = { kind: 'person', id: formatId('person', visitor.personId) }
          audit({ action: 'recovery_code.used', target, after: { left } })
        })
      }
      return caller
    })

  /** Returns who may choose now, and between what. */
  async function choiceOf(request: FastifyRequest) {
    const held = challenges.open(cookie.read(request), 'choice')
    const [personId = '', how] = held?.subject.split(' ') ?? []
    return held && { held, personId, isRecovery: how === 'recovery', doors: await doorsOfPerson(sql.db, personId) }
  }

  app.get('/console/choose', shows, async (request, reply) => {
    const choice = await choiceOf(request)
    if (!choice) return reply.redirect('/console/signin', 303)
    return sendPage(reply, choicePage(choice.doors, returnPath(recordIn(request.query)['return_to'])))
  })

  app.post('/console/choose', takesForm, async (request, reply) => {
    if (cookies.isFromOwnPage(request) !== true) throw foreignForm()
    const choice = await choiceOf(request)
    cookie.clear(reply)
    const fields = recordIn(request.body)
    const door = choice?.doors.find(({ member_id }) => formatId('member', member_id) === fields['member_id'])
    if (!choice || !door || !(await choice.held.use())) return reply.redirect('/console/signin', 303)
    return enterBy(request, reply, door, { ...choice, returnTo: returnPath(fields['return_to']) })
  })
}

/** Returns a refusal instead of throwing it. */
const refused = <T>(work: Promise<T>): Promise<T | ApiError> =>
  work.catch((error: unknown) => {
    if (error instanceof ApiError && error.status < 500) return error
    throw error
  })
