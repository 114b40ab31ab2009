import type { BatchDecision, Hold } from '../../money/engine/engine.ts'
import { type CountedRun, isRunHold, type RunRecord, runningRun } from '../../records/run-log/run-log.ts'
import type { KnownHold, OrgConfig, RunEnding } from './operations.ts'

/** The runs that a decision has ended. */
export interface EndedRuns {
  readonly inserted: readonly RunRecord[]
  /** Runs that had expired and were finished after all. */
  readonly replaced: readonly RunRecord[]
  readonly counted: readonly Omit<CountedRun, 'orgId'>[]
}

export const noRuns: EndedRuns = { inserted: [], replaced: [], counted: [] }

/** Returns the runs whose holds a decision has ended: a running run is its hold, and becomes a row when the hold ends. */
export function endedRuns(
  { changedHolds }: Pick<BatchDecision, 'changedHolds'>,
  holds: ReadonlyMap<string, KnownHold>,
  endingOf: (holdId: string) => RunEnding | undefined,
  { retention }: Pick<OrgConfig, 'retention'>,
): EndedRuns {
  const ended = changedHolds.flatMap((hold) => {
    const before = holds.get(hold.id)
    const isEnd = hold.state === 'settled' || (hold.state === 'expired' && hold.chargedNano !== null)
    return before && isEnd && isRunHold(before) ? [{ hold, before }] : []
  })
  if (ended.length === 0) return noRuns
  const inserted: RunRecord[] = []
  const replaced: RunRecord[] = []
  const counted: Omit<CountedRun, 'orgId'>[] = []
  for (const { hold, before } of ended) {
    const run = runFromHold(hold, before, endingOf(hold.id), retention.retentionClass)
    counted.push({ run, sign: 1n })
    if (before.state === 'expired') {
      replaced.push(run)
      counted.push({ run: runFromHold(before, before, undefined, retention.retentionClass), sign: -1n })
    } else inserted.push(run)
  }
  return { inserted, replaced, counted }
}

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
