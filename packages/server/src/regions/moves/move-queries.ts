import pg from 'pg'
import { auditKeyring, recordOfJob } from '../../access/audit/audit.ts'
import { CommandRefused } from '../../platform/infra/command-refused.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { notifyAccessChange } from '../../platform/nodes/nodes.ts'
import { formatId, newUuid, operatorsOrgId } from '../../values/id.ts'
import { one } from '../../values/present.ts'
import { errorCode } from '../../values/thrown.ts'
import type { CellLink } from '../link/link.ts'
import { carryOut, type MoverOptions } from './mover.ts'
import { afterClaim, afterStep, type SourceRecord } from './protocol.ts'
import { clientOf, type MoveRow, readMove, sourceRecordOf, ungated, writeSource } from './record-queries.ts'
import { drainWriters, openSource } from './source-queries.ts'
import { openMovePool, within } from './sum-queries.ts'
import { readTables } from './table-queries.ts'
import { isCompared, type MovedTable } from './tables.ts'
import { nameOf, openTarget, type SentMessage, type SentPartition, TargetRefused, tellTarget } from './target.ts'

/** A move as an operator sees it. */
export interface MoveView {
  readonly org_id: string
  readonly direction: 'out' | 'in'
  readonly cell: string
  readonly state: string
  readonly epoch: number
  readonly rows_copied: number
  readonly started_at: string
  readonly frozen_seconds: number | null
  readonly ended_at: string | null
  readonly keep_until: string | null
}

const secondsBetween = (from: Date | null, to: Date | null) =>
  from && to ? (to.getTime() - from.getTime()) / 1_000 : null

export const moveView = (row: MoveRow, now: Date): MoveView => ({
  org_id: formatId('org', row.moved_org),
  direction: row.direction,
  cell: row.cell,
  state: row.state,
  epoch: Number(row.epoch),
  rows_copied: row.progress.rows ?? 0,
  started_at: row.started_at.toISOString(),
  frozen_seconds: secondsBetween(row.frozen_at, row.ended_at ?? (row.frozen_at && now)),
  ended_at: row.ended_at?.toISOString() ?? null,
  keep_until: row.keep_until?.toISOString() ?? null,
})

export async function listMoves({ sql, clock }: Pick<Platform, 'sql' | 'clock'>): Promise<MoveView[]> {
  const { rows } = await sql.pool.query<MoveRow>('select * from org_moves order by started_at desc limit 1000')
  return rows.map((row) => moveView(row, clock.now()))
}

/** Records that an organization is to move, unless that is on record already. */
export async function beginMove({ sql, config }: Platform, link: CellLink, org: string, to: string): Promise<void> {
  if (org === operatorsOrgId) throw new CommandRefused('The organization of the operators belongs to its cell.')
  const cell = link.cells.get(to)
  if (!cell) throw new CommandRefused(`SVC_CELLS does not list ${to}: it lists ${[...link.cells.keys()].join(', ')}.`)
  try {
    await sql.asOrgs([org], async (tx) => {
      const client = clientOf(tx)
      const { rows } = await client.query<{ residency: string; home_epoch: bigint }>(
        'select residency, home_epoch from orgs where id = $1 for update',
        [org],
      )
      const [found] = rows
      const row = await readMove(client, org, true)
      const isUnderway = row?.direction === 'out' && !['cancelled', 'purged'].includes(row.state)
      if (isUnderway && row.cell === to) return
      if (isUnderway) throw new CommandRefused(`The organization has gone to ${row.cell}, or is on its way there.`)
      if (!found || row?.state === 'purged') throw new CommandRefused('No such organization lives in this cell.')
      if (row?.direction === 'in' && row.state !== 'active')
        throw new CommandRefused(`The organization arrives from ${row.cell}.`)
      if (found.residency === 'strict' && cell.region !== config.region)
        throw new CommandRefused(
          `The organization is bound to the region ${config.region ?? ''}, and ${to} stands in ${cell.region}: its owner decides that.`,
        )
      await client.query('delete from org_move_changes where moved_org = $1', [org])
      await client.query('delete from org_move_sums where moved_org = $1', [org])
      await client.query(
        `insert into org_moves as m (moved_org, move_id, attempt, direction, cell, state, epoch, captures, residency)
         values ($1, $2, $3, 'out', $4, 'copying', $5, true, $6)
         on conflict (moved_org) do update set move_id = $2, attempt = $3, direction = 'out', cell = $4, state = 'copying', epoch = $5, captures = true,
           residency = $6, applied = 0, progress = '{}', started_at = clock_timestamp(), frozen_at = null, moved_at = null,
           ended_at = null, keep_until = null`,
        [org, newUuid(), (row?.attempt ?? 0n) + 1n, to, found.home_epoch + 1n, found.residency],
      )
      await recordOfJob(tx, auditKeyring(config.masterKeys()), org, 'move', [
        {
          action: 'org.move_started',
          target: { kind: 'org', id: formatId('org', org) },
          after: { from: config.cell, to },
        },
      ])
    })
  } catch (error) {
    if (errorCode(error) === ungated)
      throw new CommandRefused('This cell was not migrated for moves: run migrate with SVC_CELLS, here and there.')
    if (errorCode(error) === '23505')
      throw new CommandRefused(`Another organization is on its way to ${to}: one moves at a time.`)
    throw error
  }
}

