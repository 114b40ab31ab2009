import { CompiledQuery } from 'kysely'
import type { ClientBase, PoolClient } from 'pg'
import type { Tx } from '../../platform/infra/sql.ts'
import { one } from '../../values/present.ts'
import type { SourceRecord, SourceState, TargetRecord, TargetState } from './protocol.ts'

/** A move as it stands in the database of either side. */
export interface MoveRow {
  readonly moved_org: string
  readonly move_id: string
  readonly attempt: bigint
  readonly direction: 'out' | 'in'
  readonly cell: string
  readonly state: SourceState | TargetState
  readonly epoch: bigint
  readonly term: bigint
  readonly applied: bigint
  readonly captures: boolean
  readonly progress: MoveProgress
  readonly started_at: Date
  readonly frozen_at: Date | null
  readonly moved_at: Date | null
  readonly ended_at: Date | null
  readonly keep_until: Date | null
}

/** Progress of the copy of what was there at the beginning so far. */
export interface MoveProgress {
  /** Last key of each table that was copied; null for one that is copied whole. */
  readonly cursors?: Readonly<Record<string, readonly string[] | null>>
  readonly rows?: number
}

type Client = Pick<ClientBase, 'query'>

export async function readMove(client: Client, org: string, isLocked = false): Promise<MoveRow | undefined> {
  const { rows } = await client.query<MoveRow>(
    `select * from org_moves where moved_org = $1${isLocked ? ' for update' : ''}`,
    [org],
  )
  return rows[0]
}

export const sourceRecordOf = (row: MoveRow): SourceRecord => ({
  org: row.moved_org,
  move: row.move_id,
  attempt: row.attempt,
  state: row.state as SourceState,
  cell: row.cell,
  epoch: row.epoch,
  term: row.term,
})

export const targetRecordOf = (row: MoveRow): TargetRecord => ({
  ...sourceRecordOf(row),
  state: row.state as TargetState,
  applied: row.applied,
})

/** Code of the error by which the database refuses a move where no gate stands before the rows of organizations. */
export const ungated = 'WE004'

/** Writes what the rules have made of a record. */
export async function writeSource(client: Client, { org, state, term }: SourceRecord) {
  await client.query(
    `update org_moves set state = $2, term = $3,
            captures = $2 in ('copying', 'frozen'),
            frozen_at = case when $2 = 'frozen' then coalesce(case when state = 'frozen' then frozen_at end, clock_timestamp()) when $2 = 'copying' then null else frozen_at end,
            moved_at = case when $2 = 'moved' then clock_timestamp() else moved_at end,
            ended_at = case when $2 in ('done', 'cancelled') then coalesce(ended_at, clock_timestamp()) else ended_at end
      where moved_org = $1`,
    [org, state, term],
  )
}

export async function writeTarget(client: Client, record: TargetRecord) {
  const { org, move, attempt, cell, state, epoch, term, applied } = record
  await client.query(
    `insert into org_moves as m (moved_org, move_id, attempt, direction, cell, state, epoch, term, applied)
     values ($1, $2, $3, 'in', $4, $5, $6, $7, $8)
     on conflict (moved_org) do update set move_id = $2, attempt = $3, direction = 'in', cell = $4, state = $5, epoch = $6, term = $7, applied = $8,
       captures = m.captures and m.move_id = $2 and $5 = 'arriving',
       started_at = case when m.move_id = $2 then m.started_at else clock_timestamp() end,
       ended_at = case when $5 in ('active', 'discarded') then clock_timestamp() end`,
    [org, move, attempt, cell, state, epoch, term, applied],
  )
}

/** Returns a transaction of the query builder as a connection that takes plain statements. */
export const clientOf = (tx: Tx) =>
  ({
    query: (text: string, values: unknown[]) => tx.executeQuery(CompiledQuery.raw(text, values)),
  }) as unknown as PoolClient

/** Lists the organizations that are closed because they leave. */
export async function listClosed(client: Client): Promise<Pick<MoveRow, 'moved_org' | 'state'>[]> {
  const { rows } = await client.query<Pick<MoveRow, 'moved_org' | 'state'>>(
    `select moved_org, state from org_moves where direction = 'out' and state in ('frozen', 'moved')`,
  )
  return rows
}

const underwayQuery = `
  select count(*)::int as underway,
         coalesce(extract(epoch from clock_timestamp() - min(m.frozen_at) filter (where m.direction = 'out' and m.state in ('frozen', 'moved'))), 0)::float as closed_seconds
    from org_moves m where m.state in ('copying', 'frozen', 'moved', 'arriving', 'ready')`

/** Counts the organizations on their way, and how long one of them has been closed. */
export async function countUnderway(
  client: Client,
): Promise<{ readonly underway: number; readonly closed_seconds: number }> {
  const { rows } = await client.query<{ underway: number; closed_seconds: number }>(underwayQuery)
  return one(rows)
}
