import { hash } from 'node:crypto'
import type { Tx } from '../../platform/infra/sql.ts'
import { requestKey } from '../runs.ts'
import { findHeldTwins, findRequests, findRunning } from './telemetry-queries.ts'

/** A call of which a gateway may have made a run of its own. */
export interface MaybeHeld {
  readonly requestId: string | undefined
  readonly session: string | undefined
  readonly endMs: number
  readonly run: { readonly input_tokens?: number; readonly output_tokens?: number }
}

/** The latest that a run may begin after the end of the call that it was held for, by two clocks. */
const clockSkewMs = 60_000

/**
 * Tells calls that are runs already from those that may become one and those that are not. A gateway knows the provider's id of
 * the request; where an assistant does not say it, the same tokens in the same session are the same call. The run of a gateway is
 * open from before the call until it is settled, so a call is never looked for between the two. Such a run counts at least what
 * the report says, so who has it made has paid for it.
 */
export async function sortCalls<T extends MaybeHeld>(
  tx: Tx,
  orgId: string,
  calls: readonly T[],
): Promise<{ readonly fresh: readonly T[]; readonly waiting: readonly T[]; readonly known: number }> {
  const sessions = [...new Set(calls.flatMap(({ session }) => session ?? []))]
  // What runs is read first: a run that is settled meanwhile is found as settled.
  const running = sessions.length === 0 ? new Map<string, number>() : await findRunning(tx, orgId, sessions)
  const keys = calls.flatMap(({ requestId }) => (requestId === undefined ? [] : [requestKey(requestId)]))
  const requests = keys.length === 0 ? new Map<string, number>() : await findRequests(tx, orgId, keys)
  const nameless = calls.filter(({ requestId, session }) => requestId === undefined && session !== undefined)
  const twins =
    nameless.length === 0
      ? new Set<number>()
      : await findHeldTwins(
          tx,
          orgId,
          nameless.map(({ session = '', run }) => ({
            session,
            input: run.input_tokens ?? 0,
            output: run.output_tokens ?? 0,
          })),
        )
  const known = new Set([
    ...nameless.filter((_, place) => twins.has(place)),
    ...calls.filter(({ requestId, run }) => {
      const counted = requestId === undefined ? undefined : requests.get(requestKey(requestId))
      return counted !== undefined && counted >= (run.input_tokens ?? 0) + (run.output_tokens ?? 0)
    }),
  ])
  const isOpen = ({ session, endMs }: T) =>
    session !== undefined && (running.get(session) ?? Number.POSITIVE_INFINITY) <= endMs + clockSkewMs
  const unknown = calls.filter((call) => !known.has(call))
  return {
    fresh: unknown.filter((call) => !isOpen(call)),
    waiting: unknown.filter(isOpen),
    known: known.size,
  }
}

/**
 * Time by which a count in a metric and the event of the same call may lie apart: an assistant counts a call some milliseconds
 * before it says so.
 */
export const signalSkewMs = 1_000

export const sessionDigest = (session: string): string => hash('sha256', session, 'hex')
