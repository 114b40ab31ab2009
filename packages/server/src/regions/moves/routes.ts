import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { recordIn } from '../../values/records.ts'
import { type CellLink, digestOf, type LinkClaims, linkHeader, otherKeysStatus, sendSigned } from '../link/link.ts'
import { createArrivals } from './arrival-queries.ts'
import { reportMoves } from './metrics.ts'
import { movePath, moveSteps, refusedStatus, type SentMessage } from './target.ts'

/** One page of rows, and what one row may exceed it by. */
const bodyLimit = 67_108_864

/**
 * Serves the cell from which an organization comes. To everybody else there is nothing here, whoever they are in the organization: these
 * routes take no key of a caller.
 */
export async function moveRoutes(app: App, platform: Platform, { link }: { readonly link: CellLink }) {
  const arrivals = createArrivals(platform)
  reportMoves(platform)
  app.addHook('onClose', () => arrivals.close())
  const claimsOf = new WeakMap<FastifyRequest, LinkClaims>()

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

    for (const step of moveSteps)
      scope.post(
        movePath(step),
        {
          bodyLimit,
          // Before the body is read: a stranger's is not.
          onRequest: async (request, reply) => {
            if (request.headers[linkHeader] === undefined) throw new ApiError('not_found')
            const { method, originalUrl: url, headers } = request
            const { fault, claims } = await link.verify({ method, url, headers }, 'move')
            if (fault === 'other_master_keys' && claims)
              return sendSigned(reply, link, claims, { status: otherKeysStatus, value: {} })
            if (!claims || fault !== undefined) throw new ApiError('unauthorized')
            claimsOf.set(request, claims)
            return undefined
          },
        },
        async (request, reply) => {
          const claims = claimsOf.get(request)
          const body = request.body instanceof Buffer ? request.body.toString('utf8') : ''
          // The signature is of this body, or somebody has put another in its place.
          if (!claims || claims.digest !== digestOf(body)) throw new ApiError('unauthorized')
          const answer = await arrivals.receive(claims.from, step, messageIn(body))
          return answer.refusal === undefined
            ? sendSigned(reply, link, claims, { status: 200, value: answer.value })
            : sendSigned(reply, link, claims, {
                status: refusedStatus,
                value: { reason: answer.refusal, is_parent_missing: answer.isParentMissing === true },
              })
        },
      )
  })
}

function messageIn(body: string): SentMessage {
  try {
    return recordIn(JSON.parse(body)) as unknown as SentMessage
  } catch {
    return recordIn({}) as unknown as SentMessage
  }
}
