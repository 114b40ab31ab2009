import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { WriteBehind } from '../../platform/infra/write-behind.ts'
import { createNetworkMatcher } from '../../values/network.ts'
import { requireStanding } from './admission.ts'
import { sourceOf } from './backoff.ts'
import type { Caller } from './callers.ts'
import { idOf, parseDirectoryToken } from './key-format.ts'
import { createLookups } from './lookups.ts'
import { type DirectoryRow, findDirectories, type LastUse, touchDirectoryTokens } from './queries.ts'
import type { createVerification } from './verification.ts'

const flushUsedMs = 5_000
const maxWaiting = 10_000
const promptLimits = { queries: 2, idsPerQuery: 100, pauseMs: 0 }
/** Lookup limits for sources that have failed too often: one directory service speaks for many organizations. */
const slowLimits = { queries: 1, idsPerQuery: 100, pauseMs: 50 }

const bearer = /^bearer +(\S+) *$/i
const unknownDigest = Buffer.alloc(32)
const refused = (message: string) => new ApiError('unauthorized', {}, { message })

/**
 * Creates the authentication of directories. A token is looked up at each request, so that one that was revoked is refused at the next;
 * directories send few.
 */
export function createDirectoryTokens(
  app: App,
  platform: Platform,
  verification: ReturnType<typeof createVerification>,
): (request: FastifyRequest) => Promise<Caller> {
  const { sql, clock } = platform
  const read = (ids: readonly string[]) => findDirectories(sql, ids)
  const lookups = { prompt: createLookups(read, promptLimits), slow: createLookups(read, slowLimits) }
  const uses = new WriteBehind<LastUse>(platform, {
    name: 'scim_token_uses',
    everyMs: flushUsedMs,
    maxWaiting,
    write: (batch) => touchDirectoryTokens(sql, batch),
  })
  app.addHook('onClose', () => uses.close())

  return async (request) => {
    const { authorization } = request.headers
    if (authorization === undefined) throw refused('A token for SCIM is needed: Authorization: Bearer <TOKEN>.')
    const token = parseDirectoryToken(bearer.exec(authorization)?.[1] ?? '')
    if (!token) return verification.refuse(request)
    const lookup = verification.isOver(request) ? lookups.slow : lookups.prompt
    const row = await lookup.find(idOf(token), sourceOf(request.clientAddress), undefined)
    const isGenuine = timingSafeEqual(row?.digest ?? unknownDigest, hash('sha256', token.secret, 'buffer'))
    if (!row || !isGenuine) return verification.refuse(request)
    if (row.revoked_at !== null) throw refused('This token was revoked.')
    const caller = callerOf(row)
    requireStanding(request, caller)
    uses.add(row.id, { id: row.id, at: clock.now() })
    return caller
  }
}

/** Returns a directory as a caller. It has no scopes: nothing of `/v1` is open to it. */
const callerOf = (row: DirectoryRow): Caller => ({
  kind: 'directory',
  id: row.id,
  lineageId: row.id,
  orgId: row.org_id,
  role: 'viewer',
  scopes: new Set(),
  scopesInGift: undefined,
  pins: {},
  notBeforeMs: Number.NEGATIVE_INFINITY,
  expiresAtMs: Number.POSITIVE_INFINITY,
  isRevoked: false,
  grantScope: undefined,
  operatorKeyId: undefined,
  person: undefined,
  isOrgSuspended: row.org_status === 'suspended',
  isOrgMoving: row.org_status === 'moving',
  allowedNetworks: row.ip_allow_list.length === 0 ? undefined : createNetworkMatcher(row.ip_allow_list),
  requiredDimensions: row.required_dimensions,
  readRpm: row.on_unavailable === null ? undefined : row.read_rpm,
  onUnavailable: row.on_unavailable ?? 'local',
  ratePolicies: row.policies,
  mac: unknownDigest,
  macKeyId: '',
  session: undefined,
})
