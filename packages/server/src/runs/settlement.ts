import { isDeepStrictEqual } from 'node:util'
import { withNormalNames } from '../access/identity/identity.ts'
import { heldRequestOf } from '../decisions/decisions.ts'
import { type KnownHold, type RunEnding, reportOfEnding } from '../decisions/lanes/lanes.ts'
import { isSameModel, isSameName } from '../money/prices/prices.ts'
import {
  detailIn,
  type EndedRun,
  isRunHold,
  type Run,
  runningRun,
  type Tokens,
  type UsageDetail,
  usageNames,
} from '../records/run-log/run-log.ts'
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

function differing(names: readonly (keyof Fields)[], given: Fields, kept: Fields): (keyof Fields)[] {
  const [said, known] = [withNormalNames(given), withNormalNames(kept)]
  return names.filter((name) => said[name] !== undefined && !isDeepStrictEqual(said[name], known[name]))
}

/** The end of a run as a caller reports it. */
export interface ReportedEnd extends Tokens, UsageDetail {
  readonly status?: EndedRun['status'] | undefined
  readonly model?: string | undefined
  readonly provider?: string | undefined
  readonly cost_usd?: string | undefined
  readonly value_usd?: string | undefined
  readonly ended_at?: string | undefined
  readonly estimated?: boolean | undefined
}

/** The report that the hold of a run keeps of an end by estimate; undefined for an exact one. */
export const estimateReport = ({ estimated }: Pick<ReportedEnd, 'estimated'>, ending: RunEnding) =>
  estimated === true ? reportOfEnding(ending) : undefined

/**
 * True when a run has ended in the way that a caller reports. Fields that a caller may leave out because they are known here (the
 * model, the time) are compared only where they are given. `ending` is the one which the report would have now.
 */
export function isSameEnd(
  run: EndedRun,
  end: ReportedEnd,
  ending?: Pick<EndedRun, 'costBasis' | 'usageDetail'>,
): boolean {
  // A cost that is not believed makes no difference.
  const isOverruled = end.cost_usd !== undefined && ending !== undefined && ending.costBasis !== 'reported'
  const reported = run.costBasis === 'reported' ? run.costNano : null
  const ended = end.ended_at === undefined ? run.endedAtMs : Math.max(Date.parse(end.ended_at), run.startedAtMs)
  return (
    run.status === (end.status ?? 'succeeded') &&
    usageNames.every((name) => run.usage[name] === end[name]) &&
    isDeepStrictEqual(withoutTier(run.usageDetail), withoutTier(detailIn(end))) &&
    (ending === undefined || run.usageDetail?.service_tier === ending.usageDetail?.service_tier) &&
    (isOverruled || reported === nanoIn(end.cost_usd)) &&
    run.valueNano === nanoIn(end.value_usd) &&
    run.endedAtMs === ended &&
    run.model === (end.model ?? run.model) &&
    run.provider === (end.provider ?? run.provider)
  )
}

/** The tier is compared as it was charged: one that is not believed makes no difference. */
const withoutTier = (detail: UsageDetail = {}) => {
  const { service_tier: _tier, ...rest } = detail
  return rest
}

const nanoIn = (usd: string | undefined) => (usd === undefined ? null : parseUsd(usd))

/** The ending of a run, from its `/v1` view. */
export const endedRunFromView = (run: Run): EndedRun => ({
  status: run.status as EndedRun['status'],
  model: run.model,
  provider: run.provider ?? undefined,
  usage: Object.fromEntries(usageNames.flatMap((name) => (run[name] === null ? [] : [[name, run[name]]]))),
  usageDetail: (run.usage_detail as UsageDetail | null) ?? undefined,
  costNano: parseUsd(run.cost_usd ?? '0'),
  costBasis: run.cost_basis as EndedRun['costBasis'],
  valueNano: nanoIn(run.value_usd ?? undefined),
  startedAtMs: Date.parse(run.started_at),
  endedAtMs: run.ended_at === null ? null : Date.parse(run.ended_at),
})
