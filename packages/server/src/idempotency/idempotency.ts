import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { asJsonText } from '../contract/envelope.ts'
import { ApiError, validationFailed } from '../contract/errors.ts'
import type { App } from '../contract/routes.ts'
import type { Job } from '../infra/jobs.ts'
import { bounds, ensureDays, keepDays } from '../infra/partitions.ts'
import type { Platform } from '../infra/platform.ts'
import type { Tx } from '../infra/sql.ts'
import { deriveKeyring } from '../values/keyring.ts'
import { seal, unseal } from '../values/sealing.ts'
import { completeClaim, findClaim, insertClaim, keyIdentity, lockKey, releaseClaim, takeOver } from './queries.ts'

export { claimedAgain, keyIdentity, stillKept } from './queries.ts'

/**
 * A retry with the same `Idempotency-Key` gets the first answer instead of a second effect. The claim is a row of its own;
 * the effect and the answer to keep commit together, so a crash can neither lose nor double an effect.
 */

const header = 'idempotency-key'
const visible = /^[\x21-\x7e]{1,255}$/
const tables = [{ name: 'idempotency_keys', bound: bounds.date, keptDays: 2 }]
const daysAhead = 7

interface Claim {
  readonly orgId: string
  readonly key: string
  readonly day: string
  readonly attempt: number
  isKept: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    claim: Claim | undefined
  }
}

export interface Idempotency {
  /** Keeps the answer in the transaction of the effect; throws when a retry has taken this call over. */
  readonly keep: (tx: Tx, request: FastifyRequest, status: number, body: string) => Promise<void>
}

/** Kept answers as the database has them: closed, because some show secrets. */
export interface SealedAnswers {
  readonly seal: (orgId: string, key: string, body: string) => Buffer
  readonly open: (orgId: string, key: string, sealed: Buffer) => string
}

export function sealedAnswers(config: Pick<Config, 'masterKeys'>): SealedAnswers {
  const keyring = deriveKeyring(config.masterKeys(), 'stored answers')
  return {
    seal: (orgId, key, body) => seal(keyring, body, keyIdentity(orgId, key)),
    open: (orgId, key, sealed) => unseal(keyring, sealed, keyIdentity(orgId, key)),
  }
}

/** The caller's key, where one counts. */
const keyOf = ({ headers, method }: FastifyRequest) =>
  isMutating(method) ? (headers[header] as string | undefined) : undefined

/** For routes that keep their answers themselves, in the transaction of their effect. */
export function idempotencyOf(request: FastifyRequest): { key: string; hash: Buffer } | undefined {
  const key = keyOf(request)
  return key === undefined ? undefined : { key, hash: requestHash(request) }
}

const isMutating = (method: string) => method !== 'GET' && method !== 'HEAD'

export async function honourIdempotencyKeys(app: App, { sql, config, clock }: Platform): Promise<Idempotency> {
  const answers = sealedAnswers(config)
  await ensureDays(sql, tables, clock.now(), daysAhead)
  app.decorateRequest('claim')

  app.addHook('onRequest', ({ headers, method, principal }, _reply, done) => {
    const key = headers[header]
    if (key === undefined || !principal || !isMutating(method) || visible.test([key].flat().join(','))) return done()
    done(
      validationFailed([
        { field: 'Idempotency-Key', code: 'invalid_format', message: 'This must be 1 to 255 visible characters.' },
      ]),
    )
  })

  app.addHook('preHandler', async (request, reply) => {
    const { principal, route } = request
    const key = keyOf(request)
    if (key === undefined || !principal || route.keepsOwnAnswers === true) return undefined
    const hash = requestHash(request)
    const { orgId } = principal
    const outcome = await sql.asOrgs([orgId], async (tx) => {
      await lockKey(tx, orgId, key)
      const found = await findClaim(tx, orgId, key, config.idempotencyTakeoverSeconds)
      if (!found) return insertClaim(tx, orgId, key, hash)
      if (!found.request_hash.equals(hash)) throw new ApiError('idempotency_key_conflict')
      if (found.status !== null) return { status: found.status, body: answers.open(orgId, key, found.sealed!) }
      if (!found.is_stale) throw new ApiError('idempotency_key_processing')
      const next = { orgId, key, day: found.day, attempt: found.attempt + 1 }
      await takeOver(tx, next)
      return { day: next.day, attempt: next.attempt }
    })
    if ('status' in outcome) return replay(reply, outcome.status, outcome.body ?? '')
    request.claim = { orgId, key, day: outcome.day, attempt: outcome.attempt, isKept: false }
    return undefined
  })

  // Only an effect is kept. A refusal would outlive its cause, so its key is free again at once.
  app.addHook('onSend', (request, reply, payload, done) => {
    const { claim } = request
    if (!claim || (claim.isKept && reply.statusCode < 300)) return done(null, payload)
    sql
      .asOrgs([claim.orgId], (tx) => releaseClaim(tx, claim))
      .catch(() => undefined)
      .finally(() => done(null, payload))
  })

  return {
    keep: async (tx, request, status, body) => {
      const { claim } = request
      if (!claim) return
      const sealed = answers.seal(claim.orgId, claim.key, body)
      if (!(await completeClaim(tx, claim, status, sealed))) throw new ApiError('idempotency_key_processing')
      claim.isKept = true
    },
  }
}

function requestHash(request: FastifyRequest): Buffer {
  return createHash('sha256')
    .update(`${request.method}\n${request.raw.url}\n`)
    .update(request.bodyDigest ?? '')
    .digest()
}

export function replay(reply: FastifyReply, status: number, body: string) {
  reply.header('idempotent-replayed', 'true')
  return body === '' ? reply.code(status).send() : asJsonText(reply, status).send(body)
}

/** Days that no retry can reach any more are dropped whole. */
export const keepIdempotencyPartitionsJob = ({ sql, clock }: Platform): Job => ({
  name: 'keep-idempotency-partitions',
  schedule: '7 * * * *',
  run: () => keepDays(sql, tables, clock.now(), daysAhead),
})
