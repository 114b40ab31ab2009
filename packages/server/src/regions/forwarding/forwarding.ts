import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter } from 'prom-client'
import type { AnsweredRequest, RecordAtHome } from '../../access/changes/changes.ts'
import {
  clientAddress,
  type SessionCookies,
  sourceOf,
  type TokenSurface,
  tokenOf,
} from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import { type App, isContractPath, type RouteDeclaration } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { createNetworkMatcher } from '../../values/network.ts'
import { errorOf } from '../../values/thrown.ts'
import { type Directory, type DirectoryEntry, refusalsPath } from '../directory/directory.ts'
import { type CellLink, CellUnavailable, linkHeader } from '../link/link.ts'
import { relay } from './relay.ts'

export interface ForwardingOptions {
  readonly link: CellLink
  readonly directory: Directory
  readonly cookies: SessionCookies
  /** True for an address that has presented too many invalid keys. */
  readonly isSlowed: (clientAddress: string) => boolean
}

const unavailableStatus = 503
/** Paths of the console that are for whoever has not signed in. */
const doors = /^\/console\/(?:signin|passkeys?\/signin)\b/
const outcomes = ['answered', 'unavailable', 'unanswered', 'abandoned', 'residency_violation', 'overloaded'] as const
/** Share of the requests of a process that one other cell may occupy: a home that hangs must not take the rest with it. */
const shareOfCell = 0.25
const leastForwarded = 16

type Done = (error?: Error) => void
type Token = NonNullable<ReturnType<typeof tokenOf>>

/** Returns the surface of a route whose callers may live elsewhere; undefined for what every cell answers itself. */
function surfaceOf({ template, open }: RouteDeclaration & { readonly template?: string }): TokenSurface | undefined {
  if (template === undefined) return undefined
  if (isContractPath(template)) return open === true ? undefined : 'api'
  if (template === '/mcp') return 'mcp'
  if (template.startsWith('/scim/v2/')) return 'scim'
  return /^\/console(?:\/|$)/.test(template) && !doors.test(template) ? 'console' : undefined
}

/** Returns the token of a request that another cell of this installation has minted. */
const foreignTokenOf =
  (link: CellLink, cookies: SessionCookies) =>
  (request: FastifyRequest, surface = surfaceOf(request.route)): Token | undefined => {
    const token = surface && tokenOf(request, surface, cookies)
    return token && link.cells.has(token.cell) ? token : undefined
  }

interface Forwarding {
  readonly recordAtHome: RecordAtHome
}

/**
 * Serves the callers of other cells: their requests go to the home of their organization before the body is read, unless a rule of
 * residency forbids it. Requests that another cell hands to us are served here or refused, never handed on.
 */
