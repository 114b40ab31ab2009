import { hash } from 'node:crypto'
import { baseName } from '../../money/prices/prices.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { type RecordedRun, requestKey } from '../runs.ts'
import { findHeldTwins, findRequests, findRunning, type HeldUsage } from './second-report-queries.ts'

/** A call of which a gateway may have made a run of its own. */
export interface MaybeHeld {
  readonly requestId: string | undefined
  readonly session: string | undefined
  readonly endMs: number
  readonly run: Pick<RecordedRun, 'model' | 'input_tokens' | 'output_tokens' | 'cache_read_input_tokens'>
}

/** The latest that a run may begin after the end of the call that it was held for, by two clocks. */
const clockSkewMs = 60_000

/**
 * Tells calls that are runs already from those that may become one and those that are not. A gateway knows the provider's id of
 * the request; where an assistant does not say it, the same tokens in the same session are the same call. The run of a gateway is
 * open from before the call until it is settled, so a call is never looked for between the two.
 *
 * A run that hides a report must be worth as much: of the same model, with as many tokens, and settled by a key that may end the
 * runs of others. Whoever makes calls can make runs too, and would else hide a dear call behind a cheap one.
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
  const requests = keys.length === 0 ? new Map<string, HeldUsage>() : await findRequests(tx, orgId, keys)
  const nameless = calls.filter(({ requestId, session }) => requestId === undefined && session !== undefined)
  const twins =
    nameless.length === 0
      ? new Map<number, readonly string[]>()
      : await findHeldTwins(
          tx,
          orgId,
          nameless.map(({ session = '', run }) => ({
            session,
            input: run.input_tokens ?? 0,
            output: run.output_tokens ?? 0,
            cacheRead: run.cache_read_input_tokens ?? 0,
          })),
        )
  const known = new Set([
    ...nameless.filter(({ run }, place) => twins.get(place)?.some((model) => isModelOf(run, model))),
    ...calls.filter(({ requestId, run }) => {
      const held = requestId === undefined ? undefined : requests.get(requestKey(requestId))
      return held !== undefined && isModelOf(run, held.model) && covers(held, run)
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

/** True when a report is of this model, by the name that finds its price. */
const isModelOf = ({ model = '' }: Pick<RecordedRun, 'model'>, other: string) => baseName(model) === baseName(other)

const covers = (
  { input, output }: Omit<HeldUsage, 'model'>,
  { input_tokens = 0, output_tokens = 0 }: Pick<RecordedRun, 'input_tokens' | 'output_tokens'>,
) => input >= input_tokens && output >= output_tokens

/** True when runs of a gateway account for the tokens of a model that are reported of their session. */
export function isCovered(
  held: readonly HeldUsage[],
  reported: { readonly model: string; readonly input: number; readonly output: number },
): boolean {
  const same = held.filter(({ model }) => isModelOf(reported, model))
  const sum = (kind: 'input' | 'output') => same.reduce((all, each) => all + each[kind], 0)
  return covers(
    { input: sum('input'), output: sum('output') },
    { input_tokens: reported.input, output_tokens: reported.output },
  )
}

/**
 * Time by which a count in a metric and the event of the same call may lie apart: an assistant counts a call some milliseconds
 * before it says so.
 */
export const signalSkewMs = 1_000

export const sessionDigest = (session: string): string => hash('sha256', session, 'hex')
