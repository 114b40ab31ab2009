import type { FastifyReply } from 'fastify'

/**
 * Headers of every response: no intermediary caches it (many responses hold a secret or money, and each belongs to one caller),
 * no browser guesses another type for it, and no link in it reveals where it was read.
 */
export const protectiveHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const

interface Server {
  readonly addHook: (
    name: 'onRequest',
    hook: (request: unknown, reply: Pick<FastifyReply, 'headers'>, done: () => void) => void,
  ) => unknown
}

/** Sets the headers before anything can respond; a cacheable route overrides them itself. */
export function protectResponses(app: Server) {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(protectiveHeaders)
    done()
  })
}
