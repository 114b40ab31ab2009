import type { BatchDecision, Hold } from '../../money/engine/engine.ts'
import { type CountedRun, isRunHold, type RunRecord, runningRun } from '../../records/run-log/run-log.ts'
import { endingOfReport } from './estimate-report.ts'
import type { KnownHold, OrgConfig, RunEnding } from './operations.ts'

/** The runs that a decision has ended. */
export interface EndedRuns {
  readonly inserted: readonly RunRecord[]
  /** Runs that had expired or ended by estimate, and were finished after all. */
  readonly replaced: readonly RunRecord[]
  /** Runs of reservations that had expired, charged by estimate, and were reported after all, as runs of their own. */
  readonly removed: readonly RunRecord[]
  readonly counted: readonly Omit<CountedRun, 'orgId'>[]
}

export const noRuns: EndedRuns = { inserted: [], replaced: [], removed: [], counted: [] }

/**
 * Returns the runs whose holds a decision has ended: a running run is its hold, and becomes a row when the hold ends. So does a
 * reservation that is charged because nobody has reported it, until somebody does.
 */
export function endedRuns(
  { changedHolds }: Pick<BatchDecision, 'changedHolds'>,
  holds: ReadonlyMap<string, KnownHold>,
  endingOf: (holdId: string) => RunEnding | undefined,
  { retention }: Pick<OrgConfig, 'retention'>,
): EndedRuns {
  const ended = changedHolds.flatMap((hold) => {
    const before = holds.get(hold.id)
    if (!before) return []
    const isCharged = isChargedUnreported(hold)
    const isReported = hold.state === 'settled' && (isRunHold(before) || isChargedUnreported(before))
    return isCharged || isReported ? [{ hold, before }] : []
  })
  if (ended.length === 0) return noRuns
  const inserted: RunRecord[] = []
  const replaced: RunRecord[] = []
  const removed: RunRecord[] = []
  const counted: Omit<CountedRun, 'orgId'>[] = []
  for (const { hold, before } of ended) {
    if (before.estimate) {
      const estimated = endingOfReport(before.estimate.report)
      counted.push({ run: runFromHold(before, before, estimated, retention.retentionClass), sign: -1n })
    }
    if (before.state === 'expired') {
      const estimate = runFromHold(before, before, undefined, retention.retentionClass)
      counted.push({ run: estimate, sign: -1n })
      if (!isRunHold(before)) {
        removed.push(estimate)
        continue
      }
    }
    const run = runFromHold(hold, before, endingOf(hold.id), retention.retentionClass)
    counted.push({ run, sign: 1n })
    if (before.state === 'expired' || before.estimate) replaced.push(run)
    else inserted.push(run)
  }
  return { inserted, replaced, removed, counted }
}

const isChargedUnreported = ({ state, chargedNano }: Hold) => state === 'expired' && chargedNano !== null

/** Builds a run from its hold and its ending; one that nobody has finished is charged the held amount. */
export function runFromHold(
  hold: Hold,
  before: KnownHold,
  ending: RunEnding | undefined,
  retentionClass: number,
): RunRecord {
  const { about, depth, startedAtMs, reservedNano } = runningRun(before)
  return {
    id: hold.id,
    retentionClass,
    status: ending?.status ?? (hold.state === 'settled' ? 'succeeded' : 'expired'),
    about: ending ? { ...about, model: ending.ran.model, provider: ending.ran.provider } : about,
    depth,
    holdId: hold.id,
    usage: ending?.usage ?? {},
    usageDetail: ending?.usageDetail,
    costNano: hold.chargedNano!,
    costBasis: ending?.costBasis ?? (hold.state === 'settled' ? 'reported' : 'estimated'),
    reservedNano,
    overrunNano: hold.overrunNano ?? 0n,
    valueNano: ending?.valueNano ?? null,
    startedAtMs,
    madeBy: before.madeBy,
    endedAtMs: ending ? ending.endedAtMs : hold.state === 'expired' ? hold.expiresAtMs : null,
  }
}
