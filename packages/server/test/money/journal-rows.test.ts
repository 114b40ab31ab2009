import fc from 'fast-check'
import { sql as raw } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { journalWrite } from '../../src/decisions/lanes/journal-writes.ts'
import type { OrgWrites } from '../../src/decisions/lanes/org-writes.ts'
import type { Movement } from '../../src/money/engine/engine.ts'
import { readBatches } from '../../src/money/ledger/journal-queries.ts'
import { decodeAmounts, type MovementRow, movementsInOrder } from '../../src/money/ledger/ledger.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { openSql, type Tx } from '../../src/platform/infra/sql.ts'
import { secret } from '../../src/values/secret.ts'
import { useDatabase } from '../support/harness.ts'

const database = useDatabase()
const query = async (text: string, values: unknown[] = []) =>
  (await database.owner.query<MovementRow>(text, values)).rows
const write = (batch: readonly OrgWrites[]) => {
  const { statement, values } = journalWrite(batch, 1)
  return query(statement.text, [...(values ?? [])])
}

beforeEach(() => query('truncate ledger_batches, movement_rows'))

const ids = Array.from({ length: 6 }, (_, i) => `0192f000-0000-7000-8000-00000000000${i}`)
const id = fc.constantFrom(...ids)
const maker = fc.record({ kind: fc.constantFrom('key' as const, 'support' as const), id, lineageId: id })
const amount = fc.constantFrom(0n, 1n, 2n ** 62n, -5n)
const delta = fc.record({ spent: amount, held: amount, overrun: amount, late: amount, wouldRefuse: fc.constant(0n) })
const keyLists = fc.oneof(fc.constant(ids.slice(0, 3)), fc.shuffledSubarray(ids), fc.constant([]))
/** Movements of which each changes its keys by the same, or by whatever it is. */
const movement: fc.Arbitrary<Movement> = fc
  .tuple(keyLists, fc.boolean(), fc.array(delta, { minLength: ids.length, maxLength: ids.length }))
  .chain(([keys, isEven, deltas]) =>
    fc.record({
      kind: fc.constantFrom('hold' as const, 'settle' as const, 'release' as const, 'charge' as const),
      holdId: fc.option(id),
      madeBy: fc.option(maker, { nil: undefined }),
      movedBy: fc.option(maker, { nil: undefined }),
      changes: fc.constant(keys.map((key, i) => ({ key, delta: deltas[isEven ? 0 : i]! }))),
    }),
  )
const movementsOfOrgs = fc.array(fc.array(movement, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 })

/** The part of an organization in a batch, as far as the journal writes it. */
function writesOf(movements: readonly Movement[], i: number) {
  const keys = new Set(movements.flatMap(({ changes }) => changes.map(({ key }) => key)))
  const after = new Map(Array.from(keys, (key) => [key, { spent: 1n, held: 2n, overrun: 0n, late: 0n }]))
  const decision = { movements, after } as unknown as OrgWrites['decision']
  return { orgId: ids[i]!, seq: 7n, atMs: Date.now(), found: new Map(), decision } as unknown as OrgWrites
}

/** What a reader of the journal has to find of a movement. */
const expected = ({ kind, holdId, madeBy, movedBy, changes }: Movement, idx: number) => ({
  idx,
  kind,
  hold_id: holdId,
  key_id: madeBy?.kind === 'key' ? madeBy.id : null,
  grant_id: madeBy?.kind === 'support' ? madeBy.id : null,
  isMovedByAnother: movedBy ? movedBy.id !== madeBy?.id : madeBy !== undefined && kind === 'release',
  changes: changes.map(({ key, delta: { spent, held, overrun, late } }) => [key, spent, held, overrun, late]),
})

const found = (row: MovementRow) => {
  const columns = [row.d_spent, row.d_held, row.d_overrun, row.d_late].map((column) => decodeAmounts(column, row.keys))
  return {
    idx: row.idx,
    kind: row.kind,
    hold_id: row.hold_id,
    key_id: row.key_id,
    grant_id: row.grant_id,
    isMovedByAnother: row.actor !== null,
    changes: row.keys.map((key, i) => [key, ...columns.map((column) => column[i])]),
  }
}

/** Reads as the program does, for the first organization. */
async function asFirstOrg<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  const log = createLog({ level: 'fatal', role: 'test' })
  const sql = openSql({ url: secret(database.appUrl), maxConnections: 1, applicationName: 'test', log })
  try {
    return await sql.asOrgs([ids[0]!], work)
  } finally {
    await sql.close()
  }
}

/** Gives rows the form that they had before the migration 0074, and have where the version before it wrote them. */
const asBefore = `
  update ledger_batches b
     set key_places = coalesce(key_places, '{}'), d_spent = coalesce(d_spent, '{}'), d_held = coalesce(d_held, '{}'),
         d_overrun = coalesce(d_overrun, '{}'), d_late = coalesce(d_late, '{}'), made_by_keys = coalesce(made_by_keys, '{}'),
         made_by_grants = coalesce(made_by_grants, '{}'), actors = coalesce(actors, '{}'),
         key_ends = coalesce(key_ends, array(select i * cardinality(b.keys) from generate_series(1, cardinality(b.hold_ids)) i))`

