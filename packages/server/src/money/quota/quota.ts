import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
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
  packView,
  worthOf,
} from '../credits/credits.ts'
import {
  amountView,
  capCounter,
  type LimitKind,
  lockLedgerForConfigChange,
  type Pack,
  packAllowance,
  sortByDrawOrder,
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
  bindsAtEdge: true,
  bind: (_charge, { topUps }) => {
    if (topUps.length === 0) return []
    const allowances = sortByDrawOrder(topUps).map((pack) => packAllowance(pack, 'quota', organizationOwner))
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
}

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
  const packs = await loadTopUps(tx, orgId)
  const balances = await packBalances(tx, orgId, packs)
  const limit = packs.length === 0 ? null : capCounter(worthOf(packs))
  const oldestFirst = packs.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return {
    prepaid: limit !== null,
    limit_usd: usdOrNull(limit),
    ...amountView(limit, oldestFirst.map(({ id }) => present(balances.get(id))).reduce(sum, unusedBalance)),
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
