import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError, validationFailed } from '../../contract/errors.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { formatDollars, formatUsd, parseUsd } from '../../values/money.ts'
import { one, present } from '../../values/present.ts'
import { timestampOrNull } from '../../values/timestamp.ts'
import {
  type Balance,
  balancesOf,
  crossedAmounts,
  isUsable,
  type LimitKind,
  limitIdIn,
  lockLedger,
  maxAdmitted,
  type Pack,
  packAllowance,
  remainingOf,
  rowTimesView,
  sortByDrawOrder,
  stoppedAmounts,
  stopView,
  type UsedBalance,
} from '../ledger/ledger.ts'
import { countPacks, findCreditPack, insertPack, type PackRow, packsOf, voidPack } from './queries.ts'
import type { CreditPackInput, CreditPackView } from './schema.ts'

export { countPacks, findPack, insertPack, listPacks, type PackRow, usedPacksOf } from './queries.ts'
export { packFaults, packFields, packInput } from './schema.ts'

/** The prepaid credits of a customer. One without a pack in force is not limited by credits. */
export const creditsKind: LimitKind = {
  kind: 'credits',
  journalNames: ['credits'],
  idKind: 'creditPack',
  guide: 'limits',
  surfaces: ['route', 'start', 'record'],
  errors: ['credits_exhausted'],
  events: ['credit_pack.low', 'credit_pack.depleted', 'credit_pack.stopped'],
  thresholds: [80, 100],
  source: 'row',
  bearsExcess: true,
  bind: ({ customerId }, _org, customer, nowMs) => {
    if (customerId === undefined || !customer) return []
    const live = sortByDrawOrder(customer.packs.filter((pack) => isUsable(pack, nowMs)))
    if (live.length === 0) return []
    const allowances = live.map((pack) => packAllowance(pack, creditsKind))
    return [{ kind: creditsKind, unit: 'usd', mode: 'draw', allowances }]
  },
  refuse: ({ available, attempted }) =>
    new ApiError('credits_exhausted', { available_usd: formatUsd(available), attempted_usd: formatUsd(attempted) }),
  eventOf: (crossing) => {
    const { allowance, threshold } = crossing
    // A pack that is exceeded emits nothing more: it was reported as depleted.
    if (threshold === 0) return undefined
    const id = limitIdIn(creditsKind, allowance)
    const { limit_usd, spent_usd } = crossedAmounts(crossing)
    const data = { credit_pack_id: id, customer_id: allowance.subject, amount_usd: limit_usd, spent_usd }
    const stopped = stoppedAmounts(crossing)
    if (stopped) return { kind: 'credit_pack.stopped', subject: id, data: { ...data, ...stopped } }
    return { kind: threshold === 100 ? 'credit_pack.depleted' : 'credit_pack.low', subject: id, data }
  },
  adjustment: {
    requires: ['amount_usd'],
    find: async (tx, orgId, limitId) => {
      const row = await findCreditPack(tx, orgId, limitId)
      return row && packAllowance(packOf(row), creditsKind)
    },
  },
}

export const packOf = (
  row: Pick<PackRow, 'id' | 'owner' | 'amount' | 'priority' | 'expires_at' | 'voided_at' | 'created_at'>,
): Pack => ({
  id: row.id,
  owner: row.owner,
  amount: row.amount,
  priority: row.priority,
  expiresAtMs: row.expires_at?.getTime() ?? null,
  voidedAtMs: row.voided_at?.getTime() ?? null,
  createdAtMs: row.created_at.getTime(),
})

export const loadPacks = async (tx: Tx, orgId: string, owner: string): Promise<Pack[]> =>
  (await packsOf(tx, orgId, owner)).map(packOf)

export const worthOf = (packs: readonly Pick<Pack, 'amount'>[]): bigint =>
  packs.reduce((total, { amount }) => total + amount, 0n)

/** Throws for a pack with which its owner would have prepaid more than can be counted. */
export function assertCountable(others: readonly Pick<Pack, 'amount'>[], amount: bigint) {
  if (worthOf(others) + amount <= maxAdmitted) return
  const message = `All packs of one owner together may be worth at most ${formatDollars(maxAdmitted)}.`
  throw validationFailed([{ field: 'amount_usd', code: 'out_of_range', message }])
}

export const packBalances = (tx: Tx, orgId: string, packs: readonly { readonly id: string }[]) =>
  balancesOf(
    tx,
    orgId,
    packs.map(({ id }) => id),
  )

