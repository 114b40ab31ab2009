import type { Sql } from '../../platform/infra/sql.ts'

export interface HomeRow {
  readonly residency: 'none' | 'strict'
  readonly home_epoch: bigint
}

/** Finds the organizations behind ids of keys, grants, sessions, tokens of directories, or their own; across tenants. */
export async function findEntries({ pool }: Sql, ids: readonly string[]): Promise<Map<string, HomeRow>> {
  const { rows } = await pool.query<HomeRow & { id: string }>({
    name: 'directory_entries',
    text: 'select wanted.id, e.* from unnest($1::uuid[]) as wanted (id) cross join lateral directory_entry(wanted.id) e',
    values: [ids],
  })
  return new Map(rows.map((row) => [row.id, row]))
}
