import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { type FindStoredResponse, replay } from '../../contract/envelope.ts'
import { ApiError, validationFailed } from '../../contract/errors.ts'
import { type App, honoursIdempotencyKey, isContractPath } from '../../contract/routes.ts'
import type { Job } from '../../platform/infra/jobs.ts'
import { ensureDailyPartitions, maintainDailyPartitions, partitionBounds } from '../../platform/infra/partitions.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { deriveKeyring } from '../../values/keyring.ts'
import { present } from '../../values/present.ts'
import { seal, unseal } from '../../values/seal.ts'
import { errorOf } from '../../values/thrown.ts'
import {
  type ClaimRow,
  completeClaim,
  findClaim,
  insertClaim,
  keyIdentity,
  lockIdempotencyKey,
  releaseClaim,
  takeOver,
} from './queries.ts'

export { replay } from '../../contract/envelope.ts'
export { keyIdentity, liveClaimCondition, reclaimAssignments } from './queries.ts'

/**
 * Idempotency: a retry with the same `Idempotency-Key` gets the first response instead of a second effect. The claim is a row
 * of its own; the effect and the stored response commit together, so a crash can neither lose nor repeat an effect.
 */

const header = 'idempotency-key'
const visible = /^[\x21-\x7e]{1,255}$/
const tables = [{ name: 'idempotency_keys', bound: partitionBounds.date, retentionDays: 2 }]
const daysAhead = 7
/** Matches a response schema with a property that shows a secret. */
const namesSecret = /"(secret|token|invitation)":\{/

interface Claim {
  readonly orgId: string
  /** Key as the table stores it, with its caller's lineage. */
  readonly key: string
  readonly day: string
  readonly attempt: number
  isKept: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    claim: Claim | undefined
  }
  interface FastifyContextConfig {
    /** True when the response contains a secret, so that a replay is recorded in the audit log. */
    showsSecret?: boolean
    honoursKey?: boolean
  }
}

/** Records a replay in the audit log, before it is sent. */
export type RecordReplay = (tx: Tx, request: FastifyRequest) => Promise<void>

export interface Idempotency {
  /** Stores the response in the transaction of the effect; throws when a retry has taken this call over. */
  readonly store: (tx: Tx, request: FastifyRequest, status: number, body: string) => Promise<void>
  /** Finds the stored response of a request that is about to be refused; throws when its key belongs to another request. */
  readonly findStoredResponse: FindStoredResponse
}

/** Stored responses as the database holds them: encrypted, because some contain secrets. */
export interface StoredResponses {
  readonly seal: (orgId: string, key: string, body: string) => Buffer
  readonly open: (orgId: string, key: string, sealed: Buffer) => string
}

export function createStoredResponses(config: Pick<Config, 'masterKeys'>): StoredResponses {
  const keyring = deriveKeyring(config.masterKeys(), 'stored answers')
  return {
    seal: (orgId, key, body) => seal(keyring, body, keyIdentity(orgId, key)),
    open: (orgId, key, sealed) => unseal(keyring, sealed, keyIdentity(orgId, key)),
  }
}

/**
 * Returns the key of a request scoped to its caller's lineage, when one applies: callers that number their requests never
 * collide, and nobody receives another's response. A blank separates the two and occurs in neither.
 */
function keyOf({ headers, route, principal }: FastifyRequest): string | undefined {
  const key = route.honoursKey === true ? (headers[header] as string | undefined) : undefined
  return key === undefined || !principal ? undefined : `${principal.lineageId} ${key}`
}

/** Returns key and hash for routes that store their responses themselves, in the transaction of their effect. */
export function idempotencyOf(request: FastifyRequest): { key: string; hash: Buffer } | undefined {
  const key = keyOf(request)
  request.isKeyPending = false
  return key === undefined ? undefined : { key, hash: requestHash(request) }
}

/** Adds to the declaration of each route whether it honours keys, and whether its responses show a secret. */
function declareKeyUse(app: App) {
  app.addHook('onRoute', (options) => {
    const { config: declared = {}, method, url, schema } = options
    const showsSecret = namesSecret.test(JSON.stringify(schema?.response ?? {}))
    const honoursKey = isContractPath(url) && [method].flat().every((one) => honoursIdempotencyKey(one, declared))
    options.config = { ...declared, showsSecret, honoursKey }
  })
}

