import type { Sql } from '../../platform/infra/sql.ts'

export interface HomeRow {
  readonly residency: 'none' | 'strict'
  readonly home_epoch: bigint
  /** The cell to which the organization has moved, or from which it arrives. */
  readonly elsewhere: string | null
}

/** Finds the organizations behind ids of keys, grants, sessions, tokens of directories, or their own; across tenants. */
export async function findEntries({ pool }: Sql, ids: readonly string[]): Promise<Map<string, HomeRow>> {
  const { rows } = await pool.query<HomeRow & { id: string }>({
    name: 'find_homes',
    text: 'select wanted.id, e.* from unnest($1::uuid[]) as wanted (id) cross join lateral find_home(wanted.id) e',
    values: [ids],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

/** True where an organization that this cell has issued keys for may live elsewhere. */
export async function hasMovedOrgs({ pool }: Sql): Promise<boolean> {
  const { rows } = await pool.query<{ has_moved: boolean }>({
    name: 'has_moved_orgs',
    text: `select exists (select from org_moves where state in ('moved', 'done', 'purged')) as has_moved`,
  })
  return rows[0]?.has_moved === true
}
