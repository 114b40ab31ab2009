import { ApiError } from '../contract/errors.ts'
import { endTask, settleTask } from '../decisions/decisions.ts'
import { type KnownHold, type Result, type RunEnding, runOf, type Task } from '../lanes/lanes.ts'
import { isRunHold, type Run, runView } from '../run-log/run-log.ts'
import { timeOfUuid } from '../values/id.ts'
import { parseUsd } from '../values/money.ts'
import { costOfHeld, endOf, maxAheadMs, usageIn } from './cost.ts'
import type { FinishInput } from './schema.ts'
import { runOfHold } from './starting.ts'

export interface FinishTask extends Task {
  readonly ending: RunEnding
}

/** The end of a started run: its hold is settled at what it cost, and its row is written. */
export function finishTask(orgId: string, runId: string, input: FinishInput, nowMs: number): FinishTask {
  let endedAtMs = nowMs
  return {
    orgId,
    holdId: runId,
    ending: {
      status: input.status,
      usage: usageIn(input),
      valueNano: input.value_usd === undefined ? null : parseUsd(input.value_usd),
      get endedAtMs() {
        return endedAtMs
      },
      costBasis: (hold) => costOfHeld(hold, input).basis,
    },
    bind: (facts) => {
      const { hold } = facts
      if (!hold) return settleTask(orgId, runId, { usd: 0n, tokens: 0n }).bind(facts)
      if (!isRunHold(hold)) throw new ApiError('not_found')
      endedAtMs = endOf(input.ended_at, timeOfUuid(runId), facts.nowMs, maxAheadMs)
      return settleTask(orgId, runId, costOfHeld(hold, input)).bind(facts)
    },
  }
}

/** The run as it ended now. */
export function finishedRun({ ending }: FinishTask, { verdict, atMs }: Pick<Result, 'verdict' | 'atMs'>): Run {
  const { hold } = endOfHold(verdict)
  const run = runOf(hold, hold as KnownHold, ending, 0)
  return runView(run, { recordedAtMs: run.startedAtMs, updatedAtMs: atMs })
}

export function endOfHold(verdict: Result['verdict']) {
  if (verdict.type === 'not_found') throw new ApiError('not_found')
  // What was given back because its start was never answered has not run.
  if (verdict.type === 'conflict') throw new ApiError('conflict', {}, { message: 'The run was given up.' })
  if (verdict.type !== 'ended') throw new TypeError(`no run ends with ${verdict.type}`)
  return verdict
}

export function extendTask(orgId: string, runId: string, leaseMs: number): Task {
  const task = endTask(orgId, runId, { type: 'extend', leaseMs })
  return {
    ...task,
    bind: (facts) => {
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