function refuseMalformedKeys(app: App) {
  app.addHook('onRequest', ({ headers, route, principal }, _reply, done) => {
    const key = headers[header]
    if (key === undefined || !principal || route.honoursKey !== true || visible.test([key].flat().join(',')))
      return done()
    done(
      validationFailed([
        { field: 'Idempotency-Key', code: 'invalid_format', message: 'Must be 1 to 255 visible characters.' },
      ]),
    )
  })
}

export async function honourIdempotencyKeys(
  app: App,
  { sql, config, clock }: Platform,
  recordReplay: RecordReplay,
): Promise<Idempotency> {
  const storedResponses = createStoredResponses(config)
  await ensureDailyPartitions(sql, tables, clock.now(), daysAhead)
  app.decorateRequest('claim')
  declareKeyUse(app)
  refuseMalformedKeys(app)

  // Before validation, which is the first to read what was sent.
  app.addHook('preValidation', (request, _reply, done) => {
    request.isKeyPending = keyOf(request) !== undefined
    done()
  })

  // Requests without a key proceed synchronously, without a promise.
  app.addHook('preHandler', (request, reply, done) => {
    const key = keyOf(request)
    if (key === undefined || request.route.storesOwnResponses === true) return done()
    void claimKey(request, reply, key, done)
  })

  /** Claims a key for a request, or answers it as before. */
  async function claimKey(request: FastifyRequest, reply: FastifyReply, key: string, done: (refusal?: Error) => void) {
    try {
      request.isKeyPending = false
      const outcome = await claimOrFind(request, key)
      if ('status' in outcome) return void replay(reply, outcome.status, outcome.body)
      request.claim = { orgId: request.caller.orgId, key, day: outcome.day, attempt: outcome.attempt, isKept: false }
    } catch (error) {
      return done(errorOf(error))
    }
    done()
  }

  function claimOrFind(request: FastifyRequest, key: string) {
    const hash = requestHash(request)
    const { orgId } = request.caller
    return sql.asOrgs([orgId], async (tx) => {
      await lockIdempotencyKey(tx, orgId, key)
      const found = await findClaim(tx, orgId, key, config.idempotencyTakeoverSeconds)
      if (!found) return insertClaim(tx, orgId, key, hash)
      const stored = await findStoredResponse(tx, request, key, found)
      if (stored) return stored
      const next = { orgId, key, day: found.day, attempt: found.attempt + 1 }
      await takeOver(tx, next)
      return { day: next.day, attempt: next.attempt }
    })
  }

  /** Returns the stored response of a key, or throws a refusal; `undefined` when its first request has crashed. */
  async function findStoredResponse(tx: Tx, request: FastifyRequest, key: string, found: ClaimRow) {
    if (!found.request_hash.equals(requestHash(request))) throw new ApiError('idempotency_key_conflict')
    if (found.status !== null) {
      if (request.route.showsSecret === true) await recordReplay(tx, request)
      return { status: found.status, body: storedResponses.open(request.caller.orgId, key, present(found.sealed)) }
    }
    if (!found.is_stale) throw new ApiError('idempotency_key_processing')
    return undefined
  }

  // Only the response to an effect is stored. A stored refusal would outlive its cause, so its key is free again at once.
  app.addHook('onSend', (request, reply, payload, done) => {
    const { claim } = request
    if (!claim || (claim.isKept && reply.statusCode < 300)) return done(null, payload)
    sql
      .asOrgs([claim.orgId], (tx) => releaseClaim(tx, claim))
      .catch(() => undefined)
      .finally(() => done(null, payload))
  })

  return {
    store: async (tx, request, status, body) => {
      const { claim } = request
      if (!claim) return
      const sealed = storedResponses.seal(claim.orgId, claim.key, body)
      if (!(await completeClaim(tx, claim, status, sealed))) throw new ApiError('idempotency_key_processing')
      claim.isKept = true
    },
    findStoredResponse: async (request) => {
      const key = present(keyOf(request))
      const { orgId } = request.caller
      return sql.asOrgs([orgId], async (tx) => {
        const found = await findClaim(tx, orgId, key, config.idempotencyTakeoverSeconds)
        return found && findStoredResponse(tx, request, key, found)
      })
    },
  }
}

function requestHash(request: FastifyRequest): Buffer {
  return createHash('sha256')
    .update(`${request.method}\n${request.raw.url}\n`)
    .update(request.bodyDigest ?? '')
    .digest()
}

/** Drops the daily partitions that no retry can reach any more. */
export const maintainIdempotencyPartitionsJob = ({ sql, clock }: Platform): Job => ({
  name: 'keep-idempotency-partitions',
  schedule: '7 * * * *',
  run: () => maintainDailyPartitions(sql, tables, clock.now(), daysAhead),
})
