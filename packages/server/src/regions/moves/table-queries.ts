import type { ClientBase } from 'pg'
import { type MovedTable, ruleOf } from './tables.ts'

interface TableRow {
  readonly name: string
  readonly keys: readonly { readonly name: string; readonly type: string }[]
  readonly refers: readonly string[]
}

const tablesQuery = `
  select c.relname as name,
         (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by array_position(i.indkey::int2[], a.attnum))
            from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
           where i.indrelid = c.oid and i.indisprimary) as keys,
         coalesce((select json_agg(f.confrelid::regclass::text) from pg_constraint f
           where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid), '[]') as refers
    from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'gate_written')
   order by c.relname`

/** Reads the tables of organizations from the schema, each after those that it refers to. */
export async function readTables(client: Pick<ClientBase, 'query'>): Promise<readonly MovedTable[]> {
  const { rows } = await client.query<TableRow>(tablesQuery)
  const byName = new Map(rows.map((row) => [row.name, row]))
  const ordered = new Set<TableRow>()
  const add = (row: TableRow) => {
    for (const name of row.refers) {
      const parent = byName.get(name)
      if (parent && !ordered.has(parent)) add(parent)
    }
    ordered.add(row)
  }
  for (const row of rows) add(row)
  return [...ordered].map(({ name, keys }) => {
    const org = name === 'orgs' ? 'id' : 'org_id'
    return { name, rule: ruleOf(name), org, keys: keys.filter((key) => key.name !== org) }
  })
}
