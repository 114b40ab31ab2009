import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Platform } from '../../platform/infra/platform.ts'
import { notifyAccessChange, waitUntilAppliedEverywhere } from '../../platform/nodes/nodes.ts'
import { one } from '../../values/present.ts'
import type { MoveSource, RowBatch } from './mover.ts'
import { afterClaim, afterStep, type SourceRecord, type SourceStep } from './protocol.ts'
import { readMove, sourceRecordOf, writeSource } from './record-queries.ts'
import { countTable, sumTables, within } from './sum-queries.ts'
import { isSent, type MovedTable } from './tables.ts'

/** Thrown where a move is not in the state that a step needs, or is carried out by another process. */
export class StepRefused extends Error {
  override readonly name = 'StepRefused'
}

/** Rows of one message, and the size at which it ends before. */
const pageRows = 2_000
const pageBytes = 4_194_304
/** Changes of one round: many are of the same rows, which are copied once. */
const changesPerRound = 20_000
const changedAtOnce = 1_000
/** Time that a transaction has to end in which the organization was still open; then it is ended. */
const drainMs = 2_000
const drainPollMs = 5
const gateLock = 1_464_158_530

const quoted = pg.escapeIdentifier

/** Waits for the transactions that have found an organization in an earlier state; those that take longer are ended, where `isForced`. */
export async function drainWriters(pool: pg.Pool, org: string, isForced: boolean) {
  const holding = `select l.pid, l.virtualtransaction as transaction from pg_locks l
    where l.locktype = 'advisory' and l.database = (select oid from pg_database where datname = current_database())
      and l.classid = ${gateLock} and l.objid = org_gate($1) and l.objsubid = 2 and l.pid <> pg_backend_pid()`
  const nameOf = ({ pid, transaction }: { pid: number; transaction: string }) => `${pid} ${transaction}`
  type Holder = { readonly pid: number; readonly transaction: string }
  const { rows: first } = await pool.query<Holder>(holding, [org])
  const fromMs = performance.now()
  let left = new Map(first.map((holder) => [nameOf(holder), holder.pid]))
  while (left.size > 0) {
    await sleep(drainPollMs)
    const { rows } = await pool.query<Holder>(holding, [org])
    const still = new Set(rows.map(nameOf))
    left = new Map([...left].filter(([name]) => still.has(name)))
    if (isForced && performance.now() - fromMs > drainMs)
      for (const pid of left.values()) await pool.query('select pg_terminate_backend($1)', [pid])
  }
}

interface PageRow {
  readonly row: string
  readonly key: readonly string[]
}

