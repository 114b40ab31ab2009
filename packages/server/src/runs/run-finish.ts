import type { Agent } from '../access/identity/identity.ts'
import { ApiError } from '../contract/errors.ts'
import { releaseOperation, settleOperation } from '../decisions/decisions.ts'
import {
  checkRightToEnd,
  type KnownHold,
  type Operation,
  type OperationResult,
  type RunEnding,
  runFromHold,
} from '../decisions/lanes/lanes.ts'
import { type CostBasis, isRunHold, type Run, runView } from '../records/run-log/run-log.ts'
import { timeOfUuid } from '../values/id.ts'
import { parseUsd } from '../values/money.ts'
import { costOfHeld, endOf, maxAheadMs, reportedUsage } from './cost.ts'
import { runOfHold } from './run-start.ts'
import type { FinishedRun, FinishInput } from './schema.ts'
import { endedRunFromView, ignoredByRun, isSameEnd, ranModelOf } from './settlement.ts'

export interface FinishOperation extends Operation {
  readonly ending: RunEnding
}

/** Creates the operation that ends a started run: its hold is settled at its cost, and its row is written. */
export function finishOperation(agent: Agent, runId: string, input: FinishInput, nowMs: number): FinishOperation {
  let bound = { endedAtMs: nowMs, costBasis: 'estimated' as CostBasis, ran: { model: '' } as RunEnding['ran'] }
  return {
    orgId: agent.orgId,
    holdId: runId,
    ending: {
      status: input.status,
      usage: reportedUsage(input),
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
    plan: (facts) => {
      const { hold } = facts
      checkRightToEnd(agent, hold)
      if (!hold) return settleOperation(agent, runId, { usd: 0n, tokens: 0n }).plan(facts)
      if (!isRunHold(hold)) throw new ApiError('not_found')
      const endedAtMs = endOf(input.ended_at, timeOfUuid(runId), facts.nowMs, maxAheadMs)
      const cost = costOfHeld(hold, input, facts.orgConfig.prices)
      bound = { endedAtMs, costBasis: cost.basis, ran: ranModelOf(hold, input) }
      return settleOperation(agent, runId, cost).plan(facts)
    },
  }
}

/** The run as it ended now. */
export function finishedRun(
  { ending }: FinishOperation,
  input: FinishInput,
  { outcome, atMs }: Pick<OperationResult, 'outcome' | 'atMs'>,
): FinishedRun {
  const { hold } = endOfHold(outcome)
  const run = runFromHold(hold, hold as KnownHold, ending, 0)
  return withIgnored(runView(run, { recordedAtMs: run.startedAtMs, updatedAtMs: atMs }), input)
}

/** Returns a run that had ended before: the same end again is answered with it, a different one is a conflict. */
export function earlierFinish(run: Run, input: FinishInput): FinishedRun {
  if (!isSameEnd(endedRunFromView(run), input))
    throw new ApiError('conflict', {}, { message: 'The run has already ended with a different result.' })
  return withIgnored(run, input)
}

function withIgnored(run: Run, input: FinishInput): FinishedRun {
  const ignored = ignoredByRun(run, input)
  return ignored.length === 0 ? run : { ...run, ignored_fields: ignored }
}

export function endOfHold(outcome: OperationResult['outcome']) {
  if (outcome.type === 'not_found') throw new ApiError('not_found')
  // A hold that was released because its start was never answered has not run.
  if (outcome.type === 'conflict')
    throw new ApiError(
      'conflict',
      {},
      { message: 'The run was abandoned before it started and its reservation released.' },
    )
  if (outcome.type !== 'ended') throw new TypeError(`no run ends with ${outcome.type}`)
  return outcome
}

export function extendOperation(agent: Agent, runId: string, leaseMs: number): Operation {
  const task = releaseOperation(agent, runId, { type: 'extend', leaseMs })
  return {
    ...task,
    plan: (facts) => {
      checkRightToEnd(agent, facts.hold)
      if (facts.hold && !isRunHold(facts.hold)) throw new ApiError('not_found')
      return task.plan(facts)
    },
  }
}

export function extendedRun({ outcome }: Pick<OperationResult, 'outcome'>): Run {
  if (outcome.type === 'not_found') throw new ApiError('not_found')
  if (outcome.type === 'conflict')
    throw new ApiError('conflict', {}, { message: 'Only a running run can be extended; this one has ended.' })
  if (outcome.type !== 'extended') throw new TypeError(`no lease is extended by ${outcome.type}`)
  return runOfHold(outcome.hold)
}
