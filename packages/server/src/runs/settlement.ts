import { isDeepStrictEqual } from 'node:util'
import { heldRequestOf } from '../decisions/decisions.ts'
import type { KnownHold } from '../decisions/lanes/lanes.ts'
import { isSameModel, isSameName } from '../money/prices/prices.ts'
import { type EndedRun, isRunHold, type Run, runningRun, type Tokens, usageNames } from '../records/run-log/run-log.ts'
import { parseId } from '../values/id.ts'
import { parseUsd } from '../values/money.ts'
import { withoutUndefined } from '../values/records.ts'

/**
 * Account of a settlement. It charges the limits that its hold was admitted by, so the run is recorded on the account of its
 * hold.
 */
export const accountFields = ['workflow_id', 'deployment_id', 'department_id', 'customer_id', 'user_id'] as const

/** Fields that a started run has from its start: later values are ignored. */
const startFields = [
  ...accountFields,
  'chain_id',
  'parent_run_id',
  'external_id',
  'operation',
  'action',
  'tags',
  'metadata',
  'started_at',
] as const

type Fields = Readonly<Partial<Record<(typeof startFields)[number], unknown>>>

/** The model and provider of a run: the reported ones, else the requested ones. */
export interface RanModel {
  readonly model: string
  readonly provider: string | undefined
  /** True when it is another model than the hold was priced for. */
  readonly isOther: boolean
}

export function ranModelOf(
  hold: KnownHold,
  said: { model?: string | undefined; provider?: string | undefined },
): RanModel {
  const asked = heldRequestOf(hold)
  const model = said.model ?? asked.model
  // Another model may well be from another provider.
  const provider = said.provider ?? (isSameName(model, asked.model) ? asked.provider : undefined)
  return { model, provider, isOther: !isSameModel({ model, provider }, asked) }
}

/** Fields of a settlement that are ignored because its hold says otherwise. */
export function ignoredFields(hold: KnownHold, said: Fields): string[] {
  if (!isRunHold(hold)) return differing(accountFields, said, heldRequestOf(hold))
  const { about, startedAtMs } = runningRun(hold)
  const parent = said.parent_run_id === undefined ? undefined : parseId('run', said.parent_run_id as string)
  const start = said.started_at === undefined ? undefined : Date.parse(said.started_at as string)
  const known = { tags: [], metadata: {}, ...withoutUndefined(about), started_at: startedAtMs }
  return differing(startFields, { ...said, parent_run_id: parent ?? said.parent_run_id, started_at: start }, known)
}

/** Fields of a finish that are ignored because the run says otherwise. */
export const ignoredByRun = (run: Run, said: Fields): string[] => differing([...accountFields, 'chain_id'], said, run)

const differing = (names: readonly (keyof Fields)[], said: Fields, known: Fields) =>
  names.filter((name) => said[name] !== undefined && !isDeepStrictEqual(said[name], known[name]))

/** The end of a run as a caller reports it. */
export interface ReportedEnd extends Tokens {
  readonly status?: EndedRun['status'] | undefined
  readonly model?: string | undefined
  readonly provider?: string | undefined
  readonly cost_usd?: string | undefined
  readonly value_usd?: string | undefined
  readonly ended_at?: string | undefined
}

/**
 * True when a run has ended in the way that a caller reports. Fields that a caller may leave out because they are known here (the
 * model, the time) are compared only where they are given. `basis` is that of the cost which the report would have now.
 */
export function isSameEnd(run: EndedRun, end: ReportedEnd, basis?: EndedRun['costBasis']): boolean {
  // A cost that is not believed makes no difference.
  const isOverruled = end.cost_usd !== undefined && basis !== undefined && basis !== 'reported'
  const reported = run.costBasis === 'reported' ? run.costNano : null
  const ended = end.ended_at === undefined ? run.endedAtMs : Math.max(Date.parse(end.ended_at), run.startedAtMs)
  return (
    run.status === (end.status ?? 'succeeded') &&
    usageNames.every((name) => run.usage[name] === end[name]) &&
    (isOverruled || reported === nanoIn(end.cost_usd)) &&
    run.valueNano === nanoIn(end.value_usd) &&
    run.endedAtMs === ended &&
    run.model === (end.model ?? run.model) &&
    run.provider === (end.provider ?? run.provider)
  )
}

const nanoIn = (usd: string | undefined) => (usd === undefined ? null : parseUsd(usd))

/** The ending of a run, from its `/v1` view. */
export const endedRunFromView = (run: Run): EndedRun => ({
  status: run.status as EndedRun['status'],
  model: run.model,
  provider: run.provider ?? undefined,
  usage: Object.fromEntries(usageNames.flatMap((name) => (run[name] === null ? [] : [[name, run[name]]]))),
  costNano: parseUsd(run.cost_usd ?? '0'),
  costBasis: run.cost_basis as EndedRun['costBasis'],
  valueNano: nanoIn(run.value_usd ?? undefined),
  startedAtMs: Date.parse(run.started_at),
  endedAtMs: run.ended_at === null ? null : Date.parse(run.ended_at),
})
