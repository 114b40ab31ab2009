import { sql as raw } from 'kysely'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'

const columns = ['raw_days', 'class', 'classes', 'created_at', 'updated_at'] as const

export const findPolicy = (tx: Tx, orgId: string) =>
  tx.selectFrom('retention_policies').select(columns).where('org_id', '=', orgId).executeTakeFirst()

export type PolicyRow = NonNullable<Awaited<ReturnType<typeof findPolicy>>>

export const upsertPolicy = (
  tx: Tx,
  orgId: string,
  policy: Pick<PolicyRow, 'raw_days' | 'class' | 'classes'>,
): Promise<PolicyRow> =>
  tx
    .insertInto('retention_policies')
    .values({ org_id: orgId, ...policy })
    .onConflict((conflict) => conflict.column('org_id').doUpdateSet({ ...policy, updated_at: raw`clock_timestamp()` }))
    .returning(columns)
    .executeTakeFirstOrThrow()

export interface PartitionRow {
  readonly parent: string
  readonly name: string
  /** `FOR VALUES FROM ('…') TO ('…')`. */
  readonly bound: string
}

/** Lists the partitions that exist: after an outage it is not known which days were created or dropped. */
export async function listPartitions({ db }: Sql): Promise<PartitionRow[]> {
  const { rows } = await raw<PartitionRow>`
    select parent.relname as parent, child.relname as name, pg_get_expr(child.relpartbound, child.oid) as bound
      from pg_partitioned_table cut join pg_class parent on parent.oid = cut.partrelid
      join pg_inherits i on i.inhparent = parent.oid join pg_class child on child.oid = i.inhrelid
     where cut.partstrat = 'r' and parent.relnamespace = 'public'::regnamespace order by 1, 2`.execute(db)
  return rows
}

/** Deletes run keys that can no longer be sent again; returns how many. */
export async function pruneRunKeys({ db }: Sql, most: number): Promise<number> {
  const { rows } = await raw<{ gone: bigint }>`select prune_run_keys(${most}) as gone`.execute(db)
  return Number(one(rows).gone)
}

/** The position of a walk through all chains. */
export interface ChainCursor {
  readonly org_id: string
  readonly chain_id: string
}

/** Examines the next chains and deletes those that are no longer used; returns how many, and where it stopped. */
export async function pruneChains({ db }: Sql, after: ChainCursor, most: number) {
  const { rows } = await raw<{ gone: bigint; org_id: string | null; chain_id: string | null }>`
    select gone, org_id, chain_id from prune_chains(${after.org_id}, ${after.chain_id}, ${most})`.execute(db)
  const { gone, org_id, chain_id } = one(rows)
  return { gone: Number(gone), last: org_id === null || chain_id === null ? undefined : { org_id, chain_id } }
}

/** Returns the tables whose rows are deleted one by one. */
export async function prunedTables({ db }: Sql): Promise<string[]> {
  const { rows } = await raw<{ parent: string }>`select parent from pruned_rows order by parent`.execute(db)
  return rows.map(({ parent }) => parent)
}

/** Deletes some rows of a table that are no longer needed; returns how many. */
export async function pruneRows({ db }: Sql, table: string, most: number): Promise<number> {
  const { rows } = await raw<{ gone: bigint }>`select prune_rows(${table}, ${most}) as gone`.execute(db)
  return Number(one(rows).gone)
}

/** The position of a walk through all allowances. */
export interface AllowanceCursor {
  readonly org_id: string
  readonly key: string
}

/** Examines the next allowances and deletes those that are over; returns how many, and where it stopped. */
export async function pruneAllowances({ db }: Sql, after: AllowanceCursor, most: number) {
  const { rows } = await raw<{ gone: bigint; last_org: string | null; last_key: string | null }>`
    select gone, last_org, last_key from prune_allowances(${after.org_id}, ${after.key}, ${most})`.execute(db)
  const { gone, last_org, last_key } = one(rows)
  return {
    gone: Number(gone),
    last: last_org === null || last_key === null ? undefined : { org_id: last_org, key: last_key },
  }
}
