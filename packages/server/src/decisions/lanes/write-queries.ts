import { reclaimAssignments } from '../../access/idempotency/idempotency.ts'
import { makerText } from '../../access/identity/identity.ts'
import type { Delta, Movement } from '../../money/engine/engine.ts'
import { crossingsStatement, maxCounter } from '../../money/ledger/ledger.ts'
import { type BoundStatement, type Statement, statement } from '../../platform/infra/pipelined-connection.ts'
import { deleteRunKeys } from '../../records/run-log/run-log.ts'
import { array, changedHolds, encodeAmounts, iso, makerIdColumns, newHolds, raisedHolds } from './hold-rows.ts'
import type { OrgWrites } from './org-writes.ts'
import { reportingWrites } from './reporting-writes.ts'
import { runWrites } from './run-writes.ts'

const json = (rows: readonly unknown[]) => JSON.stringify(rows)

const updateAllowances = statement(
  'update_allowances',
  `with changed as (
     update allowances a set spent = a.spent + d.spent, held = a.held + d.held, overrun = a.overrun + least(d.overrun, ${maxCounter} - a.overrun),
            late = a.late + least(d.late, ${maxCounter} - a.late), would_refuse = a.would_refuse + d.would_refuse, last_seq = d.seq
       from unnest($1::tid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
            as d (place, spent, held, overrun, late, would_refuse, seq)
      where a.ctid = d.place returning 1)
   select assert_rows((select count(*) from changed), cardinality($1))`,
)
const insertAllowances = statement(
  'insert_allowances',
  `insert into allowances (org_id, key, limit_id, kind, subject, unit, period_label, period_start, period_end, spent, held, overrun, late, would_refuse, last_seq)
   select * from json_to_recordset($1) as a (org_id uuid, key uuid, limit_id uuid, kind text, subject text, unit text, period_label text,
     period_start timestamptz, period_end timestamptz, spent bigint, held bigint, overrun bigint, late bigint, would_refuse bigint, last_seq bigint)`,
)
/**
 * Advances `seq` from the number that was read under the lock: where another transaction has moved it meanwhile, the lock was
 * lost.
 */
const advance = statement(
  'advance',
  `with wanted as (
     select d.seq, l.place from unnest($1::uuid[], $2::bigint[]) as d (org_id, seq) cross join lateral (
       select ctid as place from org_ledgers where org_id = d.org_id limit 1) l),
   advanced as (
     update org_ledgers l set seq = w.seq from wanted w where l.ctid = w.place and l.seq = w.seq - 1 returning 1)
   select assert_rows((select count(*) from advanced), cardinality($1))`,
)
const insertHolds = statement(
  'insert_holds',
  `insert into holds (org_id, id, state, on_expiry, held_at, expires_at, seq, amount_nano, keys, amounts, draws, inputs, key_id, grant_id, lineage_id)
   select org_id, id, 'open', on_expiry, held_at, expires_at, seq, amount_nano, keys, amounts, draws, inputs, key_id, grant_id, lineage_id
     from json_to_recordset($1) as h (org_id uuid, id uuid, on_expiry text, held_at timestamptz, expires_at timestamptz, seq bigint,
       amount_nano bigint, keys uuid[], amounts bigint[], draws smallint[], inputs json, key_id uuid, grant_id uuid, lineage_id uuid)`,
)
const changeHolds = statement(
  'change_holds',
  `with wanted as (
     select d.*, h.* from json_to_recordset($1) as d (org_id uuid, id uuid, state text, expires_at timestamptz, ended_at timestamptz,
       ended_seq bigint, charged_nano bigint, overrun_nano bigint, estimate json) cross join lateral (
       select tableoid as day, ctid as place from holds
        where org_id = d.org_id and id = d.id and (holds.state <> 'settled' or holds.estimate is not null) limit 1) h),
   changed as (
     update holds h set state = w.state, expires_at = w.expires_at, ended_at = w.ended_at, ended_seq = w.ended_seq,
            charged_nano = w.charged_nano, overrun_nano = w.overrun_nano, estimate = w.estimate
       from wanted w where h.ctid = w.place and h.tableoid = w.day returning 1)
   select assert_rows((select count(*) from changed), $2)`,
)
const raiseHolds = statement(
  'raise_holds',
  `with wanted as (
     select d.*, h.* from json_to_recordset($1) as d (org_id uuid, id uuid, expires_at timestamptz, amount_nano bigint, keys uuid[],
       amounts bigint[], draws smallint[], inputs json) cross join lateral (
       select tableoid as day, ctid as place from holds where org_id = d.org_id and id = d.id and holds.state = 'open' limit 1) h),
   raised as (
     update holds h set expires_at = w.expires_at, amount_nano = w.amount_nano, keys = w.keys, amounts = w.amounts, draws = w.draws,
            inputs = w.inputs
       from wanted w where h.ctid = w.place and h.tableoid = w.day returning 1)
   select assert_rows((select count(*) from raised), $2)`,
)
const insertMovements = statement(
  'insert_movements',
  `insert into movements (org_id, seq, idx, at, kind, hold_id, keys, d_spent, d_held, d_overrun, d_late, key_id, grant_id, actor)
   select * from json_to_recordset($1) as m (org_id uuid, seq bigint, idx integer, at timestamptz, kind text, hold_id uuid, keys uuid[],
     d_spent bigint[], d_held bigint[], d_overrun bigint[], d_late bigint[], key_id uuid, grant_id uuid, actor jsonb)`,
)
const insertBatches = statement(
  'insert_batches',
  `insert into ledger_batches (org_id, seq, at, keys, spent_after, held_after, prev_seq, decide_version)
   select * from json_to_recordset($1) as b (org_id uuid, seq bigint, at timestamptz, keys uuid[], spent_after bigint[], held_after bigint[],
     prev_seq bigint[], decide_version smallint)`,
)
const insertStoredResponses = statement(
  'insert_kept_answers',
  `insert into idempotency_keys (org_id, key, day, request_hash, claimed_at, completed_at, status, sealed)
   select org_id, key, (at at time zone 'UTC')::date, hash, at, at, status, sealed
     from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::bytea[], $5::bytea[], $6::smallint[]) as k (org_id, key, at, hash, sealed, status)
   on conflict (org_id, key, day) do update set ${reclaimAssignments}`,
)

