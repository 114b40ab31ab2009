import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { isSameForm } from '../../values/normal-form.ts'
import { present } from '../../values/present.ts'
import { timestamp } from '../../values/timestamp.ts'
import { storedScopeId } from '../budgets/budgets.ts'
import {
  type Allowance,
  allowanceAt,
  allowanceKey,
  balancesOf,
  type Claim,
  claimOn,
  defaultSchedule,
  endLimit,
  findLimit,
  insertLimit,
  type LimitKind,
  type LimitRow,
  limitIdIn,
  limitOf,
  limitsInForce,
  limitsMet,
  lockLedgerForConfigChange,
  newSchedule,
  type OrgLimits,
  rearm,
  rowTimesView,
  type ScopedLimit,
  stopView,
  updateLimit,
} from '../ledger/ledger.ts'
import type { ConcurrencyLimit, ConcurrencyLimitInput, ConcurrencyLimitReplacement } from './schema.ts'

const unit = 'concurrent_runs'

const keyOf = ({ id }: ScopedLimit, subject: string) => allowanceKey(id, subject, unit, '')

/** The row that counts the runs of a limit: a run that starts today and ends tomorrow is counted once, so it has no period. */
const allowanceOf = (limit: ScopedLimit, subject: string): Allowance => ({
  key: keyOf(limit, subject),
  limitId: limit.id,
  kind: limit.kind,
  subject,
  unit,
  period: null,
  limit: limit.amount,
  enforcement: 'block',
  thresholds: [],
})

/** Returns the scope of a limit, for errors and events. */
function scopeOf({ limitId, subject }: Allowance, { limits }: Pick<OrgLimits, 'limits'>) {
  const { scopeKind } = present(limits.find(({ id }) => id === limitId))
  return { scope_kind: scopeKind, scope_id: subject === '' ? null : subject }
}

/**
 * The most runs that the organization or a part of it has at once; a part without a limit of its own has the default. A run takes
 * a place when it starts and gives it back when it ends, however it ends. Only a start can be refused: at the edge there is no run, and a recorded one is over.
 */
export const concurrencyKind: LimitKind = {
  kind: 'concurrency',
  journalNames: ['concurrency', 'concurrency_default'],
  idKind: 'concurrencyLimit',
  guide: 'limits',
  surfaces: ['start'],
  errors: ['concurrency_exceeded'],
  events: ['concurrency_limit.reached'],
  thresholds: [],
  source: 'config',
  bind: (charge, org, _customer, nowMs) =>
    limitsMet(org, concurrencyKind.kind, charge).map(
      ({ limit, subject }): Claim => ({
        ...claimOn(concurrencyKind, allowanceOf(limit, subject)),
        stopKey: allowanceAt(limit, subject, nowMs).key,
        scope: limit,
      }),
    ),
  refuse: ({ claim, allowance, balance }) => {
    const { scopeKind } = present(claim.scope)
    const [most, running] = [Number(allowance.limit), Number(balance.held)]
    const owner = scopeKind === 'org' ? 'the organization' : `${scopeKind} ${allowance.subject}`
    return new ApiError(
      'concurrency_exceeded',
      {
        concurrency_limit_id: limitIdIn(concurrencyKind, allowance),
        scope_kind: scopeKind,
        max_runs: most,
        running,
      },
      {
        message: `At most ${most} runs of ${owner} may run at once, and ${running} are running. Retry when one has ended.`,
      },
    )
  },
  eventOf: ({ allowance, refused }, org) => {
    const id = limitIdIn(concurrencyKind, allowance)
    const counts = { max_runs: Number(allowance.limit), running: Number(refused?.held ?? 0n) }
    const data = { concurrency_limit_id: id, ...scopeOf(allowance, org), ...counts }
    return { kind: 'concurrency_limit.reached', subject: id, data }
  },
}

