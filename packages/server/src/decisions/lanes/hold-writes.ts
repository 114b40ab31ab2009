import type { Maker, MakerId } from '../../access/identity/identity.ts'
import type { Hold, NewHold } from '../../money/engine/engine.ts'
import { encodeHold, type LimitKind } from '../../money/ledger/ledger.ts'
import { kindOf } from '../../money/limit-kinds.ts'
import { bigintArray, smallintArray, textArray, timeArray, uuidArray } from '../../platform/infra/binary-arrays.ts'
import { type BoundStatement, statement } from '../../platform/infra/pipelined-connection.ts'
import { Slices } from '../../platform/infra/slices.ts'
import type { OrgWrites } from './org-writes.ts'

/** Statements that write the holds of a batch. */

const insertStatement = statement(
  'insert_holds',
  `insert into holds (org_id, id, state, on_expiry, held_at, expires_at, seq, amount_nano, keys, amounts, draws, inputs, key_id, grant_id, lineage_id)
   select org_id, id, 'open', on_expiry, held_at, expires_at, seq, amount_nano, ($8::uuid[])[key_1:key_n], ($11::bigint[])[amount_1:amount_n],
          ($14::smallint[])[draw_1:draw_n], inputs::json, key_id, grant_id, lineage_id
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::bigint[], $7::bigint[], $9::integer[], $10::integer[],
                 $12::integer[], $13::integer[], $15::integer[], $16::integer[], $17::text[], $18::uuid[], $19::uuid[], $20::uuid[])
          as h (org_id, id, on_expiry, held_at, expires_at, seq, amount_nano, key_1, key_n, amount_1, amount_n, draw_1, draw_n, inputs, key_id, grant_id, lineage_id)`,
)
const changeStatement = statement(
  'change_holds',
  `with wanted as (
     select d.*, h.* from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::bigint[], $7::bigint[], $8::bigint[], $9::text[])
            as d (org_id, id, state, expires_at, ended_at, ended_seq, charged_nano, overrun_nano, estimate) cross join lateral (
       select tableoid as day, ctid as place from holds
        where org_id = d.org_id and id = d.id and (holds.state <> 'settled' or holds.estimate is not null) limit 1) h),
   changed as (
     update holds h set state = w.state, expires_at = w.expires_at, ended_at = w.ended_at, ended_seq = w.ended_seq,
            charged_nano = w.charged_nano, overrun_nano = w.overrun_nano, estimate = w.estimate::json
       from wanted w where h.ctid = w.place and h.tableoid = w.day returning 1)
   select assert_rows((select count(*) from changed), cardinality($1))`,
)
const raiseStatement = statement(
  'raise_holds',
  `with wanted as (
     select d.org_id, d.id, d.expires_at, d.amount_nano, d.inputs, ($5::uuid[])[key_1:key_n] as keys, ($8::bigint[])[amount_1:amount_n] as amounts,
            ($11::smallint[])[draw_1:draw_n] as draws, h.*
       from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::bigint[], $6::integer[], $7::integer[], $9::integer[], $10::integer[],
                   $12::integer[], $13::integer[], $14::text[])
            as d (org_id, id, expires_at, amount_nano, key_1, key_n, amount_1, amount_n, draw_1, draw_n, inputs) cross join lateral (
       select tableoid as day, ctid as place from holds where org_id = d.org_id and id = d.id and holds.state = 'open' limit 1) h),
   raised as (
     update holds h set expires_at = w.expires_at, amount_nano = w.amount_nano, keys = w.keys, amounts = w.amounts, draws = w.draws,
            inputs = w.inputs::json
       from wanted w where h.ctid = w.place and h.tableoid = w.day returning 1)
   select assert_rows((select count(*) from raised), cardinality($1))`,
)

/** Encodes a column of an array: a value that is the same throughout is written once, and nothing not at all. */
export function compact<T>(values: readonly T[], nothing: T | null = null): readonly T[] {
  const [first] = values
  if (first === undefined) return values
  for (const value of values) if (value !== first) return values
  return first === nothing ? [] : [first]
}
const compactAmounts = (amounts: readonly bigint[]) => compact(amounts, 0n)
const compactDraws = (draws: readonly number[]) => (draws.some((draw) => draw !== 0) ? draws : [])

/** Returns the statements that insert, end, extend and raise the holds of a batch. */
export function holdWrites(outcomes: readonly OrgWrites[]): BoundStatement[] {
  const rowsOf = <T extends Hold>(
    name: 'newHolds' | 'changedHolds' | 'raisedHolds',
    holdsIn: (of: OrgWrites) => readonly T[],
  ) =>
    outcomes.some(({ decision }) => decision[name].length > 0)
      ? outcomes.flatMap((outcome) => holdsIn(outcome).map((hold) => ({ outcome, hold })))
      : []
  const added = rowsOf('newHolds', ({ decision }) => decision.newHolds)
  const changed = rowsOf('changedHolds', ({ decision }) => withoutRaised(decision))
  const raised = rowsOf('raisedHolds', ({ decision }) => decision.raisedHolds)
  return [
    ...(added.length > 0 ? [insertHolds(added)] : []),
    ...(changed.length > 0 ? [changeHolds(changed)] : []),
    ...(raised.length > 0 ? [raiseHolds(raised)] : []),
  ]
}

