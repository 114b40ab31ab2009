import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import { readOncePerPage } from '../../contract/page-reads.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { formatUsd, parseUsd } from '../../values/money.ts'
import { present } from '../../values/present.ts'
import { timestamp } from '../../values/timestamp.ts'
import {
  assertCountable,
  countPacks,
  findPack,
  insertPack,
  loadPacks,
  type PackRow,
  packBalances,
  packOf,
  packView,
  usedPacksOf,
  worthOf,
} from '../credits/credits.ts'
import {
  amountView,
  type Crossing,
  capCounter,
  crossedAmounts,
  type LimitKind,
  limitIdIn,
  lockLedgerForConfigChange,
  type Pack,
  packAllowance,
  sortByDrawOrder,
  stoppedAmounts,
  type UsedBalance,
  unusedBalance,
  usdOrNull,
} from '../ledger/ledger.ts'
import type { QuotaView, TopUpInput, TopUpView } from './schema.ts'

/** The owner of the organization's own packs: those that belong to no customer. */
export const organizationOwner = ''

/** The prepaid quota of the organization; one that never topped up is not limited by it. */
export const quotaKind: LimitKind = {
  kind: 'quota',
  journalNames: ['quota'],
  idKind: 'topUp',
  guide: 'limits',
  surfaces: ['edge', 'route', 'start', 'record'],
  errors: [{ code: 'quota_exhausted', status: 402 }],
  events: ['quota.low', 'quota.depleted', 'quota.stopped'],
  thresholds: [],
  source: 'row',
  isForecast: true,
  bind: (_charge, { topUps }) => {
    if (topUps.length === 0) return []
    const allowances = sortByDrawOrder(topUps).map((pack) => packAllowance(pack, quotaKind))
    return [{ kind: quotaKind, unit: 'usd', mode: 'draw', allowances }]
  },
  refuse: ({ total, attempted }) =>
    new ApiError(
      'quota_exhausted',
      {
        quota_kind: 'prepaid',
        limit: formatUsd(total.limit),
        used: formatUsd(total.spent + total.held),
        attempted: formatUsd(attempted),
        resets_at: null,
      },
      { status: 402 },
    ),
  eventOf: (crossing) => {
    const { allowance, threshold } = crossing
    if (threshold === 0) return undefined
    const id = limitIdIn(quotaKind, allowance)
    const data = { top_up_id: id, ...crossedAmounts(crossing) }
    const stopped = stoppedAmounts(crossing)
    if (stopped) return { kind: 'quota.stopped', subject: id, data: { ...data, ...stopped } }
    return { kind: threshold === 100 ? 'quota.depleted' : 'quota.low', subject: id, data }
  },
  jointCrossings: ({ topUps }, spentBefore, spentNow) => quotaCrossings(topUps, spentBefore, spentNow),
  adjustment: {
    requires: ['amount_usd'],
    find: async (tx, orgId, limitId) => {
      const row = await findPack(tx, orgId, limitId)
      return row?.owner === organizationOwner ? packAllowance(packOf(row), quotaKind) : undefined
    },
    crossings: async (tx, orgId, { key }, delta) => {
      const topUps = await loadTopUps(tx, orgId)
      const balances = await packBalances(tx, orgId, topUps)
      const now = (id: string) => (id === key ? delta : 0n)
      return quotaCrossings(topUps, (id) => balances.get(id)!.spent - now(id), now)
    },
  },
}

/**
 * Returns the thresholds crossed by the sum of an organization's top-ups. They are percentages of the newest top-up: of the sum
 * of all that there ever were, almost everything is always spent. So they emit again after each top-up.
 */
function quotaCrossings(
  topUps: readonly Pack[],
  spentBefore: (id: string) => bigint,
  spentNow: (id: string) => bigint,
): Crossing[] {
  if (topUps.length === 0) return []
  const now = total(topUps.map(({ id }) => spentNow(id)))
  if (now <= 0n) return []
  const before = total(topUps.map(({ id }) => spentBefore(id)))
  const limit = worthOf(topUps)
  const newest = topUps.reduce((a, b) =>
    a.createdAtMs > b.createdAtMs || (a.createdAtMs === b.createdAtMs && a.id > b.id) ? a : b,
  )
  const allowance = { ...packAllowance(newest, quotaKind), limit }
  return [80, 100].flatMap((threshold) => {
    const mark = limit * 100n - newest.amount * BigInt(100 - threshold)
    const isReached = before * 100n < mark && (before + now) * 100n >= mark
    return isReached ? [{ allowance, threshold, spent: before + now }] : []
  })
}

const total = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n)

export const loadTopUps = (tx: Tx, orgId: string): Promise<Pack[]> => loadPacks(tx, orgId, organizationOwner)

const sum = (a: UsedBalance, b: UsedBalance): UsedBalance => ({
  spent: capCounter(a.spent + b.spent),
  held: capCounter(a.held + b.held),
  overrun: capCounter(a.overrun + b.overrun),
  late: capCounter(a.late + b.late),
  wouldRefuse: a.wouldRefuse + b.wouldRefuse,
  refused: a.refused + b.refused,
  // A top-up frees an amount: the refusals of the former one are over.
  exhaustedAt: b.exhaustedAt,
})

export async function getQuota(tx: Tx, orgId: string): Promise<QuotaView> {
  const packs = await readOncePerPage(`top-ups of ${orgId}`, () => usedPacksOf(tx, orgId, organizationOwner))
  const limit = packs.length === 0 ? null : capCounter(worthOf(packs))
  return {
    prepaid: limit !== null,
    limit_usd: usdOrNull(limit),
    ...amountView(limit, packs.map(({ balance }) => balance).reduce(sum, unusedBalance)),
    period_start: null,
    period_end: null,
  }
}

export async function topUpViews(tx: Tx, orgId: string, rows: readonly PackRow[]): Promise<TopUpView[]> {
  const balances = await packBalances(tx, orgId, rows)
  return rows.map((row) => ({
    id: formatId('topUp', row.id),
    ...packView(row, present(balances.get(row.id)), true),
    created_at: timestamp(row.created_at),
  }))
}

export async function getTopUp(tx: Tx, orgId: string, id: string): Promise<TopUpView | undefined> {
  const row = await findPack(tx, orgId, id)
  return row?.owner === organizationOwner ? (await topUpViews(tx, orgId, [row]))[0] : undefined
}

/** Most top-ups of an organization: they do not expire, and every decision draws on all of them. */
const maxTopUps = 1_000

export async function topUp(
  { tx, audit }: ChangeTools,
  orgId: string,
  { amount_usd, name = '' }: TopUpInput,
): Promise<TopUpView> {
  await lockLedgerForConfigChange(tx, orgId)
  if ((await countPacks(tx, orgId, organizationOwner)).kept >= maxTopUps)
    throw new ApiError('conflict', {}, { message: `An organization has at most ${maxTopUps} top-ups.` })
  const amount = parseUsd(amount_usd)
  assertCountable(await loadTopUps(tx, orgId), amount)
  const before = await getQuota(tx, orgId)
  const row = await insertPack(tx, orgId, { id: newUuid(), owner: organizationOwner, name, amount })
  const [view] = await topUpViews(tx, orgId, [row])
  audit({
    action: 'quota.topped_up',
    target: { kind: 'top_up', id: present(view).id },
    before,
    after: { ...(await getQuota(tx, orgId)), top_up: view },
  })
  return present(view)
}
