import { type Agent, makerOf } from '../access/identity/identity.ts'
import { ApiError } from '../contract/errors.ts'
import { settleCommand } from '../decisions/decisions.ts'
import {
  checkRightTo,
  type DecidedOperation,
  type KnownHold,
  type Operation,
  type OperationPlan,
  runFromHold,
} from '../decisions/lanes/lanes.ts'
import { isRunHold, type Run, runView } from '../records/run-log/run-log.ts'
import { timeOfUuid } from '../values/id.ts'
import { parseUsd } from '../values/money.ts'
import { costOfHeld, endOf, maxAheadMs, reportedUsage } from './cost.ts'
import { runOfHold } from './run-start.ts'
import type { FinishedRun, FinishInput } from './schema.ts'
import { endedRunFromView, estimateReport, ignoredByRun, isSameEnd, ranModelOf } from './settlement.ts'

/** Creates the operation that ends a started run: its hold is settled at its cost, and its row is written. */
export const finishOperation = (agent: Agent, runId: string, input: FinishInput): Operation => ({
  orgId: agent.orgId,
  holdId: runId,
  plan: (context) => {
    const { hold } = context
    checkRightTo('end', agent, hold)
    if (!hold) return { command: settleCommand(agent, runId, { usd: 0n, tokens: 0n }, context) }
    if (!isRunHold(hold)) throw new ApiError('not_found')
    // A hold that was released because its start was never answered has not run.
    if (hold.state === 'released')
      throw new ApiError(
        'conflict',
        {},
        { message: 'The run was abandoned before it started and its reservation released.' },
      )
    const cost = costOfHeld(hold, input, context.orgConfig, agent)
    const ending = {
      status: input.status,
      usage: reportedUsage(input),
      usageDetail: cost.detail,
      valueNano: input.value_usd === undefined ? null : parseUsd(input.value_usd),
      endedAtMs: endOf(input.ended_at, timeOfUuid(runId), context.nowMs, maxAheadMs),
      costBasis: cost.basis,
      ran: ranModelOf(hold, input),
    }
    const estimate = estimateReport(input, ending)
    return { command: settleCommand(agent, runId, cost, context, { estimate }), ending }
  },
})

/** The run as it ended now. */
export function finishedRun({ plan, outcome, atMs }: DecidedOperation, input: FinishInput): FinishedRun {
  const { hold } = endOfHold(outcome)
  if (!plan.ending) throw new TypeError('a run that ended has an ending')
  const run = runFromHold(hold, hold as KnownHold, plan.ending, 0)
  return withIgnored(runView(run, { recordedAtMs: run.startedAtMs, updatedAtMs: atMs }), input)
}

/** Returns a run that had ended before: the same end again is answered with it, a different one is a conflict. */
export function earlierFinish(run: Run, input: FinishInput, { ending, command }: OperationPlan): FinishedRun {
  const before = endedRunFromView(run)
  const isOtherEstimate =
    input.estimated === true && ending && command.type === 'settle' && command.actual.usd !== before.costNano
  if (!isSameEnd(before, input, ending) || isOtherEstimate)
    throw new ApiError('conflict', {}, { message: 'The run has already ended with a different result.' })
  return withIgnored(run, input)
}

function withIgnored(run: Run, input: FinishInput): FinishedRun {
  const ignored = ignoredByRun(run, input)
  return ignored.length === 0 ? run : { ...run, ignored_fields: ignored }
}

/** True when the run is not running any more: its end is found among the ended runs. */
export const hasEndedBefore = (outcome: DecidedOperation['outcome']) =>
  outcome.type === 'not_found' || (outcome.type === 'ended' && outcome.isRepeat)

export function endOfHold(outcome: DecidedOperation['outcome']) {
  if (outcome.type === 'not_found') throw new ApiError('not_found')
  if (outcome.type !== 'ended') throw new TypeError(`no run ends with ${outcome.type}`)
  return outcome
}

export const extendOperation = (agent: Agent, runId: string, leaseMs: number): Operation => ({
  orgId: agent.orgId,
  holdId: runId,
  plan: ({ hold }) => {
    checkRightTo('extend', agent, hold)
    if (hold && !isRunHold(hold)) throw new ApiError('not_found')
    return { command: { type: 'extend', holdId: runId, leaseMs, by: makerOf(agent) } }
  },
})

export function extendedRun({ outcome }: DecidedOperation): Run {
  if (outcome.type === 'not_found') throw new ApiError('not_found')
  if (outcome.type === 'conflict')
    throw new ApiError('conflict', {}, { message: 'Only a running run can be extended; this one has ended.' })
  if (outcome.type !== 'extended') throw new TypeError(`no lease is extended by ${outcome.type}`)
  return runOfHold(outcome.hold)
}
