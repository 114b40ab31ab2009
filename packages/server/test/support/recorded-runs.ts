import { CompiledQuery, sql as raw } from 'kysely'
import type pg from 'pg'
import { chainKey } from '../../src/money/chains/chains.ts'
import { encodeHold } from '../../src/money/ledger/ledger.ts'
import { insertRuns, type RunRecord, type StoredRunFields } from '../../src/records/run-log/run-log.ts'
import { formatId, newUuidAt, parseId } from '../../src/values/id.ts'
import { anyInputs } from './example-books.ts'
import type { ServerUnderTest } from './harness.ts'

/** Runs as they stand in the database, without anybody having started or reported them. */

type Facts = Partial<RunRecord['about']>

export function recordedRun(more: Partial<Omit<RunRecord, 'about'>> & { about?: Facts } = {}): RunRecord {
  const startedAtMs = more.startedAtMs ?? Date.now() - 60_000
  return {
    id: newUuidAt(startedAtMs),
    retentionClass: 90,
    status: 'succeeded',
    depth: null,
    holdId: null,
    usage: {},
    costNano: 1_000_000_000n,
    costBasis: 'reported',
    reservedNano: null,
    overrunNano: 0n,
    valueNano: null,
    endedAtMs: startedAtMs + 1_000,
    ...more,
    startedAtMs,
    about: { model: 'gpt-4o', ...more.about },
  }
}

const uuidOf = (org: string) => parseId('org', org) ?? org

export async function insertRecorded({ platform }: ServerUnderTest, org: string, runs: readonly RunRecord[]) {
  const orgId = uuidOf(org)
  await platform.sql.asOrgs([orgId], async (tx) => {
    for (let i = 0; i < runs.length; i += 1_000) {
      const some = runs.slice(i, i + 1_000)
      const at = new Date().toISOString()
      const { statement, values = [] } = insertRuns(some.map((run) => ({ orgId, run, at })))
      await tx.executeQuery(CompiledQuery.raw(statement.text, [...values]))
      const named = some.filter(({ about }) => about.external_id !== undefined)
      await raw`insert into run_keys (org_id, key, run_id, seen_on)
                select ${orgId}, 'e:' || e, r, current_date from unnest(${named.map(({ about }) => about.external_id)}::text[],
                  ${named.map(({ id }) => id)}::uuid[]) as n (e, r) on conflict do nothing`.execute(tx)
    }
  })
}

interface HeldRun {
  readonly id?: string
  readonly startedAtMs?: number
  readonly reservedNano?: bigint
  readonly request?: Facts
  readonly run?: StoredRunFields
}

/** A run that is running; says its id. */
export async function insertRunning({ platform }: ServerUnderTest, org: string, held: HeldRun = {}): Promise<string> {
  const orgId = uuidOf(org)
  const startedAtMs = held.startedAtMs ?? Date.now() - 1_000
  const id = held.id ?? newUuidAt(startedAtMs)
  const request = { model: 'gpt-4o', ...held.request }
  const inputs = encodeHold({ ...anyInputs, surface: 'start', request, run: held.run ?? {} }, [])
  await platform.sql.asOrgs([orgId], async (tx) => {
    await raw`insert into holds (org_id, id, state, on_expiry, held_at, expires_at, seq, amount_nano, keys, amounts, draws, inputs)
      values (${orgId}, ${id}, 'open', 'charge', ${new Date(startedAtMs)}, ${new Date(startedAtMs + 600_000)}, 1,
              ${held.reservedNano ?? 5n}, '{}', '{}', '{}', ${JSON.stringify(inputs)})`.execute(tx)
    const externalId = held.run?.external_id
    if (externalId !== undefined)
      await raw`insert into run_keys (org_id, key, run_id, seen_on) values (${orgId}, ${`e:${externalId}`}, ${id}, current_date)`.execute(
        tx,
      )
  })
  return id
}

