import { ApiError } from '../contract/errors.ts'
import { endTask, settleTask } from '../decisions/decisions.ts'
import type { Agent } from '../identity/identity.ts'
import { checkRightToEnd, type KnownHold, type Result, type RunEnding, runOf, type Task } from '../lanes/lanes.ts'
import { type CostBasis, isRunHold, type Run, runView } from '../run-log/run-log.ts'
import { timeOfUuid } from '../values/id.ts'
import { parseUsd } from '../values/money.ts'
import { costOfHeld, endOf, maxAheadMs, usageIn } from './cost.ts'
import type { FinishedRun, FinishInput } from './schema.ts'
import { endedRunOf, ignoredByRun, isSameEnd, ranOn } from './settlement.ts'
import { runOfHold } from './starting.ts'

export interface FinishTask extends Task {
  readonly ending: RunEnding
}

/** Creates the operation that ends a started run: its hold is settled at its cost, and its row is written. */
export function finishTask(agent: Agent, runId: string, input: FinishInput, nowMs: number): FinishTask {
  let bound = { endedAtMs: nowMs, costBasis: 'estimated' as CostBasis, ran: { model: '' } as RunEnding['ran'] }
  return {
    orgId: agent.orgId,
    holdId: runId,
    ending: {
      status: input.status,
      usage: usageIn(input),
      valueNano: input.value_usd === undefined ? null : parseUsd(input.value_usd),
      get endedAtMs() {
        return bound.endedAtMs
      },
      get costBasis() {
        return bound.costBasis
      },
      get ran() {
        return bound.ran
      },
    },
    bind: (facts) => {
      const { hold } = facts
      checkRightToEnd(agent, hold)
      if (!hold) return settleTask(agent, runId, { usd: 0n, tokens: 0n }).bind(facts)
      if (!isRunHold(hold)) throw new ApiError('not_found')
      const endedAtMs = endOf(input.ended_at, timeOfUuid(runId), facts.nowMs, maxAheadMs)
      const cost = costOfHeld(hold, input, facts.definitions.prices)
      bound = { endedAtMs, costBasis: cost.basis, ran: ranOn(hold, input) }
      return settleTask(agent, runId, cost).bind(facts)
    },
  }
}

/** The run as it ended now. */
export function finishedRun(
  { ending }: FinishTask,
  input: FinishInput,
  { verdict, atMs }: Pick<Result, 'verdict' | 'atMs'>,
): FinishedRun {
  const { hold } = endOfHold(verdict)
  const run = runOf(hold, hold as KnownHold, ending, 0)
  return withIgnored(runView(run, { recordedAtMs: run.startedAtMs, updatedAtMs: atMs }), input)
}

/** Returns a run that had ended before: the same end again is answered with it, a different one is a conflict. */
export function finishedBefore(run: Run, input: FinishInput): FinishedRun {
  if (!isSameEnd(endedRunOf(run), input))
    throw new ApiError('conflict', {}, { message: 'The run has already ended with a different result.' })
  return withIgnored(run, input)
}

function withIgnored(run: Run, input: FinishInput): FinishedRun {
  const ignored = ignoredByRun(run, input)
  return ignored.length === 0 ? run : { ...run, ignored_fields: ignored }
}

export function endOfHold(verdict: Result['verdict']) {
  if (verdict.type === 'not_found') throw new ApiError('not_found')
  // A hold that was released because its start was never answered has not run.
  if (verdict.type === 'conflict')
    throw new ApiError(
      'conflict',
      {},
      { message: 'The run was abandoned before it started and its reservation released.' },
    )
  if (verdict.type !== 'ended') throw new TypeError(`no run ends with ${verdict.type}`)
  return verdict
}

export function extendTask(agent: Agent, runId: string, leaseMs: number): Task {
  const task = endTask(agent, runId, { type: 'extend', leaseMs })
  return {
    ...task,
    bind: (facts) => {
      checkRightToEnd(agent, facts.hold)
      if (facts.hold && !isRunHold(facts.hold)) throw new ApiError('not_found')
      return task.bind(facts)
    },
  }
}

export function extendedRun({ verdict }: Pick<Result, 'verdict'>): Run {
  if (verdict.type === 'not_found') throw new ApiError('not_found')
  if (verdict.type === 'conflict')
    throw new ApiError('conflict', {}, { message: 'Only a running run can be extended; this one has ended.' })
  if (verdict.type !== 'extended') throw new TypeError(`no lease is extended by ${verdict.type}`)
  return runOfHold(verdict.hold)
}