/** Returns every statement of a batch, in the order of the locks. */
export function writeStatements(
  outcomes: readonly OrgWrites[],
  version: number,
  crossings: readonly object[],
): BoundStatement[] {
  const statements: BoundStatement[] = []
  const add = (to: Statement, rows: readonly unknown[], ...values: unknown[]) => {
    if (rows.length > 0) statements.push({ statement: to, values: [json(rows), ...values] })
  }
  const updates = outcomes.flatMap(({ decision, found, seq }) =>
    Array.from(decision.deltas).flatMap(([key, delta]) => {
      const row = found.get(key)
      return row ? [{ place: row.place, delta, seq }] : []
    }),
  )
  const column = (name: keyof Delta) => updates.map(({ delta }) => delta[name].toString())
  if (updates.length > 0)
    statements.push({
      statement: updateAllowances,
      values: [
        updates.map(({ place }) => place),
        column('spent'),
        column('held'),
        column('overrun'),
        column('late'),
        column('wouldRefuse'),
        updates.map(({ seq }) => seq.toString()),
      ],
    })
  add(insertAllowances, outcomes.flatMap(newAllowances))
  const moved = outcomes.filter(({ decision }) => decision.movements.length > 0)
  if (moved.length > 0)
    statements.push({
      statement: advance,
      values: [moved.map(({ orgId }) => orgId), moved.map(({ seq }) => seq.toString())],
    })
  add(insertHolds, outcomes.flatMap(newHolds))
  const changed = outcomes.flatMap(changedHolds)
  add(changeHolds, changed, changed.length)
  const raised = outcomes.flatMap(raisedHolds)
  add(raiseHolds, raised, raised.length)
  add(
    insertMovements,
    moved.flatMap((outcome) => outcome.decision.movements.map((movement, idx) => movementRow(outcome, movement, idx))),
  )
  add(
    insertBatches,
    moved.map(({ orgId, seq, at, found, decision: { after } }) => ({
      org_id: orgId,
      seq: seq.toString(),
      at,
      keys: array([...after.keys()]),
      spent_after: array(Array.from(after.values(), ({ spent }) => spent)),
      held_after: array(Array.from(after.values(), ({ held }) => held)),
      prev_seq: array(Array.from(after.keys(), (key) => found.get(key)?.last_seq ?? 0n)),
      decide_version: version,
    })),
  )
  add(crossingsStatement, crossings)
  const responses = outcomes.flatMap(({ orgId, at, storedResponses }) =>
    storedResponses.map((answer) => ({ orgId, at, ...answer })),
  )
  if (responses.length > 0)
    statements.push({
      statement: insertStoredResponses,
      values: [
        responses.map(({ orgId }) => orgId),
        responses.map(({ key }) => key),
        responses.map(({ at }) => at),
        responses.map(({ hash }) => hash),
        responses.map(({ sealed }) => sealed),
        responses.map(({ status }) => status),
      ],
    })
  statements.push(...runWrites(outcomes), ...reportingWrites(outcomes))
  const unclaimed = outcomes.flatMap((outcome) => outcome.unclaimed)
  // With nothing else to write the transaction is rolled back, and the claims with it.
  if (unclaimed.length > 0 && statements.length > 0) statements.push(deleteRunKeys(unclaimed))
  return statements
}

const newAllowances = ({ orgId, seq, decision, found, made }: OrgWrites) =>
  Array.from(decision.deltas).flatMap(([key, delta]) => {
    if (found.has(key)) return []
    const { limitId, kind, subject, unit, period } = made.get(key)!
    return [
      {
        org_id: orgId,
        key,
        limit_id: limitId,
        kind,
        subject,
        unit,
        period_label: period?.label ?? '',
        period_start: period && iso(period.startMs),
        period_end: period && iso(period.endMs),
        spent: delta.spent.toString(),
        held: delta.held.toString(),
        overrun: delta.overrun.toString(),
        late: delta.late.toString(),
        would_refuse: delta.wouldRefuse.toString(),
        last_seq: seq.toString(),
      },
    ]
  })

/** Returns the actor of a movement where it is not the maker, who is written anyway. */
function otherActor({ kind, madeBy, movedBy }: Movement) {
  if (movedBy) return movedBy.id === madeBy?.id ? undefined : { kind: movedBy.kind, id: makerText(movedBy) }
  return madeBy && kind === 'release' ? { kind: 'system' } : undefined
}

function movementRow({ orgId, seq, at }: OrgWrites, movement: Movement, idx: number) {
  const { kind, holdId, madeBy, changes } = movement
  const column = (name: keyof Delta) => encodeAmounts(changes.map(({ delta }) => delta[name]))
  return {
    org_id: orgId,
    seq: seq.toString(),
    idx,
    at,
    kind,
    hold_id: holdId,
    keys: array(changes.map(({ key }) => key)),
    d_spent: column('spent'),
    d_held: column('held'),
    d_overrun: column('overrun'),
    d_late: column('late'),
    ...makerIdColumns(madeBy),
    actor: otherActor(movement),
  }
}
