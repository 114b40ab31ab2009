import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { services } from '../../scripts/private-services.ts'
import {
  openPipelinedConnection,
  type PipelinedConnection,
  statement,
} from '../../src/platform/infra/pipelined-connection.ts'
import { secret } from '../../src/values/secret.ts'

const begin = { statement: statement('begin', 'begin') }
const commit = { statement: statement('commit', 'commit') }
const make = { statement: statement('make', 'create temporary table seen (n integer) on commit delete rows') }
const add = (...numbers: number[]) => ({
  statement: statement('add', 'insert into seen select unnest($1::integer[])'),
  values: [numbers],
})
const read = { statement: statement('read', 'select n, n::bigint as big, null::text as nothing from seen order by n') }
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
})
