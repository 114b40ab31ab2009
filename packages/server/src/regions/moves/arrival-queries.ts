import type { PoolClient } from 'pg'
import { auditKeyring, recordOfJob } from '../../access/audit/audit.ts'
import { ensurePartition, partitionBounds } from '../../platform/infra/partitions.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { notifyAccessChange, recordAccessChange } from '../../platform/nodes/nodes.ts'
import { formatId } from '../../values/id.ts'
import { one } from '../../values/present.ts'
import { errorCode } from '../../values/thrown.ts'
import { dayMs } from '../../values/time.ts'
import { judge, type MoveMessage, type TargetRecord } from './protocol.ts'
import { clientOf, readMove, targetRecordOf, writeTarget } from './record-queries.ts'
import { countTable, openMovePool, sumTables, within } from './sum-queries.ts'
import { readTables } from './table-queries.ts'
import type { MovedTable } from './tables.ts'
import type { MoveStepName, SentMessage, SentPartition } from './target.ts'

/** Answer to a message of a move. */
export type ArrivalAnswer =
  | { readonly refusal: string; readonly isParentMissing?: boolean }
  | { readonly refusal: undefined; readonly value: object }

const done = (value: object = {}): ArrivalAnswer => ({ refusal: undefined, value })
const discardedAtOnce = 5_000
const longestPartitionDays = 400
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const missingParent = '23503'

/** Takes organizations in that another cell moves here. */
export function createArrivals(platform: Platform) {
  const { sql, config } = platform
  const pool = openMovePool(platform)
  let known: Promise<readonly MovedTable[]> | undefined
  const tables = () =>
    (known ??= readTables(pool).catch((error: unknown) => {
      known = undefined
      throw error
    }))

  /** Reads what is recorded of an organization's last arrival, and whether nothing else of it is here. */
  async function find(client: PoolClient, org: string) {
    const row = await readMove(client, org, true)
    const { rows } = await client.query<{ is_here: boolean }>(
      'select exists (select from orgs where id = $1) as is_here',
      [org],
    )
    // An organization that has left, and whose rows are gone, may come back.
    if (row?.direction === 'out') return { known: undefined, isElsewhere: row.state === 'purged', past: row }
    return { known: row && targetRecordOf(row), isElsewhere: !one(rows).is_here, past: row }
  }

  /** Judges a message and does in the same transaction what follows from it. */
  async function take(
    from: string,
    message: MoveMessage,
    work: (client: PoolClient, record: TargetRecord) => Promise<void>,
  ): Promise<ArrivalAnswer> {
    const { org } = message
    return within(pool, { org }, async (client) => {
      // Two first messages of one organization do not both find nothing.
      await client.query(`select pg_advisory_xact_lock(hashtextextended('arrival ' || $1, 0))`, [org])
      const { known: arrival, isElsewhere, past } = await find(client, org)
      const verdict = judge(arrival, isElsewhere, from, message)
      if (verdict.type === 'refused') return { refusal: verdict.because }
      if (message.type === 'open' && past?.direction === 'out' && message.epoch <= past.epoch)
        return { refusal: 'a later home is recorded' }
      if (verdict.effect === 'replace') return { refusal: replaces }
      await writeTarget(client, verdict.record)
      if (verdict.effect !== 'none') await work(client, verdict.record)
      return done()
    })
  }
  const replaces = 'an earlier arrival is being removed'

  /** Removes the rows of an arrival that was given up, a part at a time. */
  async function removeRows(org: string, move: string) {
    for (const { name } of (await tables()).toReversed())
      for (;;) {
        const { rows } = await pool.query<{ removed: bigint }>('select discard_rows($1, $2, $3, $4) as removed', [
          org,
          move,
          name,
          discardedAtOnce,
        ])
        if (one(rows).removed < BigInt(discardedAtOnce)) break
      }
    await pool.query('delete from org_move_changes where moved_org = $1', [org])
    await pool.query('delete from org_move_sums where moved_org = $1', [org])
  }

  /** Gives up the rows of an earlier move, which its source has cancelled: a new one begins. */
  async function giveUpEarlier(org: string) {
    const earlier = await within(pool, { org }, async (client) => {
      const row = await readMove(client, org, true)
      if (row?.direction !== 'in' || row.state === 'active') return undefined
      await writeTarget(client, { ...targetRecordOf(row), state: 'discarded' })
      return row.move_id
    })
    if (earlier !== undefined) await removeRows(org, earlier)
  }

  async function open(from: string, message: MoveMessage, sent: SentMessage): Promise<ArrivalAnswer> {
    const { rows } = await pool.query<{ name: string }>('select name from schema_migrations order by id desc limit 1')
    if (one(rows).name !== sent.schema) return { refusal: `its schema is at ${one(rows).name}, not at ${sent.schema}` }
    for (const partition of sent.partitions ?? []) {
      if (!isSound(partition))
        return { refusal: `a partition of ${partition.parent} is not of a kind that it would make` }
      await ensurePartition(sql, partition.parent, partition.suffix, partition.from, partition.to)
    }
    const first = await take(from, message, async () => undefined)
    if (first.refusal !== replaces) return first
    await giveUpEarlier(message.org)
    return take(from, message, async () => undefined)
  }

  async function activate(from: string, message: MoveMessage): Promise<ArrivalAnswer> {
    const { org } = message
    // Through the pool of requests: the entry of the audit log and the end of what is cached belong to the transaction.
    const answer = await sql.asOrgs([org], async (tx): Promise<ArrivalAnswer> => {
      const client = clientOf(tx)
      await client.query(`select pg_advisory_xact_lock(hashtextextended('arrival ' || $1, 0))`, [org])
      const { known: arrival, isElsewhere } = await find(client, org)
      const verdict = judge(arrival, isElsewhere, from, message)
      if (verdict.type === 'refused') return { refusal: verdict.because }
      if (verdict.effect === 'none') return done()
      const { record } = verdict
      await writeTarget(client, record)
      await client.query(
        `update orgs set home_epoch = $2, home_region = case when home_region is null then null else $3 end where id = $1`,
        [org, record.epoch, config.region ?? null],
      )
      await recordAccessChange(tx, org)
      await recordOfJob(tx, auditKeyring(config.masterKeys()), org, 'move', [
        {
          action: 'org.moved',
          target: { kind: 'org', id: formatId('org', org) },
          after: { from: record.cell, to: config.cell, epoch: Number(record.epoch) },
        },
      ])
      return done()
    })
    if (answer.refusal === undefined) await notifyAccessChange(sql)
    return answer
  }

  return {
    receive: async (from: string, step: MoveStepName, sent: SentMessage): Promise<ArrivalAnswer> => {
      const message = messageOf(step, sent)
      if (!message) return { refusal: 'it is not a message of a move' }
      const { org, move } = message
      try {
        if (message.type === 'open') return await open(from, message, sent)
        if (message.type === 'activate') return await activate(from, message)
        if (message.type === 'discard') {
          const answer = await take(from, message, async () => undefined)
          if (answer.refusal === undefined) await removeRows(org, move)
          return answer
        }
        if (step === 'count' || step === 'sums') {
          const known = await readMove(pool, org)
          if (known?.direction !== 'in' || known.move_id !== move || known.cell !== from || known.state !== 'arriving')
            return { refusal: 'the move is not known' }
          if (step === 'sums')
            return done(
              await within(pool, { org, isSnapshot: true }, async (client) => sumTables(client, org, await tables())),
            )
          const counted = (await tables()).filter(({ name }) => sent.tables?.includes(name))
          if (counted.length !== sent.tables?.length) return { refusal: 'it has no such table' }
          await pool.query('update org_moves set captures = true where moved_org = $1 and move_id = $2', [org, move])
          for (const table of counted) await within(pool, { org }, (client) => countTable(client, org, table))
          return done()
        }
        return await take(from, message, async (client) => {
          const { rows } = sent
          if (message.type !== 'apply' || !rows) return
          // What arrives comes after the events that have become deliveries at the source.
          if (/^\d{1,18}$/.test(sent.events ?? '')) await client.query('select advance_event_order($1)', [sent.events])
          await client.query('select arrive_rows($1, $2, $3, $4, $5, $6)', [
            org,
            move,
            rows.table,
            rows.rows,
            `[${rows.gone.join(',')}]`,
            rows.isWhole === true,
          ])
        })
      } catch (error) {
        const code = errorCode(error) ?? ''
        // What a database says of rows that another cell has sent is its answer to that cell.
        if (/^(22|23|42|WE003|WE004)/.test(code)) {
          platform.log.warn({ error, cell: from }, 'rows of an organization that arrives were refused')
          return { refusal: error instanceof Error ? error.message : code, isParentMissing: code === missingParent }
        }
        throw error
      }
    },
    close: () => pool.end(),
  }
}

