import type { FastifyReply, FastifyRequest } from 'fastify'
import { auditKeyring, recordAll } from '../audit/audit.ts'
import { asJsonText } from '../contract/envelope.ts'
import { emit, type NewEvent } from '../events/events.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import type { Platform } from '../infra/platform.ts'
import type { Tx } from '../infra/sql.ts'
import { type AccessLease, notifyAccessChange, recordAccessChange } from '../nodes/nodes.ts'
import { actorOf } from './actor.ts'

export { actorOf } from './actor.ts'
export { recordAttempts } from './attempts.ts'

/** What a change says about itself for the record. */
export interface Described {
  readonly action: string
  readonly target: { readonly kind: string; readonly id: string }
  readonly before?: unknown
  readonly after?: unknown
}

export interface ChangeTools {
  readonly tx: Tx
  /** An entry in the organization's audit log, written in the same transaction. */
  readonly audit: (what: Described) => void
  /** Something for the organization's subscriptions, written in the same transaction. */
  readonly emit: (event: NewEvent) => void
  /** What processes remember about the organization's callers is no longer true; the answer waits until none does. */
  readonly accessChanged: () => void
}

export type Change = <T>(
  request: FastifyRequest,
  reply: FastifyReply,
  options: { orgId: string; status?: number },
  work: (tools: ChangeTools) => Promise<T>,
) => Promise<T>

/**
 * The one way to change something: the effect, the answer kept for retries, the audit entries and the events commit together or not
 * at all. The bytes that are sent are the bytes that are kept.
 */
export function changes({ sql, config }: Platform, idempotency: Idempotency, lease: AccessLease): Change {
  const keyring = auditKeyring(config.masterKeys())

  return async (request, reply, { orgId, status = 200 }, work) => {
    const caller = request.principal!
    let version: bigint | undefined
    const attempt = async (tx: Tx) => {
      const entries: Described[] = []
      const events: NewEvent[] = []
      let isAccessChanged = false
      const result = await work({
        tx,
        audit: (what) => entries.push(what),
        emit: (event) => events.push(event),
        accessChanged: () => {
          isAccessChanged = true
        },
      })
      const text =
        status === 204
          ? ''
          : reply.code(status).serializeInput(result as object as Record<string, unknown>, String(status))
      await idempotency.keep(tx, request, status, text as string)
      await emit(tx, orgId, events)
      if (isAccessChanged) version = await recordAccessChange(tx, orgId)
      const common = { actor: actorOf(caller), address: request.clientAddress, traceId: request.id }
      await recordAll(
        tx,
        keyring,
        orgId,
        entries.map((entry) => ({ ...entry, ...common })),
      )
      return text as string
    }
    const body = await pastDeadlocks(() => sql.asOrgs([...new Set([caller.orgId, orgId])], attempt))
    if (version !== undefined) {
      await notifyAccessChange(sql)
      await lease.confirmed(version)
    }
    // The type says what the answer means to its readers; what is handed on are the bytes that were kept.
    const answer: unknown = status === 204 ? reply.code(204).send() : body
    if (status !== 204) asJsonText(reply, status)
    return answer as never
  }
}

const deadlock = '40P01'
const attempts = 3

/** PostgreSQL has undone everything of one of two who waited for each other: it begins again behind the other. */
async function pastDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if ((error as { code?: unknown }).code !== deadlock || attempt === attempts) throw error
    }
  }
}
