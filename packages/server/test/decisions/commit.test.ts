import pg from 'pg'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { commit, UnknownOutcome } from '../../src/decisions/lanes/commit.ts'
import {
  type BoundStatement,
  openPipelinedConnection,
  type PipelinedConnection,
  statement,
} from '../../src/platform/infra/pipelined-connection.ts'
import { secret } from '../../src/values/secret.ts'
import { useDatabase } from '../support/harness.ts'
import { eventually } from '../support/processes.ts'
import { useTcpProxy } from '../support/tcp-proxy.ts'

/** What is known of a transaction whose last flight, its writes and COMMIT, does not end well. */
const database = useDatabase()
const proxy = useTcpProxy(() => {
  const { hostname, port } = new URL(database.ownerUrl)
  return { host: hostname, port: Number(port) }
})

beforeAll(async () => {
  await database.owner.query(`
    create table written (n integer);
    create function warn() returns trigger language plpgsql as $$ begin raise warning 'committed here alone'; return null; end $$;
    create constraint trigger warns after insert on written deferrable initially deferred
       for each row when (new.n < 0) execute function warn()`)
})

let connection: PipelinedConnection
let number = 0
afterEach(() => {
  connection.destroy()
  proxy.mend()
})

const bound = (name: string, text: string, ...values: unknown[]): BoundStatement => ({
  statement: statement(name, text),
  values,
})
const write = (n: number) => bound('write', 'insert into written values ($1)', n)
const begin = bound('begin', 'begin')
const divide = bound('divide', 'select 1 / $1::integer', 0)
const sleep = bound('sleep', 'select pg_sleep(20)')

async function open() {
  const url = Object.assign(new URL(database.ownerUrl), { hostname: '127.0.0.1', port: String(proxy.port) }).href
  connection = await openPipelinedConnection({
    url: secret(url),
    applicationName: 'commit test',
    settings: { statement_timeout: '1500', lock_timeout: '200' },
    pipelineTimeoutMs: 2_500,
  })
  await connection.pipeline([begin])
}

/** Commits two rows with other statements between them; returns what was thrown. */
const failing = (n: number, ...between: BoundStatement[]): Promise<unknown> =>
  commit(connection, [write(n), ...between, write(n)]).then(
    () => undefined,
    (error: unknown) => error,
  )

const rowsOf = async (n: number) =>
  (await database.owner.query<{ n: number }>('select n from written where n = $1', [n])).rows.length

const atTheServer = (what: string) =>
  eventually(async () => {
    const { rows } = await database.owner.query(
      `select pid from pg_stat_activity where application_name = 'commit test' and ${what}`,
    )
    return rows.length > 0
  })

test('a flight that ends well is committed, the first time and prepared', async () => {
  await open()
  for (const n of [++number, ++number]) {
    await commit(connection, [write(n), write(n)])
    expect(await rowsOf(n)).toBe(2)
    await connection.pipeline([begin])
  }
})

describe('nothing is committed, and that is known, where', () => {
  const cases: Record<string, [code: string, BoundStatement, meanwhile?: () => Promise<unknown>]> = {
    'a statement fails': ['22012', divide],
    'a statement cannot be prepared': ['42P01', bound('nothing', 'select * from nothing_of_this_name')],
    'a statement gets values of another type': ['22P02', bound('typed', 'select $1::integer', 'x')],
    'a statement takes longer than it may': ['57014', sleep],
    'a statement is cancelled': [
      '57014',
      sleep,
      async () => {
        await atTheServer(`wait_event = 'PgSleep'`)
        await database.owner.query(
          `select pg_cancel_backend(pid) from pg_stat_activity where application_name = 'commit test'`,
        )
      },
    ],
  }
  test.each(Object.entries(cases))('%s', async (_name, [code, statement, meanwhile]) => {
    await open()
    const n = ++number
    const thrown = failing(n, statement)
    await meanwhile?.()
    expect(await thrown).toMatchObject({ code })
    expect(await thrown).not.toBeInstanceOf(UnknownOutcome)
    connection.destroy()
    expect(await rowsOf(n)).toBe(0)
  })

  test('a lock is not to be had in time', async () => {
    await open()
    const n = ++number
    const other = new pg.Client({ connectionString: database.ownerUrl })
    await other.connect()
    try {
      await other.query('begin; lock table written in exclusive mode')
      expect(await failing(n)).toMatchObject({ code: '55P03' })
    } finally {
      await other.end()
    }
    expect(await rowsOf(n)).toBe(0)
  })
})

describe('whether it is committed is not known where', () => {
  test('the answer does not come: it was committed', async () => {
    await open()
    const n = ++number
    proxy.deafen()
    expect(await failing(n)).toBeInstanceOf(UnknownOutcome)
    expect(await rowsOf(n)).toBe(2)
  })

  test('the connection breaks after COMMIT was sent: it was committed', async () => {
    await open()
    const n = ++number
    proxy.deafen()
    const thrown = failing(n)
    await eventually(async () => (await rowsOf(n)) === 2)
    proxy.cut()
    expect(await thrown).toBeInstanceOf(UnknownOutcome)
  })

  test('what was sent did not arrive: it was not committed', async () => {
    await open()
    const n = ++number
    proxy.mute()
    expect(await failing(n)).toBeInstanceOf(UnknownOutcome)
    expect(await rowsOf(n)).toBe(0)
  })

  test('the connection was lost before: it was not committed', async () => {
    await open()
    const n = ++number
    proxy.cut()
    expect(await failing(n)).toBeInstanceOf(UnknownOutcome)
    expect(await failing(n)).toBeInstanceOf(UnknownOutcome)
    expect(await rowsOf(n)).toBe(0)
  })

  test('the server ends the session: it was not committed', async () => {
    await open()
    const n = ++number
    const end = bound('end', 'select pg_terminate_backend(pg_backend_pid())')
    expect(await failing(n, end)).toBeInstanceOf(UnknownOutcome)
    expect(await rowsOf(n)).toBe(0)
  })

  test('the transaction had failed before: PostgreSQL answers ROLLBACK, and no error', async () => {
    await open()
    await expect(connection.pipeline([divide])).rejects.toMatchObject({ code: '22012' })
    const thrown = await commit(connection, []).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(UnknownOutcome)
    expect(thrown).toMatchObject({ message: expect.stringContaining('COMMIT answered ROLLBACK') })
  })

  test('COMMIT comes with a warning: it was committed, perhaps nowhere else', async () => {
    await open()
    const n = -++number
    const thrown = await failing(n)
    expect(thrown).toBeInstanceOf(UnknownOutcome)
    expect(thrown).toMatchObject({ message: expect.stringContaining('committed here alone') })
    expect(await rowsOf(n)).toBe(2)
  })
})
