import type { IncomingMessage } from 'node:http'
import { elementAt } from '../values/present.ts'
import { unsupported } from './envelope.ts'
import { ApiError } from './errors.ts'
import { type App, isContractPath } from './routes.ts'

const origin = /^[a-z]+:\/\/[^/?#]*/i
const emptySegment = /^[^?#]*\/(?:[/?#]|$)/

/**
 * Answers 404 to an unmatched path or method before any other check, with or without a key, and without reading the body. To
 * the router an empty segment is an empty parameter; under `/v1` it matches nothing.
 */
export function refuseUnmatched(app: App) {
  app.addHook('onRequest', ({ is404, raw, route }, _reply, done) => {
    if (!is404 && !(isContractPath(route.template ?? '') && emptySegment.test((raw.url ?? '').replace(origin, ''))))
      return done()
    done(isUndecodable(raw) ? malformed(undecodablePath) : new ApiError('not_found'))
  })
}

/**
 * Refuses requests that Node and the framework accept but HTTP does not: a missing or invalid host, a repeated single-valued
 * header (an intermediary may use the other value), a target with a fragment or a malformed percent-encoding; and unsupported
 * expectations.
 */
export function refuseMalformedRequests(app: App) {
  app.addHook('onRequest', ({ raw }, reply, done) => {
    const message = findMalformation(raw)
    // A caller with an expectation may send its body or not, so what follows on the connection is ambiguous.
    if (message === unsupported) reply.raw.shouldKeepAlive = false
    done(message === undefined ? undefined : malformed(message))
  })
}

const malformed = (message: string) => new ApiError('bad_request', {}, { message })
const undecodablePath = 'The path has a malformed percent-encoding.'

function findMalformation(message: IncomingMessage): string | undefined {
  const { httpVersion, headers, rawHeaders: lines, url = '' } = message
  if (headers.host === undefined && httpVersion === '1.1') return 'The host header is missing.'
  if (headers.host !== undefined && !authority.test(headers.host)) return 'The host header is malformed.'
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') return unsupported
  const repeated = repeatedHeader(lines)
  if (repeated !== undefined) return `There is more than one ${repeated} header.`
  if (url.includes('#')) return 'The target of the request has a fragment.'
  if (isUndecodable(message)) return undecodablePath
  const query = url.indexOf('?')
  return query < 0 || isDecodable(url.slice(query)) ? undefined : 'The query has a malformed percent-encoding.'
}

/** Matches a host and an optional port (RFC 3986, section 3.2), without a user. */
const authority = /^(?:\[[0-9A-Fa-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::\d*)?$/

const singleHeaders = ['host', 'authorization', 'content-type']
const singleLengths = new Set<number>(singleHeaders.map(({ length }) => length))

/**
 * Returns a single-valued header that occurs twice. Names and values alternate in the list; the length alone rules out almost
 * every name.
 */
function repeatedHeader(lines: readonly string[]): string | undefined {
  let seen = 0
  for (let i = 0; i < lines.length; i += 2) {
    const name = elementAt(lines, i)
    if (!singleLengths.has(name.length)) continue
    const place = singleHeaders.indexOf(name.toLowerCase())
    if (place < 0) continue
    if (seen & (1 << place)) return singleHeaders[place]
    seen |= 1 << place
  }
  return undefined
}

const undecodable = Symbol('its path cannot be decoded')
type Matched = IncomingMessage & { [undecodable]?: true }

const isUndecodable = (message: Matched) => message[undecodable] === true

/**
 * Returns the target by which the route is found. A path that cannot be decoded is matched by its shape, so that its route
 * refuses it.
 */
export function routingTarget(message: Matched): string {
  const target = message.url ?? ''
  if (!target.includes('%')) return target
  const path = target.replace(/[?#].*$/s, '')
  if (isDecodable(path)) return target
  message[undecodable] = true
  return path.replaceAll(/%[0-9a-f]{0,2}/gi, 'x') + target.slice(path.length)
}

function isDecodable(text: string): boolean {
  if (!text.includes('%')) return true
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
