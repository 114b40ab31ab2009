import { makerText } from '../../access/identity/identity.ts'
import type { BatchDecision, Delta, Movement } from '../../money/engine/engine.ts'
import {
  bigintArray,
  booleanArray,
  integerArray,
  textArray,
  timeArray,
  uuidArray,
} from '../../platform/infra/binary-arrays.ts'
import { type BoundStatement, statement } from '../../platform/infra/pipelined-connection.ts'
import { Slices } from '../../platform/infra/slices.ts'
import { present } from '../../values/present.ts'
import { compact, idOfMaker } from './hold-writes.ts'
import type { OrgWrites } from './org-writes.ts'

const insertBatches = statement(
  'insert_batches',
  `insert into ledger_batches (org_id, seq, at, decide_version, keys, spent_after, held_after, prev_seq, hold_ids, key_ends, kinds, key_places,
                               changes_by_key, d_spent, d_held, d_overrun, d_late, made_by_keys, made_by_grants, actors)
   select org_id, seq, at, $4, ($5::uuid[])[key_1:key_n], ($8::bigint[])[key_1:key_n], ($9::bigint[])[key_1:key_n], ($10::bigint[])[key_1:key_n],
          ($11::uuid[])[hold_1:hold_n], nullif(($14::integer[])[end_1:end_n], '{}'), ($17::text[])[kind_1:kind_n],
          nullif(($20::integer[])[place_1:place_n], '{}'), changes_by_key, nullif(($24::bigint[])[spent_1:spent_n], '{}'),
          nullif(($27::bigint[])[held_1:held_n], '{}'), nullif(($30::bigint[])[overrun_1:overrun_n], '{}'),
          nullif(($33::bigint[])[late_1:late_n], '{}'), nullif(($36::uuid[])[maker_1:maker_n], '{}'),
          nullif(($39::uuid[])[grant_1:grant_n], '{}'), nullif(($42::text[])[actor_1:actor_n], '{}')::jsonb[]
     from unnest($1::uuid[], $2::bigint[], $3::timestamptz[], $6::integer[], $7::integer[], $12::integer[], $13::integer[], $15::integer[],
                 $16::integer[], $18::integer[], $19::integer[], $21::integer[], $22::integer[], $23::boolean[], $25::integer[], $26::integer[],
                 $28::integer[], $29::integer[], $31::integer[], $32::integer[], $34::integer[], $35::integer[], $37::integer[], $38::integer[],
                 $40::integer[], $41::integer[], $43::integer[], $44::integer[])
          as b (org_id, seq, at, key_1, key_n, hold_1, hold_n, end_1, end_n, kind_1, kind_n, place_1, place_n, changes_by_key, spent_1, spent_n,
                held_1, held_n, overrun_1, overrun_n, late_1, late_n, maker_1, maker_n, grant_1, grant_n, actor_1, actor_n)`,
)

/** Returns the statement that writes the journal of organizations whose money has moved: movements, and what each batch left behind. */
export function journalWrite(moved: readonly OrgWrites[], version: number): BoundStatement {
  const changes = moved.map(({ decision }) => changesIn(decision))
  const balances = moved.flatMap(({ found, decision }) =>
    Array.from(decision.after, ([key, { spent, held }]) => ({ spent, held, previous: found.get(key)?.last_seq ?? 0n })),
  )
  const ofMovements = <T>(
    encode: (values: readonly (T | null)[]) => Buffer,
    valueOf: (movement: Movement) => T | null,
  ) => slices(encode, moved, ({ decision }) => compact(decision.movements.map(valueOf)))
  return {
    statement: insertBatches,
    values: [
      uuidArray(moved.map(({ orgId }) => orgId)),
      bigintArray(moved.map(({ seq }) => seq)),
      timeArray(moved.map(({ atMs }) => atMs)),
      version,
      ...slices(uuidArray, moved, ({ decision }) => [...decision.after.keys()]),
      bigintArray(balances.map(({ spent }) => spent)),
      bigintArray(balances.map(({ held }) => held)),
      bigintArray(balances.map(({ previous }) => previous)),
      ...slices(uuidArray, moved, ({ decision }) => decision.movements.map(({ holdId }) => holdId)),
      ...slices(integerArray, changes, ({ ends }) => ends),
      ...ofMovements(textArray, ({ kind }) => kind),
      ...slices(integerArray, changes, ({ places }) => places),
      booleanArray(changes.map(({ areByKey }) => areByKey)),
      ...counted.flatMap((name) => slices(bigintArray, changes, ({ amountsOf }) => amountsOf(name))),
      ...ofMovements(uuidArray, ({ madeBy }) => idOfMaker('key', madeBy)),
      ...ofMovements(uuidArray, ({ madeBy }) => idOfMaker('support', madeBy)),
      ...ofMovements(textArray, otherActor),
    ],
  }
}

function slices<Row, T>(
  encode: (values: readonly T[]) => Buffer,
  rows: readonly Row[],
  valuesOf: (row: Row) => readonly T[],
) {
  const values = new Slices<T>()
  for (const row of rows) values.add(valuesOf(row))
  return values.parameters(encode)
}

/** Amounts that a movement records of a change, in the order of the columns. */
const counted = ['spent', 'held', 'overrun', 'late'] as const satisfies readonly (keyof Delta)[]

/**
 * Returns what movements change, as the row of their batch has it: the places of their keys among those of the batch, and where each
 * movement's end, but neither where each changes all keys in their order; amounts by key, or by movement where each changes its keys by the
 * same, but none where all are 0.
 */
function changesIn({ movements, after }: BatchDecision) {
  const placeOf = new Map(Array.from(after.keys(), (key, i) => [key, i + 1]))
  const places: number[] = []
  const ends: number[] = []
  let [areAll, areByKey] = [true, false]
  for (const { changes } of movements) {
    for (const [i, { key, delta }] of changes.entries()) {
      const place = present(placeOf.get(key))
      places.push(place)
      areAll &&= place === i + 1
      areByKey ||= counted.some((name) => delta[name] !== changes[0]?.delta[name])
    }
    areAll &&= changes.length === after.size
    ends.push(places.length)
  }
  const amountsOf = (name: keyof Delta) => {
    const amounts = movements.flatMap(({ changes }) =>
      areByKey ? changes.map(({ delta }) => delta[name]) : (changes[0]?.delta[name] ?? 0n),
    )
    return amounts.some((amount) => amount !== 0n) ? amounts : []
  }
  return { ...(areAll ? { places: [], ends: [] } : { places, ends }), areByKey, amountsOf }
}

/** Returns the actor of a movement, as JSON, where it is not the maker, who is written anyway. */
function otherActor({ kind, madeBy, movedBy }: Movement): string | null {
  if (movedBy) return movedBy.id === madeBy?.id ? null : JSON.stringify({ kind: movedBy.kind, id: makerText(movedBy) })
  return madeBy && kind === 'release' ? JSON.stringify({ kind: 'system' }) : null
}
