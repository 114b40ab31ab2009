import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { services } from '../../scripts/private-services.ts'
import {
  openPipelinedConnection,
  type PipelinedConnection,
  statement,
} from '../../src/platform/infra/pipelined-connection.ts'
import { secret } from '../../src/values/secret.ts'
import { useTcpProxy } from '../support/tcp-proxy.ts'

const begin = { statement: statement('begin', 'begin') }
const commit = { statement: statement('commit', 'commit') }
const make = { statement: statement('make', 'create temporary table seen (n integer) on commit delete rows') }
const add = (...numbers: number[]) => ({
  statement: statement('add', 'insert into seen select unnest($1::integer[])'),
  values: [numbers],
})
const read = { statement: statement('read', 'select n, n::bigint as big, null::text as nothing from seen order by n') }
const sleep = (seconds: number) => ({
  statement: statement('sleep', 'select pg_sleep($1::double precision)'),
  values: [seconds],
})
const fail = { statement: statement('fail', 'select 1 / $1::integer as never'), values: [0] }

describe('a pipeline', () => {
  let connection: PipelinedConnection
  const open = () =>
    openPipelinedConnection({ url: secret(services().postgres.url), applicationName: 'test', settings: {} })
  beforeAll(async () => {
    connection = await open()
    await connection.pipeline([make])
  })
  afterAll(() => connection.destroy())

  test('returns the rows of each statement in the order sent, the first time and when it is prepared', async () => {
    for (const round of [1, 2]) {
      const results = await connection.pipeline([begin, read, add(round, 7), add(8), read, commit])
      expect(results.map(({ command }) => command)).toEqual(['BEGIN', 'SELECT', 'INSERT', 'INSERT', 'SELECT', 'COMMIT'])
      const row = (n: number) => ({ n, big: BigInt(n), nothing: null })
      expect(results.map(({ rows }) => rows)).toEqual([[], [], [], [], [row(round), row(7), row(8)], []])
    }
  })

  test('that fails throws the first failure, and commits nothing of what was sent behind it', async () => {
    const own = await open()
    try {
      await own.pipeline([{ statement: statement('table', 'create temporary table seen (n integer)') }])
      await expect(own.pipeline([begin, add(1), fail, add(2), commit])).rejects.toMatchObject({ code: '22012' })
      const rollback = { statement: statement('rollback', 'rollback') }
      const [, after] = await own.pipeline([rollback, { statement: statement('count', 'select n from seen') }])
      expect(after?.rows).toEqual([])
    } finally {
      own.destroy()
    }
  })

  test('on a connection that ends meanwhile fails, and so does the next', async () => {
    const own = await open()
    const end = { statement: statement('end', 'select pg_terminate_backend(pg_backend_pid())') }
    await expect(own.pipeline([begin, end, commit])).rejects.toMatchObject({ code: '57P01' })
    await expect(own.pipeline([begin, commit])).rejects.toThrow(/terminated|not queryable/)
    own.destroy()
  })

  test('has a time limit of its own, however long the connection is in use or rests', async () => {
    const own = await openPipelinedConnection({
      url: secret(services().postgres.url),
      applicationName: 'test',
      settings: {},
      pipelineTimeoutMs: 2_000,
    })
    try {
      await own.pipeline([sleep(1.2)])
      // The limit of this flight passes while nothing is under way, and does not end the next.
      await connection.pipeline([sleep(0.9)])
      await own.pipeline([sleep(1.2)])
      await expect(own.pipeline([sleep(20)])).rejects.toThrow('the database connection does not answer')
    } finally {
      own.destroy()
    }
  })
})

describe('on the wire', () => {
  const proxy = useTcpProxy(() => {
    const { hostname, port } = new URL(services().postgres.url)
    return { host: hostname, port: Number(port) }
  })

  /** Counts the messages of a flight by their type. */
  function countMessages(sent: Buffer) {
    const counts: Record<string, number> = {}
    for (let at = 0; at < sent.length; at += 1 + sent.readInt32BE(at + 1)) {
      const type = String.fromCharCode(sent[at] ?? 0)
      counts[type] = (counts[type] ?? 0) + 1
    }
    return counts
  }

  test('a flight ends in one Sync, and a statement is parsed and described once in the life of its connection', async () => {
    const url = Object.assign(new URL(services().postgres.url), {
      hostname: '127.0.0.1',
      port: String(proxy.port),
    }).href
    const own = await openPipelinedConnection({ url: secret(url), applicationName: 'test', settings: {} })
    const sent: Buffer[] = []
    proxy.watch = (chunk) => sent.push(chunk)
    const send = async (...statements: Parameters<PipelinedConnection['pipeline']>[0]) => {
      await own.pipeline(statements)
      return countMessages(Buffer.concat(sent.splice(0)))
    }
    try {
      expect(await send(begin, make, add(1), add(2), read, commit)).toEqual({ P: 5, B: 6, D: 5, E: 6, S: 1 })
      expect(await send(begin, add(1), add(2), read, commit)).toEqual({ B: 5, E: 5, S: 1 })
      expect(await send(begin, sleep(0), commit)).toEqual({ P: 1, B: 3, D: 1, E: 3, S: 1 })
    } finally {
      own.destroy()
    }
  })
})