export function forwardRequests(app: App, platform: Platform, options: ForwardingOptions): Forwarding {
  const { config, metrics } = platform
  const { link, directory, cookies, isSlowed } = options
  const { cell: own, region } = config
  const trusted = createNetworkMatcher(config.trustedProxies)
  const findForeign = foreignTokenOf(link, cookies)
  const isOwn = ({ cell }: Token) => cell === own || cell === ''
  const mostOfCell = Math.max(leastForwarded, Math.floor(config.maxInFlight * shareOfCell))
  const inFlight = new Map<string, number>()
  const forwarded = new Counter({
    name: 'svc_forwarded_requests_total',
    help: 'Requests of callers whose organization lives in another cell, by that cell and outcome.',
    labelNames: ['cell', 'outcome'],
    registers: [metrics],
  })
  for (const cell of link.cells.keys()) for (const outcome of outcomes) forwarded.inc({ cell, outcome }, 0)

  app.addHook('onRequest', (request, reply, done) => {
    // The routes between cells verify the signature themselves.
    if (request.headers[linkHeader] !== undefined && !request.route.template?.startsWith('/internal/')) {
      void admit(request, done)
      return
    }
    const token = findForeign(request)
    if (token) {
      void handOn(request, reply, token, done)
      return
    }
    // A token of ours is served here, unless its organization has moved away.
    const surface = surfaceOf(request.route)
    const moved = surface !== undefined && directory.hasMoved()
    if (surface === undefined || moved === false) done()
    else void followOwn(request, reply, surface, moved, done)
  })

  async function followOwn(
    request: FastifyRequest,
    reply: FastifyReply,
    surface: TokenSurface,
    moved: true | Promise<boolean>,
    done: Done,
  ) {
    // While the database is away nobody is followed: whoever looks the caller up says so.
    const token = (await Promise.resolve(moved).catch(() => false)) ? tokenOf(request, surface, cookies) : undefined
    if (token && isOwn(token)) return handOn(request, reply, token, done)
    done()
  }

  async function admit(request: FastifyRequest, done: Done) {
    try {
      await accept(request)
    } catch (error) {
      return done(errorOf(error))
    }
    done()
  }

  async function handOn(request: FastifyRequest, reply: FastifyReply, token: Token, done: Done) {
    try {
      if (await send(request, reply, token)) return
    } catch (error) {
      return done(errorOf(error))
    }
    done()
  }

  /** Reports what is refused here to a support grant of another cell: its organization's record has it before the caller does. */
  async function report(request: FastifyRequest, token: Token, refused: AnsweredRequest): Promise<boolean | undefined> {
    // A 503 may mean that nobody can be asked.
    if (refused.status === unavailableStatus) return true
    const address = clientAddress(request, trusted)
    const entry = await directory
      .find(token.cell, token.publicId, sourceOf(address), isSlowed(address))
      .catch(() => undefined)
    const { authorization } = request.headers
    if (entry?.support !== true || authorization === undefined) return true
    if (entry.home === own) return undefined
    try {
      const { status } = await link.report(entry.home, refusalsPath, { refused, authorization, caller: { address } })
      return status === 200
    } catch {
      return false
    }
  }

  /** Lets a request in that another cell hands on, with what that cell says of its client. */
  async function accept(request: FastifyRequest) {
    const { method, originalUrl: url, headers } = request
    const { fault, claims } = await link.verify({ method, url, headers }, 'forward')
    if (fault !== undefined || !claims?.caller) throw new ApiError('unauthorized', {}, { message: unsigned })
    const { caller, from } = claims
    const surface = surfaceOf(request.route)
    const token = surface && tokenOf(withHost(request, caller.host), surface, cookies)
    request.forwarded = { cell: from, clientAddress: caller.address }
    if (!token) return
    const entry = await directory.own(token.publicId)
    if (entry?.residency === 'strict' && link.cells.get(from)?.region !== region)
      throw new ApiError('residency_violation')
    // A token of ours that nobody knows is refused like any other. One of another cell was sent here because its organization has moved.
    const isHere = entry ? entry.home === own : isOwn(token)
    if (!isHere) throw moving()
  }

  /** Forwards a request to the home of its caller; false where it is to be served here. */
  async function send(request: FastifyRequest, reply: FastifyReply, token: Token): Promise<boolean> {
    const address = clientAddress(request, trusted)
    const entry = await findHome(token, address)
    // Nobody knows the token: it is refused here, which counts against its sender.
    if (!entry || entry.home === own) return false
    request.isHandedOn = true
    const home = link.cells.get(entry.home)
    if (!home) throw unavailable(new CellUnavailable(entry.home, 'is not listed in SVC_CELLS'))
    if (entry.residency === 'strict' && (entry.region !== region || home.region !== region)) {
      forwarded.inc({ cell: home.name, outcome: 'residency_violation' })
      throw new ApiError('residency_violation')
    }
    const others = inFlight.get(home.name) ?? 0
    if (others >= mostOfCell) {
      forwarded.inc({ cell: home.name, outcome: 'overloaded' })
      throw new ApiError('service_unavailable', {}, { message: tooMany })
    }
    request.bearer = null
    inFlight.set(home.name, others + 1)
    try {
      const handlerTimeoutMs = config.handlerTimeoutSeconds * 1_000
      const { outcome, refusal } = await relay(request, reply, {
        link,
        home: home.name,
        clientAddress: address,
        handlerTimeoutMs,
      })
      forwarded.inc({ cell: home.name, outcome })
      if (refusal) throw refusal
      return true
    } finally {
      inFlight.set(home.name, (inFlight.get(home.name) ?? 1) - 1)
    }
  }

  /** Finds the caller also of a path that matches nothing, which is refused before everything else. */
  const recordAtHome: RecordAtHome = async (request, refused) => {
    if (request.headers[linkHeader] !== undefined) return undefined
    const token = findForeign(request, refused.template === undefined ? 'api' : undefined)
    return token && report(request, token, refused)
  }

  async function findHome(token: Token, address: string): Promise<DirectoryEntry | undefined> {
    try {
      const source = sourceOf(address)
      return await (isOwn(token)
        ? directory.follow(token.publicId, source, isSlowed(address))
        : directory.find(token.cell, token.publicId, source, isSlowed(address)))
    } catch (error) {
      forwarded.inc({ cell: error instanceof CellUnavailable ? error.cell : token.cell, outcome: 'unavailable' })
      throw unavailable(error)
    }
  }

  return { recordAtHome }
}

/** Returns a request with the host that its client sent, and without what only cells say to each other. */
function withHost(request: FastifyRequest, host: string | undefined): FastifyRequest {
  const { headers } = request
  delete headers[linkHeader]
  if (host === undefined) delete headers.host
  else headers.host = host
  return request
}

const unsigned = 'The signature of another cell is not valid.'
const tooMany = 'Too many requests wait for the cell in which the organization lives. Retry with backoff.'
const moving = () =>
  new ApiError('service_unavailable', {}, { message: 'The organization has just moved. Retry with backoff.' })
const unavailable = (cause: unknown) =>
  new ApiError(
    'service_unavailable',
    {},
    { message: 'The cell that has issued this key does not answer. Retry with backoff.', cause },
  )
