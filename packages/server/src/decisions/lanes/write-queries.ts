import { reclaimAssignments } from '../../access/idempotency/idempotency.ts'
import type { Delta } from '../../money/engine/engine.ts'
import { crossingsStatement, maxCounter } from '../../money/ledger/ledger.ts'
import { bigintArray, placeArray, uuidArray } from '../../platform/infra/binary-arrays.ts'
import { type BoundStatement, statement } from '../../platform/infra/pipelined-connection.ts'
import { deleteRunKeys } from '../../records/run-log/run-log.ts'
import { present } from '../../values/present.ts'
import { holdWrites } from './hold-writes.ts'
import { journalWrite } from './journal-writes.ts'
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
  const moved = outcomes.filter(({ decision }) => decision.movements.length > 0)
  const statements = [
    ...allowanceWrites(outcomes),
    ...(moved.length > 0 ? [advanceLedgers(moved)] : []),
    ...holdWrites(outcomes),
    ...(moved.length > 0 ? [journalWrite(moved, version)] : []),
    ...(crossings.length > 0 ? [{ statement: crossingsStatement, values: [json(crossings)] }] : []),
    ...responseWrites(outcomes),
    ...runWrites(outcomes),
    ...reportingWrites(outcomes),
  ]
  const unclaimed = outcomes.flatMap((outcome) => outcome.unclaimed)
  // With nothing else to write the transaction is rolled back, and the claims with it.
  if (unclaimed.length > 0 && statements.length > 0) statements.push(deleteRunKeys(unclaimed))
  return statements
}

function allowanceWrites(outcomes: readonly OrgWrites[]): BoundStatement[] {
  const updates: { readonly place: string; readonly delta: Delta; readonly seq: bigint }[] = []
  const added: object[] = []
  for (const outcome of outcomes) {
    for (const [key, delta] of outcome.decision.deltas) {
      const row = outcome.found.get(key)
      if (row) updates.push({ place: row.place, delta, seq: outcome.seq })
      else added.push(newAllowance(outcome, key, delta))
    }
  }
  const column = (name: keyof Delta) => bigintArray(updates.map(({ delta }) => delta[name]))
  const update = {
    statement: updateAllowances,
    values: [
      placeArray(updates.map(({ place }) => place)),
      column('spent'),
      column('held'),
      column('overrun'),
      column('late'),
      column('wouldRefuse'),
      bigintArray(updates.map(({ seq }) => seq)),
    ],
  }
  return [
    ...(updates.length > 0 ? [update] : []),
    ...(added.length > 0 ? [{ statement: insertAllowances, values: [json(added)] }] : []),
  ]
}

const advanceLedgers = (moved: readonly OrgWrites[]): BoundStatement => ({
  statement: advance,
  values: [uuidArray(moved.map(({ orgId }) => orgId)), bigintArray(moved.map(({ seq }) => seq))],
})

function responseWrites(outcomes: readonly OrgWrites[]): BoundStatement[] {
  const responses = outcomes.flatMap(({ orgId, at, storedResponses }) =>
    storedResponses.map((answer) => ({ orgId, at, ...answer })),
  )
  if (responses.length === 0) return []
  const values = [
    responses.map(({ orgId }) => orgId),
    responses.map(({ key }) => key),
    responses.map(({ at }) => at),
    responses.map(({ hash }) => hash),
    responses.map(({ sealed }) => sealed),
    responses.map(({ status }) => status),
  ]
  return [{ statement: insertStoredResponses, values }]
}

function newAllowance({ seq, made, orgId }: OrgWrites, key: string, delta: Delta) {
  const { limitId, kind, subject, unit, period } = present(made.get(key))
  return {
    org_id: orgId,
    key,
    limit_id: limitId,
    kind,
    subject,
    unit,
    period_label: period?.label ?? '',
    period_start: period && new Date(period.startMs),
    period_end: period && new Date(period.endMs),
    spent: delta.spent.toString(),
    held: delta.held.toString(),
    overrun: delta.overrun.toString(),
    late: delta.late.toString(),
    would_refuse: delta.wouldRefuse.toString(),
    last_seq: seq.toString(),
  }
}
