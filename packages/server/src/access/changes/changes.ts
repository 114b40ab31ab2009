import { isDeepStrictEqual } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { assertUnchanged, isConditional } from '../../contract/entity-tags.ts'
import { asJsonText } from '../../contract/envelope.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { rollbackToSavepoint, setSavepoint, type Tx } from '../../platform/infra/sql.ts'
import { type AccessLease, notifyAccessChange, recordAccessChange } from '../../platform/nodes/nodes.ts'
import { elementAt } from '../../values/present.ts'
import { errorCode } from '../../values/thrown.ts'
import { type Actor, auditKeyring, recordAll } from '../audit/audit.ts'
import { emit, type NewEvent } from '../events/events.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import type { Caller } from '../identity/identity.ts'
import { actorOf } from './actor.ts'
import { holdStanding, recordWithAuthority } from './authority.ts'
import type { ChangeSlots } from './change-slots.ts'

export { actorOf } from './actor.ts'
export { type AnsweredRequest, type Attempts, type RecordAtHome, recordAttempts } from './attempts.ts'
export { createChangeSlots } from './change-slots.ts'
export { readReasons } from './reasons.ts'
export { createReplayRecorder } from './replays.ts'

/** Description of a change for the audit log. */
export interface ChangeDescription {
  readonly action: string
  readonly target: { readonly kind: string; readonly id: string }
  readonly before?: unknown
  readonly after?: unknown
}

export interface ChangeTools {
  readonly tx: Tx
  /**
   * Compares `If-Match` with the current resource, in the view that GET returns; nothing when it does not exist, with GET's
   * representation of that if there is one. Must be called under the lock that keeps others from changing it.
   */
  readonly replaces: (current: object | null | undefined, absent?: object) => void
  /** Adds an entry to the organization's audit log, in the same transaction. */
  readonly audit: (what: ChangeDescription) => void
  /** Emits an event for the organization's subscriptions, in the same transaction. */
  readonly emit: (event: NewEvent) => void
  /** Marks what processes cache about the organization's callers as stale; the response waits until none uses it. */
  readonly accessChanged: () => void
}

export type Change = <T>(
  request: FastifyRequest,
  reply: FastifyReply,
  /** A function when the status is known only after the work. */
  options: { orgId: string; status?: number | (() => number) },
  work: (tools: ChangeTools) => Promise<T>,
) => Promise<T>

/**
 * Creates `change`, the only way to change something: the effect, the response stored for retries, the audit entries and the
 * events commit together or not at all. The bytes that are sent are the bytes that are stored.
 */
export function createChange(
  { sql, config, clock }: Platform,
  idempotency: Idempotency,
  lease: AccessLease,
  slots: ChangeSlots,
): Change {
  const keyring = auditKeyring(config.masterKeys())

  return async (request, reply, { orgId, status: wanted = 200 }, work) => {
    const caller = request.caller
    let status = typeof wanted === 'number' ? wanted : 200
    let version: bigint | undefined
    const attempt = async (tx: Tx) => {
      const entries: ChangeDescription[] = []
      const events: NewEvent[] = []
      let isAccessChanged = false
      let isCompared = false
      const mayChangeNothing = request.method === 'PUT' || request.method === 'PATCH'
      if (caller.kind === 'person') await holdStanding(tx, caller)
      if (mayChangeNothing) await setSavepoint(tx)
      let result = await work({
        tx,
        replaces: (current, absent) => {
          isCompared = true
          assertUnchanged(request, current, absent)
        },
        audit: (what) => entries.push(what),
        emit: (event) => events.push(event),
        accessChanged: () => {
          isAccessChanged = true
        },
      })
      if (isConditional(request) && !isCompared)
        throw new Error(`${request.method} ${request.route.template} did not compare what it replaces`)
      if (typeof wanted === 'function') status = wanted()
      if (mayChangeNothing && entries.length === 1 && changesNothing(elementAt(entries, 0))) {
        await rollbackToSavepoint(tx)
        result = { ...result, ...stampsOf(elementAt(entries, 0).before as object) }
        entries.length = 0
        events.length = 0
        isAccessChanged = false
      }
      const text =
        status === 204
          ? ''
          : reply.code(status).serializeInput(result as object as Record<string, unknown>, String(status))
      await idempotency.store(tx, request, status, text as string)
      await emit(tx, orgId, events)
      if (isAccessChanged) version = await recordAccessChange(tx, orgId)
      await recordWithAuthority(
        { tx, keyring, orgId, now: clock.now() },
        caller,
        entries,
        signedBy(request, actorOf(caller), entries),
      )
      return text as string
    }
    const body = await slots.within(orgId, () =>
      retryDeadlocks(() => sql.asOrgs([...new Set([caller.orgId, orgId])], attempt)),
    )
    await untilApplied(sql, lease, version)
    // The type is that of the response body; what is passed on are the stored bytes.
    const answer: unknown = status === 204 ? reply.code(204).send() : body
    if (status !== 204) asJsonText(reply, status)
    return answer as never
  }
}

