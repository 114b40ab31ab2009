import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { present } from '../values/present.ts'
import type { App } from './routes.ts'

export interface InFlight {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly startedMs: number
}

/** Requests in progress in this process, in order of arrival. */
export interface RequestsInFlight extends Iterable<InFlight> {
  readonly size: number
}

const key = Symbol('in flight')
type Tracked = ServerResponse & { [key]?: InFlight }

export const inFlightOf = (response: Tracked): InFlight | undefined => response[key]

/** Tracks the requests in progress, and calls back when one ends: answered, or abandoned by its caller. */
export function trackRequests(app: App, onEnd: (request: InFlight) => void): RequestsInFlight {
  const inFlight = new Set<InFlight>()

  app.addHook('onRequest', (request, reply, done) => {
    const entry = { request, reply, startedMs: performance.now() }
    inFlight.add(entry)
    const response: Tracked = reply.raw
    response[key] = entry
    // One listener for all requests: a closure for each is measurable at this rate. The framework's own hook does not fire
    // for callers that hang up.
    reply.raw.on('close', end)
    done()
  })

  function end(this: Tracked) {
    const entry = present(this[key])
    inFlight.delete(entry)
    onEnd(entry)
  }

  return inFlight
}