/** Runs work as the only process that carries a move out; undefined while another one does. */
async function asMover<T>(
  platform: Platform,
  org: string,
  work: (guard: pg.PoolClient, pool: pg.Pool) => Promise<T>,
): Promise<T | undefined> {
  const pool = openMovePool(platform)
  try {
    const guard = await pool.connect()
    try {
      const { rows } = await guard.query<{ is_mine: boolean }>(
        `select pg_try_advisory_lock(hashtextextended('move ' || $1, 0)) as is_mine`,
        [org],
      )
      return one(rows).is_mine ? await work(guard, pool) : undefined
    } finally {
      guard.release(true)
    }
  } finally {
    await pool.end()
  }
}

/** Carries a recorded move out, from wherever it stands. */
export async function carryOutMove(
  platform: Platform,
  link: CellLink,
  org: string,
  options: MoverOptions & { readonly keepDays: number },
): Promise<MoveView> {
  const view = await asMover(platform, org, async (guard, pool) => {
    const tables = await readTables(guard)
    const source = openSource(platform, pool, org, tables)
    const target = openTarget(link, {
      groups: () => groupsOf(guard, org, tables),
      prepare: () => preparation(guard),
      lastEvent: async () =>
        one(
          (await guard.query<{ last_value: bigint }>('select last_value from event_order')).rows,
        ).last_value.toString(),
    })
    // Whoever began to write before changes were kept must have ended before anything is copied.
    await drainWriters(pool, org, false)
    const lacksParent = (error: unknown) => error instanceof TargetRefused && error.isParentMissing
    await carryOut(source, target, { ...options, lacksParent })
    await guard.query(
      `update org_moves set keep_until = coalesce(keep_until, ended_at + make_interval(days => $2)) where moved_org = $1 and state = 'done'`,
      [org, options.keepDays],
    )
    return moveView((await readMove(guard, org))!, platform.clock.now())
  })
  if (!view) throw new CommandRefused('Another process carries this move out.')
  return view
}

/** Opens a frozen organization again whose mover is gone; false while it is there, and where nothing is frozen. */
export async function thawAbandoned(platform: Platform, org: string): Promise<boolean> {
  const isThawed = await asMover(platform, org, async (guard, pool) => {
    const row = await readMove(guard, org)
    if (row?.direction !== 'out' || row.state !== 'frozen') return false
    const source = openSource(platform, pool, org, [])
    await source.thaw((await source.claim()).term)
    return true
  })
  return isThawed === true
}

/** Rows up to which a table is counted together with others. */
const countedTogether = 20_000n

/** Groups the tables that are compared: a large one takes its time, and a message has one. */
async function groupsOf(client: pg.PoolClient, org: string, tables: readonly MovedTable[]): Promise<string[][]> {
  const { rows } = await client.query<{ table_name: string }>(
    'select table_name from org_move_sums where moved_org = $1 and rows > $2',
    [org, countedTogether],
  )
  const large = rows.map(({ table_name }) => table_name)
  const names = tables.filter((table) => isCompared(table) && table.rule !== 'frozen').map(({ name }) => name)
  return [...large.map((name) => [name]), names.filter((name) => !large.includes(name))]
}

