import {
  type Caller,
  isPinned,
  makerIn,
  makerText,
  makerTextOrNull,
  parseMaker,
} from '../../access/identity/identity.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, parseId } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { timestamp, timestampOrNull } from '../../values/timestamp.ts'
import {
  amountOf,
  decodeAmounts,
  findAllowances,
  findMovement,
  listMovements,
  type MovementRow,
  type NamedAllowanceRow,
} from '../ledger/ledger.ts'
import { limitIdOf, parseLimitId } from '../limit-kinds.ts'
import type { JournalEntry, JournalQuery } from './schema.ts'

export { AdjustmentListQuery, AdjustmentPath, Journal, JournalEntry } from './schema.ts'

/**
 * Returns one page of the journal. A limit or reservation that does not exist has no movements. Movements name limits and no
 * other dimension, so a pinned key sees only what its own lineage made: that is within its pins.
 */
export async function listJournal(tx: Tx, caller: Pick<Caller, 'orgId' | 'pins' | 'lineageId'>, query: JournalQuery) {
  const { orgId, lineageId } = caller
  const asked = pageRequest(query, 'batch')
  const { from, to, kind, limit_id, reservation_id, key_id, max_changes } = query
  const limitId = limit_id === undefined ? undefined : parseLimitId(limit_id)?.id
  const holdId = reservation_id === undefined ? undefined : parseId('reservation', reservation_id)
  const madeBy = key_id === undefined ? undefined : parseMaker(key_id)
  const isNothing =
    (limit_id !== undefined && limitId === undefined) ||
    (reservation_id !== undefined && holdId === undefined) ||
    (key_id !== undefined && madeBy === undefined)
  const rows = isNothing
    ? []
    : await listMovements(tx, orgId, asked, {
        ...(from !== undefined && { from: new Date(from) }),
        ...(to !== undefined && { to: new Date(to) }),
        ...(kind !== undefined && { kind }),
        ...(limitId !== undefined && { limitId }),
        ...(holdId !== undefined && { holdId }),
        ...(madeBy && { madeBy }),
        ...(isPinned(caller) && { lineageId }),
        ...(max_changes !== undefined && { mostKeys: max_changes }),
      })
  const answer = pageResponse(rows, asked, ({ seq, idx }) => ({ value: seq.toString(), id: idx.toString() }))
  const names = await findAllowances(
    tx,
    orgId,
    answer.data.flatMap(({ keys }) => keys),
  )
  return { ...answer, data: answer.data.map((row) => entryOf(row, names)) }
}

/** Returns one correction, where the caller may see it. */
export async function getAdjustment(
  tx: Tx,
  caller: Pick<Caller, 'orgId' | 'pins' | 'lineageId'>,
  id: string,
): Promise<JournalEntry | undefined> {
  const { orgId, lineageId } = caller
  const [seq = '', idx = ''] = id.split('.')
  const row = await findMovement(tx, orgId, seq, idx, isPinned(caller) ? lineageId : undefined)
  if (row?.kind !== 'adjust') return undefined
  return entryOf(row, await findAllowances(tx, orgId, row.keys))
}

export function entryOf(row: MovementRow, names: ReadonlyMap<string, NamedAllowanceRow>): JournalEntry {
  const [spent, held, overrun, late] = [row.d_spent, row.d_held, row.d_overrun, row.d_late].map((column) =>
    decodeAmounts(column, row.keys),
  )
  return {
    id: `${row.seq}.${row.idx}`,
    batch: Number(row.seq),
    created_at: timestamp(row.at),
    kind: row.kind,
    reservation_id: row.hold_id === null ? null : formatId('reservation', row.hold_id),
    change_count: row.key_count,
    changes: row.keys.map((key, i) => {
      const { limit_id, kind, subject, unit, period_start, period_end } = present(names.get(key))
      const amount = (column: readonly bigint[] | undefined) => amountOf({ unit }, present(column?.[i]))
      return {
        limit_id: limitIdOf({ kind, limitId: limit_id }),
        kind,
        subject,
        unit,
        period_start: timestampOrNull(period_start),
        period_end: timestampOrNull(period_end),
        spent: amount(spent),
        held: amount(held),
        overrun: amount(overrun),
        late: amount(late),
      }
    }),
    key_id: makerTextOrNull(makerIn(row)),
    actor: actorIn(row),
    reason: row.reason,
  }
}

/** Returns the actor of a movement: the one written there, else its maker; the system where a lease ended by itself. */
function actorIn(row: MovementRow): JournalEntry['actor'] {
  if (row.actor !== null) return row.actor as JournalEntry['actor']
  if (row.kind === 'expire') return { kind: 'system' }
  const maker = makerIn(row)
  return maker ? { kind: maker.kind, id: makerText(maker) } : null
}
