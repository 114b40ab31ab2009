import { limitOf, type ScopedLimit, shownLimits, shownUsage } from '../../money/ledger/ledger.ts'
import { kindOf, limitIdOf } from '../../money/limit-kinds.ts'
import { getQuota, quotaKind } from '../../money/quota/quota.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId } from '../../values/id.ts'
import { parseUsd } from '../../values/money.ts'
import type { PlannedSchedule } from '../../values/period.ts'
import { elementAt } from '../../values/present.ts'
import type { UsageDimension } from './queries.ts'

/** A limit that a series counts towards, with its current usage. */
export interface CountedLimit {
  /** The key of the series; null for the total. */
  readonly key: string | null
  readonly id: string
  readonly kind: string
  readonly name: string
  readonly enforcement: 'block' | 'alert'
  readonly limit: number
  readonly used: number
  /** The schedule of its periods; null when it has none. */
  readonly schedule: PlannedSchedule | null
}

export interface UsageSelection {
  readonly metric: 'cost' | 'runs' | 'tokens'
  readonly by: UsageDimension | undefined
  readonly filters: Partial<Record<UsageDimension, string>>
}

/** The most limits in a response; the earliest created are kept. */
const maxLimits = 200
const units = { cost: 'usd', runs: 'runs', tokens: 'tokens' } as const
const perUsd = 1e9

/** Returns the scope that the whole query corresponds to: the organization, or one department, workflow or deployment. */
function scopeOfQuery({ filters }: UsageSelection): { kind: ScopedLimit['scopeKind']; id: string } | undefined {
  const [first, second] = Object.entries(filters)
  if (first === undefined) return { kind: 'org', id: '' }
  return second !== undefined || first[0] === 'model'
    ? undefined
    : { kind: first[0] as ScopedLimit['scopeKind'], id: first[1] }
}

/**
 * Returns the limits that the query covers completely, as a whole or by one of its series: a part of what a limit counts says
 * nothing about it.
 */
export async function readLimits(tx: Tx, orgId: string, nowMs: number, asked: UsageSelection): Promise<CountedLimit[]> {
  const whole = scopeOfQuery(asked)
  const isSplit = asked.by !== undefined && asked.by !== 'model' && Object.keys(asked.filters).length === 0
  const keyOf = ({ scopeKind, scopeId, and }: ScopedLimit): string | null | undefined => {
    if (and) return undefined
    if (scopeKind === whole?.kind && scopeId === whole.id) return null
    return isSplit && scopeKind === asked.by ? scopeId : undefined
  }
  const rows = await shownLimits(tx, orgId)
  const found = rows
    .map((row) => ({ name: row.name, limit: limitOf(row, kindOf(row.kind)) }))
    .filter(({ limit }) => kindOf(limit.kind).isForecast === true)
    .filter(({ limit }) => limit.amount !== null && limit.unit === units[asked.metric] && keyOf(limit) !== undefined)
    .slice(0, maxLimits)
  const usages = await shownUsage(
    tx,
    orgId,
    nowMs,
    found.map(({ limit }) => [limit, limit.scopeId] as const),
  )
  const perUnit = asked.metric === 'cost' ? perUsd : 1
  const fed = usages.map(({ limit, balance }, i) => ({
    key: keyOf(limit) ?? null,
    id: limitIdOf({ kind: limit.kind, limitId: limit.id }),
    kind: limit.kind,
    name: elementAt(found, i).name,
    enforcement: limit.enforcement,
    limit: Number(limit.amount) / perUnit,
    used: Number(balance.spent) / perUnit,
    schedule: limit.schedule,
  }))
  return whole?.kind === 'org' && asked.metric === 'cost' ? [...fed, ...(await readPrepaidQuota(tx, orgId))] : fed
}

async function readPrepaidQuota(tx: Tx, orgId: string): Promise<CountedLimit[]> {
  const quota = await getQuota(tx, orgId)
  if (quota.limit_usd === null) return []
  return [
    {
      key: null,
      id: formatId('org', orgId),
      kind: quotaKind.kind,
      name: 'Prepaid quota',
      enforcement: 'block',
      limit: Number(parseUsd(quota.limit_usd)) / perUsd,
      used: Number(parseUsd(quota.spent_usd)) / perUsd,
      schedule: null,
    },
  ]
}