/** Reads what the target must have before rows can be written there. */
async function preparation(client: pg.PoolClient): Promise<Pick<SentMessage, 'schema' | 'partitions'>> {
  const schema = await client.query<{ name: string }>('select name from schema_migrations order by id desc limit 1')
  const { rows } = await client.query<{ parent: string; child: string; bounds: string }>(
    `select p.relname as parent, c.relname as child, pg_get_expr(c.relpartbound, c.oid) as bounds
       from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
      where c.relnamespace = 'public'::regnamespace and pg_get_expr(c.relpartbound, c.oid) like 'FOR VALUES FROM%' order by 2`,
  )
  const partitions = rows.flatMap(({ parent, child, bounds }): SentPartition[] => {
    const [, from, to] = /^FOR VALUES FROM \('([^']+)'\) TO \('([^']+)'\)$/.exec(bounds) ?? []
    const suffix = child.startsWith(`${parent}_`) ? child.slice(parent.length + 1) : ''
    return from !== undefined && to !== undefined && /^[0-9_]+$/.test(suffix) ? [{ parent, suffix, from, to }] : []
  })
  return { schema: one(schema.rows).name, partitions }
}

/** Gives a move up that has not been flipped: the organization goes on where it is. */
export async function cancelMove(platform: Platform, link: CellLink, org: string): Promise<MoveView> {
  const { sql } = platform
  const pool = openMovePool(platform)
  try {
    const record = await within(pool, { org }, async (client): Promise<SourceRecord> => {
      const row = await readMove(client, org, true)
      // Claimed first: whoever carries it out is stopped.
      const claimed = row?.direction === 'out' ? afterClaim(sourceRecordOf(row)) : undefined
      const cancelled = claimed && afterStep(claimed, 'cancel', claimed.term)
      if (!cancelled)
        throw new CommandRefused(
          row?.direction === 'out'
            ? `The move is ${row.state}: it can only be completed, and then made the other way.`
            : 'No move of the organization is underway.',
        )
      await writeSource(client, cancelled)
      await client.query('delete from org_move_changes where moved_org = $1', [org])
      await client.query('select record_access_change($1)', [org])
      return cancelled
    })
    await notifyAccessChange(sql)
    try {
      await tellTarget(link, record.cell, 'discard', nameOf(record), 300_000)
    } catch (error) {
      if (!(error instanceof TargetRefused))
        platform.log.warn(
          { error, cell: record.cell },
          'the target was not told: what it has of the organization goes when another move of it begins',
        )
    }
    return moveView((await readMove(pool, org))!, platform.clock.now())
  } finally {
    await pool.end()
  }
}

const removedAtOnce = 5_000

/** Removes what an organization has left behind, as the owner of the schema. */
export async function purgeMoved(ownerUrl: string, org: string, isForced: boolean): Promise<{ readonly rows: number }> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'weir move' })
  await client.connect()
  try {
    const row = await readMove(client, org)
    const { now } = one((await client.query<{ now: Date }>('select clock_timestamp() as now')).rows)
    if (row?.direction !== 'out' || (row.state !== 'done' && row.state !== 'purged'))
      throw new CommandRefused(
        row
          ? `The move is ${row.state}: rows are removed once it is done.`
          : 'No such organization has moved away from here.',
      )
    if (!isForced && (row.keep_until === null || row.keep_until > now))
      throw new CommandRefused(
        `Its rows are kept until ${row.keep_until?.toISOString() ?? 'the move is ended'}; --now removes them before.`,
      )
    await client.query(
      `insert into moved_ids (id, moved_org)
       select i.id, $1 from (select id from api_keys where org_id = $1 union select id from support_grants where org_id = $1
         union select id from sessions where org_id = $1 union select id from scim_tokens where org_id = $1) i
       on conflict do nothing`,
      [org],
    )
    let removed = 0
    for (const { name } of (await readTables(client)).toReversed())
      for (;;) {
        const { rows } = await client.query<{ removed: string }>('select remove_org_rows($1, $2, $3) as removed', [
          org,
          name,
          removedAtOnce,
        ])
        const count = Number(one(rows).removed)
        removed += count
        if (count < removedAtOnce) break
      }
    await client.query('delete from org_move_changes where moved_org = $1', [org])
    await client.query('delete from org_move_sums where moved_org = $1', [org])
    await client.query(`update org_moves set state = 'purged' where moved_org = $1 and state = 'done'`, [org])
    return { rows: removed }
  } finally {
    await client.end()
  }
}