export async function concurrencyLimitViews(
  tx: Tx,
  orgId: string,
  nowMs: number,
  rows: readonly LimitRow[],
): Promise<ConcurrencyLimit[]> {
  const found = rows.map((row) => {
    const limit = limitOf(row, concurrencyKind)
    return { row, key: keyOf(limit, row.scope_id), today: allowanceAt(limit, row.scope_id, nowMs).key }
  })
  const balances = await balancesOf(
    tx,
    orgId,
    found.flatMap(({ key, today }) => [key, today]),
  )
  return found.map(({ row, key, today }) => ({
    id: formatId('concurrencyLimit', row.id),
    name: row.name,
    scope_kind: row.scope_kind,
    scope_id: row.scope_id === '' ? null : row.scope_id,
    max_runs: Number(row.amount),
    running: Number(balances.get(key)!.held),
    ...stopView(balances.get(today)!),
    counts_from: timestamp(row.created_at),
    ...rowTimesView(row),
  }))
}

const viewOf = async (tx: Tx, orgId: string, nowMs: number, row: LimitRow) =>
  (await concurrencyLimitViews(tx, orgId, nowMs, [row]))[0]!

export async function getConcurrencyLimit(tx: Tx, orgId: string, nowMs: number, id: string) {
  const row = await findLimit(tx, orgId, concurrencyKind.kind, id)
  return row && viewOf(tx, orgId, nowMs, row)
}

/** Most concurrency limits of an organization: every process caches all of them. */
const maxLimits = 1_000

const conflict = (message: string) => new ApiError('conflict', {}, { message })

export async function createConcurrencyLimit(
  { tx, audit }: ChangeTools,
  orgId: string,
  input: ConcurrencyLimitInput,
): Promise<ConcurrencyLimit> {
  const nowMs = await lockLedgerForConfigChange(tx, orgId)
  const { name, scope_kind, max_runs } = input
  const scope_id = await storedScopeId(tx, orgId, input)
  const live = await limitsInForce(tx, orgId, concurrencyKind.kind)
  const other = live.find((row) => row.scope_kind === scope_kind && isSameForm(row.scope_id, scope_id))
  if (other) throw conflict(`This scope has a concurrency limit already: ${formatId('concurrencyLimit', other.id)}.`)
  if (live.length >= maxLimits) throw conflict(`An organization has at most ${maxLimits} concurrency limits.`)
  const row = await insertLimit(tx, orgId, {
    id: newUuid(),
    kind: concurrencyKind.kind,
    name,
    scope_kind,
    scope_id,
    unit,
    amount: BigInt(max_runs),
    // The period in which refusals are counted, and reported once.
    ...newSchedule(defaultSchedule),
    enforcement: 'block',
    thresholds: [],
  })
  const after = await viewOf(tx, orgId, nowMs, row)
  audit({
    action: 'concurrency_limit.created',
    target: { kind: 'concurrency_limit', id: after.id },
    after,
  })
  return after
}

/** Replaces a limit. Runs that go on are counted as before: a lowered limit stops none of them. */
export async function replaceConcurrencyLimit(
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  id: string,
  wanted: DesiredState<ConcurrencyLimitReplacement>,
): Promise<ConcurrencyLimit> {
  const nowMs = await lockLedgerForConfigChange(tx, orgId)
  const found = await findLimit(tx, orgId, concurrencyKind.kind, id)
  if (!found) throw new ApiError('not_found')
  const before = await viewOf(tx, orgId, nowMs, found)
  replaces(before)
  const { name, max_runs } = wanted(before)
  const row = await updateLimit(tx, orgId, id, { name, amount: BigInt(max_runs) })
  if (row.amount !== found.amount)
    await rearm(tx, orgId, nowMs, concurrencyKind, limitOf(row, concurrencyKind), row.scope_id)
  const after = await viewOf(tx, orgId, nowMs, row)
  audit({
    action: 'concurrency_limit.updated',
    target: { kind: 'concurrency_limit', id: after.id },
    before,
    after,
  })
  return after
}

export async function deleteConcurrencyLimit(
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  id: string,
): Promise<null> {
  const nowMs = await lockLedgerForConfigChange(tx, orgId)
  const before = await getConcurrencyLimit(tx, orgId, nowMs, id)
  if (!before) throw new ApiError('not_found')
  replaces(before)
  await endLimit(tx, orgId, id)
  audit({
    action: 'concurrency_limit.deleted',
    target: { kind: 'concurrency_limit', id: before.id },
    before,
  })
  return null
}