test('a page begins at its position in the indexes of both places, and sorts no more than a batch', async () => {
  const page = movementsInOrder(raw`seq, idx`, [raw`org_id = ${ids[0]}`], {
    after: { seq: 5, idx: 3 },
    descending: false,
    most: 50,
  })
  const plan = await asFirstOrg(async (tx) => {
    // What it chooses for a large table.
    await raw`select set_config(name, 'off', true) from unnest(array['enable_seqscan', 'enable_bitmapscan', 'enable_sort']) name`.execute(
      tx,
    )
    const { rows } = await raw<{ 'QUERY PLAN': string }>`explain (costs off) ${page}`.execute(tx)
    return rows.map((row) => row['QUERY PLAN'])
  })
  const looks = plan.filter((line) => line.includes('Index Cond'))
  expect(looks.length).toBeGreaterThan(2)
  expect(looks.filter((line) => !line.includes('(seq >= '))).toEqual([])
  expect(plan.map((line) => line.trim())).toContain('Presorted Key: b.seq')
  expect(plan.filter((line) => line.endsWith('->  Sort'))).toEqual([])
})

test('a page of batches ends with the one that reaches its bound of movements, so that no check holds its transaction for long', async () => {
  const sizes = [3, 3, 9, 1, 1]
  const movements = fc.sample(movement, { numRuns: 9, seed: 1 })
  for (const [i, size] of sizes.entries())
    await write([{ ...writesOf(movements.slice(0, size), 0), seq: BigInt(i + 1) }])
  const page = (after: bigint, mostBatches = 100) =>
    asFirstOrg(async (tx) => {
      const { rows, isMore } = await readBatches(tx, ids[0]!, { after, mostBatches, mostMovements: 5 })
      return [rows.map(({ seq }) => seq), isMore]
    })
  expect(await page(0n)).toEqual([[1n, 2n], true])
  expect(await page(2n)).toEqual([[3n], true])
  expect(await page(3n)).toEqual([[4n, 5n], false])
  expect(await page(3n, 1)).toEqual([[4n], true])
  expect(await page(5n)).toEqual([[], false])

  // As the version before writes the first two: movements are rows of their own.
  await query(`
    insert into movement_rows (org_id, seq, idx, at, kind, keys, d_spent, d_held, d_overrun, d_late)
    select org_id, seq, idx, at, kind, keys, d_spent, d_held, d_overrun, d_late from movements where seq < 3`)
  await query('update ledger_batches set hold_ids = null where seq < 3')
  expect(await page(0n)).toEqual([[1n, 2n], true])
  expect(await page(1n)).toEqual([[2n, 3n], true])
})

test('whatever moves in a batch is read from its row as it was, with empty arrays as with nulls', async () => {
  const checkRows = async (orgs: readonly (readonly Movement[])[]) => {
    for (const [i, movements] of orgs.entries()) {
      const rows = await query('select * from movements where org_id = $1 order by seq, idx', [ids[i]])
      expect(rows.map(found)).toEqual(movements.map(expected))
    }
  }
  const check = fc.asyncProperty(movementsOfOrgs, async (orgs) => {
    await query('truncate ledger_batches')
    await write(orgs.map(writesOf))
    await checkRows(orgs)
    await query(asBefore)
    await checkRows(orgs)
  })
  await fc.assert(check, { numRuns: 200 })
})

describe('the version before', () => {
  const [org, hold] = ids
  /** As it writes one. */
  const insert = (seq: number) =>
    query(
      `insert into movements (org_id, seq, idx, at, kind, hold_id, keys, d_spent, d_held, d_overrun, d_late, key_id, grant_id, actor)
       select $1, $2, 0, clock_timestamp(), 'hold', $3, array[$3::uuid], '{}', '{1}', '{}', '{}', $3, null, null returning seq, keys`,
      [org, seq, hold],
    )

  test('finds days for its movements by the name that it knows, and reads them among those of this one', async () => {
    const day = ['20990101', '2099-01-01', '2099-01-02']
    await query('select create_partition($1, $2, $3, $4)', ['movements', ...day])
    await query('select create_partition($1, $2, $3, $4)', ['movement_rows', ...day])
    expect(await query(`select to_regclass('movement_rows_20990101')::text as kind`)).toEqual([
      { kind: 'movement_rows_20990101' },
    ])
    expect(await insert(6)).toMatchObject([{ keys: [hold] }])
    const own = { kind: 'charge', holdId: null, changes: [] } as const
    await write([writesOf([own, own], 0)])
    await insert(8)
    const rows = await query('select seq::int, idx, kind from movements where org_id = $1 order by seq, idx', [org])
    expect(rows.map(({ seq, idx, kind }) => `${seq}.${idx} ${kind}`)).toEqual([
      '6.0 hold',
      '7.0 charge',
      '7.1 charge',
      '8.0 hold',
    ])
  })
})
