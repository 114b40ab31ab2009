import type { FastifyReply } from 'fastify'

/**
 * Headers of every answer: nobody on the way keeps it (many answers hold a secret or money, and all belong to one caller),
 * no browser guesses another type for it, and no link in it tells where it was read.
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

/** Puts the headers on before anything can answer; a route that may be kept says so itself. */
export function protectAnswers(app: Server) {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(protectiveHeaders)
    done()
  })
}