/** Ends a running run, as a lane does: its row comes and its hold goes in one transaction. */
export async function endRunning({ platform }: ServerUnderTest, org: string, run: RunRecord) {
  const orgId = uuidOf(org)
  await platform.sql.asOrgs([orgId], async (tx) => {
    const { statement, values = [] } = insertRuns([{ orgId, run, at: new Date().toISOString() }])
    await tx.executeQuery(CompiledQuery.raw(statement.text, [...values]))
    await raw`update holds set state = 'settled', ended_at = clock_timestamp() where org_id = ${orgId} and id = ${run.id}`.execute(
      tx,
    )
  })
}

interface ChainOf {
  readonly chainId: string
  readonly rootId: string
  readonly maxCostNano?: bigint
  readonly maxTokens?: bigint
  readonly maxDepth?: number
  readonly lastUsedAt?: Date
}

export async function insertChain({ platform }: ServerUnderTest, org: string, chain: ChainOf) {
  const orgId = uuidOf(org)
  const { chainId, rootId, maxCostNano = null, maxTokens = null, maxDepth = null, lastUsedAt = new Date() } = chain
  await platform.sql.asOrgs([orgId], (tx) =>
    tx
      .insertInto('chains')
      .values({
        org_id: orgId,
        chain_id: chainId,
        root_run_id: rootId,
        max_cost_nano: maxCostNano,
        max_tokens: maxTokens,
        max_depth: maxDepth,
        cost_key: chainKey(chainId, 'usd'),
        tokens_key: chainKey(chainId, 'tokens'),
        last_used_at: lastUsedAt,
        created_at: lastUsedAt,
      })
      .execute(),
  )
}

/** One run that has ended, in a chain of its own. */
export async function runOf(server: ServerUnderTest, org: string) {
  const chainId = `chain of ${org}`
  const run = recordedRun({ about: { chain_id: chainId } })
  await insertRecorded(server, org, [run])
  await insertChain(server, org, { chainId, rootId: run.id })
  return { id: formatId('run', run.id), chainId: encodeURIComponent(chainId) }
}

interface Filling {
  readonly orgId: string
  readonly count: number
  readonly retentionClass: number
  /** They start evenly in this time. */
  readonly from: Date
  readonly to: Date
  readonly customers?: number
  /** Keys that made them, in turn; without any, nobody did. */
  readonly keyIds?: readonly string[]
}

/** Very many runs, made in the database itself by its owner: customers, models and costs repeat, and one in 100,000 is tagged `rare`. */
export async function fillRuns(owner: pg.Client, filling: Filling) {
  const { orgId, count, retentionClass, from, to, customers = 5_000, keyIds = [] } = filling
  const atOnce = 500_000
  for (let first = 1; first <= count; first += atOnce)
    await owner.query(
      `insert into runs (org_id, class, id, status, model, provider, workflow_id, department_id, customer_id, input_tokens,
         output_tokens, cost_nano, cost_basis, tags, started_at, ended_at, recorded_at, updated_at, key_id)
       select $1, $2, (lpad(to_hex(ms), 12, '0') || '7' || substr(hash, 1, 3) || 'a' || substr(hash, 4, 15))::uuid,
              case when i % 50 = 0 then 'failed' else 'succeeded' end, 'model-' || i % 20, 'openai', 'workflow-' || i % 30,
              'department-' || i % 5, 'customer-' || i % $8::bigint, 1200, i % 900, (i * 7919) % 1000003 * 1000, 'computed',
              case when i % 100000 = 1 then '{rare}'::text[] else '{}' end, at, at + interval '2 seconds', at, at,
              ($9::uuid[])[1 + i % greatest(cardinality($9::uuid[]), 1)]
         from (select i, ms, md5(i::text) as hash, to_timestamp(ms / 1000.0) as at
                 from (select i, floor($5::float8 + ($6::float8 - $5) * i / ($7::float8 + 1))::bigint as ms
                         from generate_series($3::bigint, $4::bigint) i) a) b`,
      [
        orgId,
        retentionClass,
        first,
        Math.min(count, first + atOnce - 1),
        from.getTime(),
        to.getTime(),
        count,
        customers,
        keyIds,
      ],
    )
}