type Rows<T> = readonly { readonly outcome: OrgWrites; readonly hold: T }[]

const insertHolds = (rows: Rows<NewHold>): BoundStatement => ({
  statement: insertStatement,
  values: [
    uuidArray(rows.map(({ outcome }) => outcome.orgId)),
    uuidArray(rows.map(({ hold }) => hold.id)),
    textArray(rows.map(({ hold }) => hold.onExpiry)),
    timeArray(rows.map(({ outcome }) => outcome.atMs)),
    timeArray(rows.map(({ hold }) => hold.expiresAtMs)),
    bigintArray(rows.map(({ outcome }) => outcome.seq)),
    bigintArray(rows.map(({ hold }) => hold.amountNano)),
    ...heldOn(rows),
    textArray(rows.map(({ hold }) => payloadOf(hold))),
    uuidArray(rows.map(({ hold }) => idOfMaker('key', hold.madeBy))),
    uuidArray(rows.map(({ hold }) => idOfMaker('support', hold.madeBy))),
    uuidArray(rows.map(({ hold }) => otherLineage(hold.madeBy))),
  ],
})

const changeHolds = (rows: Rows<Hold>): BoundStatement => ({
  statement: changeStatement,
  values: [
    uuidArray(rows.map(({ outcome }) => outcome.orgId)),
    uuidArray(rows.map(({ hold }) => hold.id)),
    textArray(rows.map(({ hold }) => hold.state)),
    timeArray(rows.map(({ hold }) => hold.expiresAtMs)),
    timeArray(rows.map(({ outcome, hold }) => (hold.state === 'open' ? null : outcome.atMs))),
    bigintArray(rows.map(({ outcome, hold }) => (hold.state === 'open' ? null : outcome.seq))),
    bigintArray(rows.map(({ hold }) => hold.chargedNano)),
    bigintArray(rows.map(({ hold }) => hold.overrunNano)),
    textArray(rows.map(({ hold: { estimate } }) => (estimate ? storedEstimate(estimate) : null))),
  ],
})

const raiseHolds = (rows: Rows<NewHold>): BoundStatement => ({
  statement: raiseStatement,
  values: [
    uuidArray(rows.map(({ outcome }) => outcome.orgId)),
    uuidArray(rows.map(({ hold }) => hold.id)),
    timeArray(rows.map(({ hold }) => hold.expiresAtMs)),
    bigintArray(rows.map(({ hold }) => hold.amountNano)),
    ...heldOn(rows),
    textArray(rows.map(({ hold }) => payloadOf(hold))),
  ],
})

/** Parameters that say what holds are made on: keys, amounts and draws, each with the first and last index of every hold. */
function heldOn(rows: Rows<Hold>): Buffer[] {
  const keys = new Slices<string>()
  const amounts = new Slices<bigint>()
  const draws = new Slices<number>()
  for (const { hold } of rows) {
    keys.add(hold.keys)
    amounts.add(compactAmounts(hold.amounts))
    draws.add(compactDraws(hold.draws))
  }
  return [...keys.parameters(uuidArray), ...amounts.parameters(bigintArray), ...draws.parameters(smallintArray)]
}

const storedEstimate = (estimate: NonNullable<Hold['estimate']>) =>
  JSON.stringify({ ...estimate, costs: estimate.costs.map(String) })

/** The JSON that explains a hold. */
const payloadOf = ({ checks, inputs }: NewHold) =>
  JSON.stringify(
    encodeHold(
      inputs,
      checks.map(({ allowance: { limit, kind, thresholds }, spent, held }) => ({
        limit,
        spent,
        held,
        // At the end of the hold its events use the thresholds of its beginning.
        thresholds: thresholds.length > 0 && isWithoutCachedThresholds(kindOf(kind)) ? thresholds : [],
      })),
    ),
  )

/** True for kinds whose thresholds were set with a limit that no process caches. */
const isWithoutCachedThresholds = ({ source, thresholds }: LimitKind) => source === 'row' && thresholds === 'configured'

/** Returns the id of a maker of one kind, and null for any other. */
export const idOfMaker = (kind: MakerId['kind'], maker: MakerId | undefined) => (maker?.kind === kind ? maker.id : null)

/** Returns the lineage of a maker where it is not the maker itself. */
const otherLineage = (maker: Maker | undefined) => (maker && maker.lineageId !== maker.id ? maker.lineageId : null)

/** A raised hold is written as a whole. */
function withoutRaised({ changedHolds: changed, raisedHolds }: OrgWrites['decision']): readonly Hold[] {
  if (raisedHolds.length === 0) return changed
  const raised = new Set(raisedHolds.map(({ id }) => id))
  return changed.filter(({ id }) => !raised.has(id))
}