/** Fields of every pack, whoever owns it. */
export const packView = (row: PackRow, balance: UsedBalance, isInForce: boolean) => ({
  name: row.name === '' ? null : row.name,
  amount_usd: formatUsd(row.amount),
  spent_usd: formatUsd(balance.spent),
  held_usd: formatUsd(balance.held),
  remaining_usd: formatUsd(isInForce ? remainingOf(row.amount, balance) : 0n),
  ...stopView(balance),
})

function statusOf(row: PackRow, { spent }: Balance, nowMs: number) {
  if (row.voided_at !== null) return 'voided'
  if (!isUsable(packOf(row), nowMs)) return 'expired'
  return spent >= row.amount ? 'depleted' : 'active'
}

export async function creditPackViews(
  tx: Tx,
  orgId: string,
  nowMs: number,
  rows: readonly PackRow[],
): Promise<CreditPackView[]> {
  const balances = await packBalances(tx, orgId, rows)
  return rows.map((row) => {
    const balance = present(balances.get(row.id))
    return {
      id: formatId('creditPack', row.id),
      customer_id: row.owner,
      ...packView(row, balance, isUsable(packOf(row), nowMs)),
      priority: row.priority,
      expires_at: timestampOrNull(row.expires_at),
      status: statusOf(row, balance, nowMs),
      voided_at: timestampOrNull(row.voided_at),
      ...rowTimesView(row),
    }
  })
}

const viewOf = async (tx: Tx, orgId: string, nowMs: number, row: PackRow) =>
  one(await creditPackViews(tx, orgId, nowMs, [row]))

export async function getCreditPack(
  tx: Tx,
  orgId: string,
  nowMs: number,
  id: string,
): Promise<CreditPackView | undefined> {
  const row = await findCreditPack(tx, orgId, id)
  return row && viewOf(tx, orgId, nowMs, row)
}

/** Most packs in force per customer: all of them are read with each of its decisions. */
const maxInForce = 100
const maxKept = 1_000

async function assertPackCount(tx: Tx, orgId: string, customerId: string) {
  const { inForce, kept } = await countPacks(tx, orgId, customerId)
  if (inForce < maxInForce && kept < maxKept) return
  const message =
    inForce >= maxInForce
      ? `A customer has at most ${maxInForce} credit packs in force, used-up ones included. Void those that are used up.`
      : `A customer has at most ${maxKept} credit packs, those of the last 400 days included that have ended.`
  throw new ApiError('conflict', {}, { message })
}

export async function createCreditPack(
  { tx, audit }: ChangeTools,
  orgId: string,
  customerId: string,
  { amount_usd, name = '', priority = 100, expires_at }: CreditPackInput,
): Promise<CreditPackView> {
  const nowMs = await lockLedger(tx, orgId)
  const expiresAt = expires_at === undefined ? null : new Date(expires_at)
  if (expiresAt && expiresAt.getTime() <= nowMs) {
    throw validationFailed([{ field: 'expires_at', code: 'out_of_range', message: 'This must be in the future.' }])
  }
  await assertPackCount(tx, orgId, customerId)
  const amount = parseUsd(amount_usd)
  assertCountable(
    (await loadPacks(tx, orgId, customerId)).filter((pack) => isUsable(pack, nowMs)),
    amount,
  )
  const row = await insertPack(tx, orgId, {
    id: newUuid(),
    owner: customerId,
    name,
    amount,
    priority,
    expires_at: expiresAt,
  })
  const after = await viewOf(tx, orgId, nowMs, row)
  audit({ action: 'credit_pack.created', target: { kind: 'credit_pack', id: after.id }, after })
  return after
}

/** Voids a pack; voiding it again changes nothing. Amounts held on it meanwhile end as they would have. */
export async function voidCreditPack({ tx, audit }: ChangeTools, orgId: string, id: string): Promise<CreditPackView> {
  const nowMs = await lockLedger(tx, orgId)
  const found = await findCreditPack(tx, orgId, id)
  if (!found) throw new ApiError('not_found')
  const before = await viewOf(tx, orgId, nowMs, found)
  if (found.voided_at !== null) return before
  if (before.status === 'expired') throw new ApiError('conflict', {}, { message: 'The pack has expired already.' })
  const after = await viewOf(tx, orgId, nowMs, await voidPack(tx, orgId, id))
  audit({ action: 'credit_pack.voided', target: { kind: 'credit_pack', id: after.id }, before, after })
  return after
}