/** Tools of a change outside `/v1`. */
export type PageTools = Pick<ChangeTools, 'tx' | 'audit' | 'emit' | 'accessChanged'>

/** The organization that a change outside `/v1` is about, and who makes it. */
export interface ChangeAuthor {
  readonly orgId: string
  readonly actor: Actor
  /** The caller on whose authority it is made, which must last until it commits; undefined for what needs none, as to sign in or out. */
  readonly caller?: Caller
}

export const authorOf = (caller: Caller): ChangeAuthor => ({ orgId: caller.orgId, actor: actorOf(caller) })
/** Returns the author of a change that only a caller who has lost nothing meanwhile may make. */
export const actingAs = (caller: Caller): ChangeAuthor => ({ ...authorOf(caller), caller })

/** A change outside `/v1`: effect, events and audit entries in one transaction, without a stored response. */
export type PageChange = <T>(
  request: FastifyRequest,
  author: ChangeAuthor,
  work: (tools: PageTools) => Promise<T>,
) => Promise<T>

export function createPageChange({ sql, config, clock }: Platform, lease: AccessLease, slots: ChangeSlots): PageChange {
  const keyring = auditKeyring(config.masterKeys())
  return async (request, { orgId, actor, caller }, work) => {
    let version: bigint | undefined
    const attempt = async (tx: Tx) => {
      const entries: ChangeDescription[] = []
      const events: NewEvent[] = []
      let isAccessChanged = false
      const made = await work({
        tx,
        audit: (what) => entries.push(what),
        emit: (event) => events.push(event),
        accessChanged: () => {
          isAccessChanged = true
        },
      })
      await emit(tx, orgId, events)
      if (isAccessChanged) version = await recordAccessChange(tx, orgId)
      const signed = signedBy(request, actor, entries)
      if (caller) await recordWithAuthority({ tx, keyring, orgId, now: clock.now() }, caller, entries, signed)
      else await recordAll(tx, keyring, orgId, signed)
      return made
    }
    const result = await slots.within(orgId, () => retryDeadlocks(() => sql.asOrgs([orgId], attempt)))
    await untilApplied(sql, lease, version)
    return result
  }
}

/** Completes entries with who caused them, from where, and by which request. */
const signedBy = (request: FastifyRequest, actor: Actor, entries: readonly ChangeDescription[]) =>
  entries.map((entry) => ({
    ...entry,
    actor,
    address: request.clientAddress,
    traceId: request.id,
    reason: request.reason,
  }))

/** Resolves when no process can still answer from before a change of access. */
async function untilApplied(sql: Platform['sql'], lease: AccessLease, version: bigint | undefined) {
  if (version === undefined) return
  await notifyAccessChange(sql)
  await lease.waitUntilApplied(version)
}

/** Fields that every change sets, so they do not tell whether anything else changed. */
const stamps = new Set(['created_at', 'updated_at', 'version'])
const entriesOf = (value: object) => Object.entries(value)
const stampsOf = (view: object) => Object.fromEntries(entriesOf(view).filter(([name]) => stamps.has(name)))
const withoutStamps = (view: object) => Object.fromEntries(entriesOf(view).filter(([name]) => !stamps.has(name)))

/** True when a resource was replaced with an equal one. */
const changesNothing = ({ before, after }: ChangeDescription) =>
  before != null && after != null && isDeepStrictEqual(withoutStamps(before), withoutStamps(after))

const deadlock = '40P01'
const attempts = 3

/** Retries work that PostgreSQL has rolled back as a deadlock victim. */
async function retryDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (errorCode(error) !== deadlock || attempt === attempts) throw error
    }
  }
}
