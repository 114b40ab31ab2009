import type { ChangeTools } from '../changes/changes.ts'
import { ApiError } from '../contract/errors.ts'
import { insertPack, loadPacks, type PackRow, packBalances, packView } from '../credits/credits.ts'
import type { Tx } from '../infra/sql.ts'
import {
  amountView,
  type Balance,
  emptyBalance,
  inDrawingOrder,
  type LimitKind,
  lockLedger,
  type Pack,
  packAllowance,
  usdOrNull,
} from '../ledger/ledger.ts'
import { formatId, newUuid } from '../values/id.ts'
import { formatUsd, parseUsd } from '../values/money.ts'
import { timestamp } from '../values/timestamp.ts'
import type { QuotaView, TopUpInput, TopUpView } from './schema.ts'

/** The packs of no customer are the organization's own. */
export const organization = ''

/** What the organization has prepaid; one that never topped up is not limited by it. */
export const quotaKind: LimitKind = {
  kind: 'quota',
  bindsAtEdge: true,
  bind: (_charge, { topUps }) => {
    if (topUps.length === 0) return []
    const allowances = inDrawingOrder(topUps).map((pack) => packAllowance(pack, 'quota', organization))
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

export const loadTopUps = (tx: Tx, orgId: string): Promise<Pack[]> => loadPacks(tx, orgId, organization)

const sum = (a: Balance, b: Balance): Balance => ({
  spent: a.spent + b.spent,
  held: a.held + b.held,
  overrun: a.overrun + b.overrun,
  late: a.late + b.late,
  wouldRefuse: a.wouldRefuse + b.wouldRefuse,
})

export async function getQuota(tx: Tx, orgId: string): Promise<QuotaView> {
  const packs = await loadTopUps(tx, orgId)
  const balances = await packBalances(tx, orgId, packs)
  const limit = packs.length === 0 ? null : packs.reduce((total, { amount }) => total + amount, 0n)
  return {
    prepaid: limit !== null,
    limit_usd: usdOrNull(limit),
    ...amountView(limit, [...balances.values()].reduce(sum, emptyBalance)),
    period_start: null,
    period_end: null,
  }
}

export async function topUpViews(tx: Tx, orgId: string, rows: readonly PackRow[]): Promise<TopUpView[]> {
  const balances = await packBalances(tx, orgId, rows)
  return rows.map((row) => ({
    id: formatId('topUp', row.id),
    ...packView(row, balances.get(row.id)!, true),
    created_at: timestamp(row.created_at),
  }))
}

export async function topUp(
  { tx, audit }: ChangeTools,
  orgId: string,
  { amount_usd, name = '' }: TopUpInput,
): Promise<TopUpView> {
  await lockLedger(tx, orgId)
  const before = await getQuota(tx, orgId)
  const row = await insertPack(tx, orgId, { id: newUuid(), owner: organization, name, amount: parseUsd(amount_usd) })
  const [view] = await topUpViews(tx, orgId, [row])
  audit({
    action: 'quota.topped_up',
    target: { kind: 'top_up', id: view!.id },
    before,
    after: { ...(await getQuota(tx, orgId)), top_up: view },
  })
  return view!
}
