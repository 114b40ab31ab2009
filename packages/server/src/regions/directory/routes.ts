import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { recordIn } from '../../values/records.ts'
import { answerHeader, type CellLink, linkHeader, otherKeysStatus } from '../link/link.ts'
import { type Directory, directoryPath } from './directory.ts'
import { cellPath } from './introduction.ts'

/**
 * Serves what other cells ask. To everybody else there is nothing here: these routes are not of `/v1`, not in its document, and take no
 * key of a caller.
 */
export function internalRoutes(
  app: App,
  { config }: Platform,
  { link, directory }: { readonly link: CellLink; readonly directory: Directory },
) {
  const { cell, region } = config

  app.get(cellPath, (request, reply) => answer(request, reply, () => Promise.resolve({ cell, region })))

  app.get(directoryPath(':id'), (request, reply) =>
    answer(request, reply, () => directory.own(String(recordIn(request.params)['id']))),
  )

  async function answer(request: FastifyRequest, reply: FastifyReply, find: () => Promise<object | undefined>) {
    if (request.headers[linkHeader] === undefined) throw new ApiError('not_found')
    const { fault, claims } = await link.verify(
      { method: request.method, url: request.originalUrl, headers: request.headers },
      'internal',
    )
    const isOtherInstallation = fault === 'other_master_keys'
    if (!claims || (fault !== undefined && !isOtherInstallation)) throw new ApiError('unauthorized')
    const found = isOtherInstallation ? undefined : await find()
    const status = isOtherInstallation ? otherKeysStatus : found ? 200 : 404
    const body = JSON.stringify(found ?? {})
    return reply
      .code(status)
      .header(answerHeader, link.signAnswer(claims, status, body))
      .type('application/json')
      .serializer(String)
      .send(body)
  }
}