/** Returns the message that was sent; undefined for what is none. */
function messageOf(step: MoveStepName, sent: SentMessage): MoveMessage | undefined {
  const { org, move } = sent
  const numbers = [sent.attempt, sent.term, sent.epoch, sent.batch]
  if (typeof org !== 'string' || !uuid.test(org) || typeof move !== 'string' || !uuid.test(move)) return undefined
  if (typeof sent.attempt !== 'string' || !numbers.every((text) => text === undefined || /^\d{1,18}$/.test(text)))
    return undefined
  const [attempt, term, epoch, batch] = numbers.map((text) => BigInt(text ?? 0)) as [bigint, bigint, bigint, bigint]
  const name = { org, move, attempt }
  if (step === 'open') return epoch > 0n ? { ...name, type: 'open', term, epoch } : undefined
  if (step === 'seal') return { ...name, type: 'seal', term }
  if (step === 'activate' || step === 'discard') return { ...name, type: step }
  return { ...name, type: 'apply', term, batch }
}

/** True for a partition by time that begins where its name says and is not longer than those that a cell makes by itself. */
function isSound({ parent, suffix, from, to }: SentPartition): boolean {
  const day = /^(\d{4})_?(\d{2})(\d{2})?$/.exec(suffix)
  if (!day || !/^[a-z][a-z0-9_]{0,40}$/.test(parent)) return false
  const start = new Date(`${day[1]}-${day[2]}-${day[3] ?? '01'}T00:00:00Z`)
  if (Number.isNaN(start.getTime())) return false
  for (const kind of Object.values(partitionBounds)) {
    const text = (at: Date) => kind(at)
    if (normal(from) !== normal(text(start))) continue
    for (let days = 1; days <= longestPartitionDays; days++)
      if (normal(to) === normal(text(new Date(start.getTime() + days * dayMs)))) return true
  }
  return false
}

/** The same instant in one spelling. */
const normal = (bound: string) =>
  /^\d{4}-\d{2}-\d{2}[ T]/.test(bound) ? new Date(bound.replace(/\+00$/, 'Z').replace(' ', 'T')).toISOString() : bound
