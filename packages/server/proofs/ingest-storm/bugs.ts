import pg from 'pg'
import type { IngestResult, Lanes } from '../../src/decisions/lanes/lanes.ts'
import type { BoundStatement } from '../../src/platform/infra/flight.ts'
import { PipelineQuery } from '../../src/platform/infra/pipeline-query.ts'
import type { Platform } from '../../src/platform/infra/platform.ts'
import { claimRuns, countUsage, deleteRunKeys, deleteRuns, readRunKeys } from '../../src/records/run-log/run-log.ts'
import { newUuid } from '../../src/values/id.ts'

/** Faults of ingest, to be planted into API processes: each breaks one promise that the storm must see broken. */

export type Plant = (lanes: Lanes, platform: Platform) => void

/** Sends another text under the name of a statement. */
export const rewriteStatement = (name: string, rewrite: (text: string) => string) =>
  replaceStatement(({ statement, ...bound }) => ({
    ...bound,
    statement: statement.name === name ? { name, text: rewrite(statement.text) } : statement,
  }))

function replaceStatement(replace: (bound: BoundStatement) => BoundStatement) {
  const submit: (this: PipelineQuery, connection: pg.Connection) => void = Reflect.get(
    PipelineQuery.prototype,
    'submit',
  )
  PipelineQuery.prototype.submit = function (connection) {
    Object.assign(this, { statements: this.statements.map(replace) })
    submit.call(this, connection)
  }
}

/** Replaces the parts of a statement that make a rule; a plant that does not find them would prove nothing. */
function breakRule({ statement: { name, text } }: BoundStatement, ...parts: readonly (readonly [string, string])[]) {
  for (const [part] of parts) if (!text.includes(part)) throw new Error(`${name} no longer says: ${part}`)
  const broken = parts.reduce((changed, [part, instead]) => changed.replace(part, instead), text)
  rewriteStatement(name, () => broken)
}

export const ingestBugs: Readonly<Record<string, Plant>> = {
  /** Records every run that is sent, whoever has its name. */
  'no-claim': () => {
    breakRule(claimRuns([], []), ['where i.external_id is null', 'where true'])
    breakRule(readRunKeys([]), ['limit 1', 'limit 0'])
  },
  /** Claims names in no order, and slowly enough to meet others at it. */
  'unordered-claim': () =>
    breakRule(
      claimRuns([], []),
      ['order by org_id, key', 'order by random(), org_id, key'],
      ['clock_timestamp()', 'case when pg_sleep(0.0005) is null then null else clock_timestamp() end'],
    ),
  /** Adds every run to usage twice. */
  'usage-twice': () =>
    breakRule(
      countUsage([]),
      ['select org_id, id,', 'select org_id, gen_random_uuid(),'],
      ['from json_to_recordset', 'from generate_series(1, 2), json_to_recordset'],
    ),
  /** Counts usage beside the transaction, before it is known whether that commits. */
  'usage-early': (_lanes, { config }) => {
    replaceStatement((bound) => {
      if (bound.statement.name !== 'insert_usage_deltas') return bound
      void countBeside(config.databaseUrl.reveal(), bound)
      return { ...bound, statement: { name: 'nothing', text: 'select $1::json where false' } }
    })
  },
  /** Leaves runs behind that a limit has refused. */
  'refused-stay': () => breakRule(deleteRuns([]), ['r.id = t.wanted', 'r.id = t.wanted and false']),
  /** Keeps the names of runs that were refused. */
  'names-stay': () => breakRule(deleteRunKeys([]), ['k.run_id = t.run_id', 'k.run_id = t.run_id and false']),
  /** Acknowledges runs of which it is not known whether they were stored. */
  'hopeful-ingest': (lanes) => {
    const original = lanes.ingest
    const hoped = (): IngestResult => ({ runId: newUuid(), isDuplicate: false, error: undefined })
    Object.assign(lanes, {
      ingest: (task: Parameters<Lanes['ingest']>[0]) =>
        original(task).catch(() => ({ results: task.items.map(hoped) })),
    })
  },
}

async function countBeside(connectionString: string, { statement, values }: BoundStatement) {
  const client = new pg.Client({ connectionString })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const [rows] = values as [string]
    const orgs = (JSON.parse(rows) as { org_id: string }[]).map(({ org_id }) => org_id)
    await client.query(`select set_config('app.orgs', $1, false)`, [[...new Set(orgs)].join(',')])
    await client.query(statement.text, [rows])
  } catch {
    // Lost, which is another way to count wrongly.
  } finally {
    await client.end().catch(() => undefined)
  }
}
