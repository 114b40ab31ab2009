import pg from 'pg'
import type { Platform } from '../../platform/infra/platform.ts'
import { int8AsBigInt } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'
import type { TableSum, TableSums } from './mover.ts'
import { isCompared, type MovedTable } from './tables.ts'

/** Connections for the long statements of a move, beside the pool of short transactions. */
export const openMovePool = ({ config }: Pick<Platform, 'config'>): pg.Pool => {
  const pool = new pg.Pool({
    connectionString: config.databaseUrl.reveal(),
    max: 2,
    application_name: 'weir move',
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 5_000,
    keepAlive: true,
    options: '-c jit=off',
    types: int8AsBigInt,
  })
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

interface Work {
  readonly org: string
  /** One snapshot for all statements, in which nothing is written. */
  readonly isSnapshot?: boolean
}

/** Runs one transaction that sees the rows of an organization, in which the text of a row is the same in every cell. */
export async function within<T>(
  pool: pg.Pool,
  { org, isSnapshot = false }: Work,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query(isSnapshot ? 'begin isolation level repeatable read read only' : 'begin')
    await client.query(
      `select set_config('app.orgs', $1, true), set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO, YMD', true),
              set_config('intervalstyle', 'postgres', true), set_config('bytea_output', 'hex', true), set_config('extra_float_digits', '1', true)`,
      [org],
    )
    const result = await work(client)
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    // Its state is unknown.
    client.release(true)
    throw error
  }
}

interface SumRow {
  readonly rows: string
  readonly digest: string
}

const quoted = pg.escapeIdentifier

/** Counts the rows of a table now; what changes afterwards is added from the changes that are kept. */
export async function countTable(client: pg.PoolClient, org: string, { name, org: column }: MovedTable) {
  await client.query(
    `insert into org_move_sums (moved_org, table_name, rows, digest)
     select $1, $2, scan.rows - pending.rows, scan.digest - pending.digest
       from (select count(*) as rows, coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) as digest from ${quoted(name)} t where t.${column} = $1) scan,
            (select coalesce(sum(c.rows), 0) as rows, coalesce(sum(c.digest), 0) as digest from org_move_changes c
              where c.moved_org = $1 and c.table_name = $2) pending
     on conflict (moved_org, table_name) do update set rows = excluded.rows, digest = excluded.digest`,
    [org, name],
  )
}

/** Returns what every table holds: counted before and kept up to date by the changes, or counted now where rows are renumbered. */
export async function sumTables(client: pg.PoolClient, org: string, tables: readonly MovedTable[]): Promise<TableSums> {
  const { rows: counted } = await client.query<SumRow & { readonly name: string }>(
    `select s.table_name as name, (s.rows + coalesce(c.rows, 0))::text as rows, (s.digest + coalesce(c.digest, 0))::text as digest
       from org_move_sums s
       left join (select table_name, sum(rows) as rows, sum(digest) as digest from org_move_changes where moved_org = $1 group by 1) c using (table_name)
      where s.moved_org = $1`,
    [org],
  )
  const known = new Map(counted.map(({ name, rows, digest }) => [name, { rows, digest }]))
  const sums: Record<string, TableSum> = {}
  for (const table of tables.filter(isCompared)) {
    const sum = table.rule === 'frozen' ? await renumberedSum(client, org, table) : known.get(table.name)
    if (sum) sums[table.name] = sum
  }
  return { ...sums, ...(await exactSums(client, org)) }
}

/** Sum of a table without the place of its rows among those of other organizations. */
async function renumberedSum(client: pg.PoolClient, org: string, { name }: MovedTable): Promise<TableSum> {
  const { rows } = await client.query<SumRow>(
    `select count(*)::text as rows, coalesce(sum(hashtextextended((to_jsonb(t) - 'seq')::text, 0)::numeric), 0)::text as digest
       from ${quoted(name)} t where t.org_id = $1`,
    [org],
  )
  return one(rows)
}

/** Sums that must agree to the last digit, spelled out: money, and the heads of both chains. */
async function exactSums(client: pg.PoolClient, org: string): Promise<TableSums> {
  const { rows } = await client.query<{ ledger: string; spent: string; held: string; head: string }>(
    `select (select concat(l.seq, ' ', l.config_version) from org_ledgers l where l.org_id = $1) as ledger,
            (select coalesce(sum(a.spent), 0)::text from allowances a where a.org_id = $1) as spent,
            (select coalesce(sum(a.held), 0)::text from allowances a where a.org_id = $1) as held,
            (select concat(h.seq, ' ', encode(h.mac, 'hex')) from audit_heads h where h.org_id = $1) as head`,
    [org],
  )
  const { ledger, spent, held, head } = one(rows)
  return {
    'ledger: spent': { rows: ledger, digest: spent },
    'ledger: held': { rows: ledger, digest: held },
    'audit chain': { rows: '', digest: head },
  }
}
