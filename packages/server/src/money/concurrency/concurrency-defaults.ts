import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import { type DesiredState, notSet } from '../../contract/replaceable.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, newUuid } from '../../values/id.ts'
import {
  defaultSchedule,
  endLimit,
  insertLimit,
  type LimitRow,
  limitsInForce,
  lockLedgerForConfigChange,
  newSchedule,
  rowTimesView,
  updateLimit,
} from '../ledger/ledger.ts'
import {
  ConcurrencyDefault,
  type ConcurrencyDefaultInput,
  type ConcurrencyDefaultScope,
  type ConcurrencyDefaultView,
} from './default-schema.ts'

const kind = 'concurrency_default'

const viewOf = (row: LimitRow): ConcurrencyDefaultView => ({
  id: formatId('concurrencyLimit', row.id),
  scope_kind: row.scope_kind,
  max_runs: Number(row.amount),
  ...rowTimesView(row),
})

const find = async (tx: Tx, orgId: string, scopeKind: ConcurrencyDefaultScope) =>
  (await limitsInForce(tx, orgId, kind)).find((row) => row.scope_kind === scopeKind)

const absent = (scopeKind: ConcurrencyDefaultScope) => ({ ...notSet(ConcurrencyDefault), scope_kind: scopeKind })

export const listConcurrencyDefaults = async (tx: Tx, orgId: string) => ({
  data: (await limitsInForce(tx, orgId, kind)).map(viewOf),
})

export async function getConcurrencyDefault(tx: Tx, orgId: string, scopeKind: ConcurrencyDefaultScope) {
  const row = await find(tx, orgId, scopeKind)
  return row ? viewOf(row) : absent(scopeKind)
}

/** Sets the default. Runs that go on are counted as before: a lowered limit stops none of them. */
export async function putConcurrencyDefault(
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  scopeKind: ConcurrencyDefaultScope,
  wanted: DesiredState<ConcurrencyDefaultInput>,
): Promise<ConcurrencyDefaultView> {
  await lockLedgerForConfigChange(tx, orgId)
  const found = await find(tx, orgId, scopeKind)
  const before = found && viewOf(found)
  replaces(before, absent(scopeKind))
  const { max_runs } = wanted(before)
  const row = found
    ? await updateLimit(tx, orgId, found.id, { amount: BigInt(max_runs) })
    : await insertLimit(tx, orgId, {
        id: newUuid(),
        kind,
        name: '',
        scope_kind: scopeKind,
        scope_id: '',
        unit: 'concurrent_runs',
        amount: BigInt(max_runs),
        // The period in which refusals are counted, and reported once.
        ...newSchedule(defaultSchedule),
        enforcement: 'block',
        thresholds: [],
      })
  const after = viewOf(row)
  audit({ action: `${kind}.set`, target: { kind, id: after.id }, before, after })
  return after
}

export async function deleteConcurrencyDefault(
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  scopeKind: ConcurrencyDefaultScope,
): Promise<null> {
  await lockLedgerForConfigChange(tx, orgId)
  const found = await find(tx, orgId, scopeKind)
  if (!found) throw new ApiError('not_found')
  const before = viewOf(found)
  replaces(before)
  await endLimit(tx, orgId, found.id)
  audit({ action: `${kind}.deleted`, target: { kind, id: before.id }, before })
  return null
}
