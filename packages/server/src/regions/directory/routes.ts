import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Attempts } from '../../access/changes/changes.ts'
import type { Callers } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { recordIn } from '../../values/records.ts'
import { type CellLink, type LinkClaims, linkHeader, otherKeysStatus, sendSigned } from '../link/link.ts'
import { type Directory, type DirectoryEntry, directoryPath, refusalsPath, uuidOf } from './directory.ts'
import { cellPath } from './introduction.ts'

interface Means {
  readonly link: CellLink
  readonly directory: Directory
  readonly callers: Callers
  readonly attempts: Attempts
}

/**
 * Serves what other cells ask. To everybody else there is nothing here: these routes are not of `/v1`, not in its document, and take no
 * key of a caller.
 */
export function internalRoutes(app: App, { config }: Platform, { link, directory, callers, attempts }: Means) {
  const { cell, region } = config

  app.get(cellPath, (request, reply) => answer(request, reply, () => Promise.resolve({ cell, region })))

  app.get(directoryPath(':id'), (request, reply) =>
    answer(request, reply, () => entryOf(String(recordIn(request.params)['id']))),
  )

  app.post(refusalsPath, (request, reply) =>
    answer(
      request,
      reply,
      async ({ refused, caller, from }) => {
        if (!refused || !caller) return undefined
        request.forwarded = { cell: from, clientAddress: caller.address }
        if (!(await attempts.recordRefused(request, refused))) throw new ApiError('service_unavailable')
        return {}
      },
      'refusal',
    ),
  )

  async function entryOf(publicId: string): Promise<DirectoryEntry | undefined> {
    const [id, entry] = [uuidOf(publicId), await directory.own(publicId)]
    const caller = id !== undefined && entry && (await callers.find(id))
    return caller && caller.kind === 'support' ? { ...entry, support: true } : entry
  }

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    find: (claims: LinkClaims) => Promise<object | undefined>,
    purpose: 'internal' | 'refusal' = 'internal',
  ) {
    if (request.headers[linkHeader] === undefined) throw new ApiError('not_found')
    const { fault, claims } = await link.verify(
      { method: request.method, url: request.originalUrl, headers: request.headers },
      purpose,
    )
    const isOtherInstallation = fault === 'other_master_keys'
    if (!claims || (fault !== undefined && !isOtherInstallation)) throw new ApiError('unauthorized')
    const found = isOtherInstallation ? undefined : await find(claims)
    const status = isOtherInstallation ? otherKeysStatus : found ? 200 : 404
    return sendSigned(reply, link, claims, { status, value: found ?? {} })
  }
}
