import type pg from 'pg'

/**
 * What a migration does to tables that other sessions use meanwhile. No clock is asked: a lock is short as long as nothing is done under it
 * that grows with a table. So it is enough to see, on empty tables, which are scanned or rewritten while writers of any table have to wait.
 */

interface TableState {
  readonly name: string
  readonly file: number
  readonly scans: number
}

const tablesText = `
  select c.oid::int as id, c.oid::regclass::text as name, pg_relation_filenode(c.oid)::int as file,
         (coalesce(s.seq_scan, 0))::int as scans
    from pg_class c left join pg_stat_xact_user_tables s on s.relid = c.oid
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`

/** Modes in which a lock makes writers wait. */
const locksText = `
  select distinct relation::int as id from pg_locks
   where pid = pg_backend_pid() and locktype = 'relation' and granted
     and mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`

/** What is read of a partitioned table is read of its partitions: each must have one. */
const probePartitions = `
do $$
declare
  parent record;
begin
  for parent in
    select c.oid::regclass as name, c.relname from pg_class c
     where c.relkind = 'p' and c.relnamespace = 'public'::regnamespace
       and not exists (select from pg_inherits i where i.inhparent = c.oid)
  loop
    execute format('create table %I partition of %s default', parent.relname || '_probe', parent.name);
  end loop;
end
$$`

async function tablesOf(client: pg.Client): Promise<Map<number, TableState>> {
  const { rows } = await client.query<TableState & { id: number }>(tablesText)
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Applies a migration in a transaction of its own, and takes it back unless it is to be kept; returns the tables that were there before and that it scans or rewrites, where it also
 * makes writers of some table wait until it ends. A partition counts as its table.
 */
export async function tablesWorkedOnUnderLock(
  client: pg.Client,
  statements: string,
  isKept: boolean,
): Promise<string[]> {
  await client.query(probePartitions)
  await client.query('begin')
  const before = await tablesOf(client)
  try {
    await client.query(statements)
  } catch (error) {
    await client.query('rollback')
    throw error
  }
  const after = await tablesOf(client)
  const { rows: locks } = await client.query<{ id: number }>(locksText)
  await client.query(isKept ? 'commit' : 'rollback')
  if (!locks.some(({ id }) => before.has(id))) return []
  const worked = [...before].filter(([id, { file, scans }]) => {
    const now = after.get(id)
    return now !== undefined && (now.scans > scans || now.file !== file)
  })
  return [...new Set(worked.map(([, { name }]) => name.replace(/_probe$/, '')))].sort()
}