/** Opens an organization's side of a move that is recorded. */
export function openSource(platform: Platform, pool: pg.Pool, org: string, tables: readonly MovedTable[]): MoveSource {
  const { sql } = platform

  /** Changes the record under its lock, if the rules allow it. */
  async function change(
    decide: (record: SourceRecord) => SourceRecord | undefined,
    refusal: string,
  ): Promise<SourceRecord> {
    let isAccessChanged = false
    const [record, version] = await within(pool, { org }, async (client) => {
      const row = await readMove(client, org, true)
      const before = row?.direction === 'out' ? sourceRecordOf(row) : undefined
      const after = before && decide(before)
      if (!before || !after) throw new StepRefused(refusal)
      await writeSource(client, after)
      isAccessChanged = after.state !== before.state
      if (after.state === 'frozen' && isAccessChanged) await endGrants(client, after)
      if (!isAccessChanged) return [after, undefined] as const
      const { rows } = await client.query<{ version: bigint }>('select record_access_change($1) as version', [org])
      return [after, one(rows).version] as const
    })
    if (version !== undefined) {
      await notifyAccessChange(sql)
      await waitUntilAppliedEverywhere(sql, version)
    }
    return record
  }

  /** Ends support access: it hangs on keys of operators, which stay. */
  async function endGrants(client: pg.PoolClient, { move }: SourceRecord) {
    await client.query(`select set_config('app.move', $1, true)`, [move])
    await client.query(
      `update support_grants set revoked_at = clock_timestamp(), revoked_by = $2, updated_at = clock_timestamp()
        where org_id = $1 and revoked_at is null and expires_at > clock_timestamp()`,
      [org, JSON.stringify({ kind: 'system', id: 'move', role: 'operator' })],
    )
    await client.query(`select set_config('app.move', '', true)`)
  }

  const step = (name: SourceStep, term: bigint) =>
    change((record) => afterStep(record, name, term), `The move cannot ${name} now, or another process carries it out.`)

  async function own(term: bigint) {
    const row = await readMove(pool, org)
    if (row?.direction !== 'out' || row.term !== term) throw new StepRefused('Another process carries the move out.')
    return row
  }

  /** Returns a page of a table after a key. */
  async function readPage(
    client: pg.PoolClient,
    { name, org: column, keys }: MovedTable,
    after: readonly string[] | undefined,
  ) {
    const list = keys.map((key) => `t.${quoted(key.name)}`)
    const place = keys.map(({ type }, i) => `$${i + 2}::${type}`)
    const beyond = after && keys.length > 0 ? `and (${list.join(', ')}) > (${place.join(', ')})` : ''
    const { rows } = await client.query<PageRow>(
      `select t::text as row, array[${list.map((key) => `${key}::text`).join(', ')}]::text[] as key from ${quoted(name)} t
        where t.${column} = $1 ${beyond} ${list.length > 0 ? `order by ${list.join(', ')}` : ''} limit ${pageRows}`,
      [org, ...(beyond === '' ? [] : (after ?? []))],
    )
    let bytes = 0
    const fitting = rows.filter(({ row }, i) => (bytes += row.length) <= pageBytes || i === 0)
    return { rows: fitting, isLast: fitting.length === rows.length && rows.length < pageRows }
  }

  return {
    claim: () =>
      change(
        (record) => (record.state === 'cancelled' ? undefined : afterClaim(record)),
        'No move of the organization is underway.',
      ),

    nextPage: async (term) => {
      const { progress } = await own(term)
      const cursors = { ...progress.cursors }
      for (const table of tables) {
        if (table.rule !== 'ahead' || cursors[table.name] === null) continue
        const page = await within(pool, { org, isSnapshot: true }, (client) =>
          readPage(client, table, cursors[table.name] ?? undefined),
        )
        if (page.rows.length === 0) {
          cursors[table.name] = null
          continue
        }
        const last = page.isLast || table.keys.length === 0 ? null : (page.rows.at(-1)?.key ?? null)
        const keep = async () => {
          await own(term)
          await pool.query(`update org_moves set progress = $3 where moved_org = $1 and term = $2`, [
            org,
            term,
            JSON.stringify({
              cursors: { ...cursors, [table.name]: last },
              rows: (progress.rows ?? 0) + page.rows.length,
            }),
          ])
        }
        return { batch: { table: table.name, rows: page.rows.map(({ row }) => row), gone: [] }, keep }
      }
      return undefined
    },

    nextChanges: async (term) => {
      await own(term)
      return within(pool, { org, isSnapshot: true }, async (client) => {
        const { rows: changes } = await client.query<{ id: bigint; table_name: string; key: string }>(
          'select id, table_name, key::text as key from org_move_changes where moved_org = $1 order by id limit $2',
          [org, changesPerRound],
        )
        if (changes.length === 0) return undefined
        const keysOf = Map.groupBy(changes, ({ table_name }) => table_name)
        const batches: RowBatch[] = []
        for (const table of tables) {
          const changed = table.rule === 'ahead' ? keysOf.get(table.name) : undefined
          const wanted = [...new Set(changed?.map(({ key }) => key))]
          for (let from = 0; from < wanted.length; from += changedAtOnce)
            batches.push(...(await readChanged(client, org, table, wanted.slice(from, from + changedAtOnce))))
        }
        const forget = async () => {
          await own(term)
          await forgetChanges(
            pool,
            org,
            changes.map(({ id }) => id),
          )
        }
        // Removed rows go when all others are there, children first.
        const removals = batches.filter(({ gone }) => gone.length > 0).toReversed()
        return {
          batches: [...batches.filter(({ rows }) => rows.length > 0), ...removals],
          count: changes.length,
          forget,
        }
      })
    },

    rest: async (term) => {
      await own(term)
      return within(pool, { org, isSnapshot: true }, async (client) => {
        const batches: RowBatch[] = []
        for (const table of tables.filter(({ rule }) => rule === 'frozen')) {
          const { rows } = await client.query<{ row: string }>(
            `select t::text as row from ${quoted(table.name)} t where t.org_id = $1 order by t.seq`,
            [org],
          )
          const pages = Math.max(1, Math.ceil(rows.length / pageRows))
          for (let page = 0; page < pages; page++)
            batches.push({
              table: table.name,
              rows: rows.slice(page * pageRows, (page + 1) * pageRows).map(({ row }) => row),
              gone: [],
              isWhole: page === 0,
            })
        }
        return batches
      })
    },

    count: async (term) => {
      for (const table of tables.filter((each) => each.rule === 'ahead' || each.rule === 'derived')) {
        await own(term)
        await within(pool, { org }, (client) => countTable(client, org, table))
      }
    },
    sums: () =>
      within(pool, { org, isSnapshot: true }, (client) =>
        sumTables(
          client,
          org,
          tables.filter((table) => isSent(table) || table.rule === 'derived'),
        ),
      ),

    freeze: async (term) => {
      const record = await step('freeze', term)
      await drainWriters(pool, org, true)
      return record
    },
    thaw: (term) => step('thaw', term),
    flip: (term) => step('flip', term),
    finish: (term) => step('finish', term),
  }
}

/** Reads rows by their keys as they are now, and which of them are gone. */
async function readChanged(
  client: pg.PoolClient,
  org: string,
  { name, org: column, keys }: MovedTable,
  wanted: readonly string[],
): Promise<RowBatch[]> {
  const table = quoted(name)
  const on = [`t.${column} = $1`, ...keys.map((key) => `t.${quoted(key.name)} = k.${quoted(key.name)}`)]
  const { rows } = await client.query<{ key: string; row: string | null }>(
    `select e.key::text as key, case when t.${column} is not null then t::text end as row
       from unnest($2::jsonb[]) e (key) cross join lateral jsonb_populate_record(null::${table}, e.key) k
       left join ${table} t on ${on.join(' and ')}`,
    [org, wanted],
  )
  const found = rows.flatMap(({ row }) => (row === null ? [] : [row]))
  const gone = rows.flatMap(({ key, row }) => (row === null ? [key] : []))
  return [
    ...(found.length > 0 ? [{ table: name, rows: found, gone: [] }] : []),
    ...(gone.length > 0 ? [{ table: name, rows: [], gone }] : []),
  ]
}

/** Forgets changes that the target has, and adds what they have changed to what was counted. */
async function forgetChanges(pool: pg.Pool, org: string, ids: readonly bigint[]) {
  await within(pool, { org }, (client) =>
    client.query(
      `with forgotten as (delete from org_move_changes where moved_org = $1 and id = any ($2) returning table_name, rows, digest),
            sums as (select table_name, sum(rows) as rows, sum(digest) as digest from forgotten group by 1)
       update org_move_sums s set rows = s.rows + f.rows, digest = s.digest + f.digest from sums f
        where s.moved_org = $1 and s.table_name = f.table_name`,
      [org, ids],
    ),
  )
}
