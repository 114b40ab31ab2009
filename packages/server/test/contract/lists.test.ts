import { sql as raw } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pageRequest, pageResponse } from '../../src/contract/lists.ts'
import { keysetPage } from '../../src/platform/infra/keyset.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { openSql, type Sql } from '../../src/platform/infra/sql.ts'
import { secret } from '../../src/values/secret.ts'
import { useDatabase } from '../support/harness.ts'

const database = useDatabase()
let sql: Sql
beforeAll(() => {
  sql = openSql({
    url: secret(database.appUrl),
    maxConnections: 2,
    applicationName: 'test',
    log: createLog({ level: 'fatal', role: 'test' }),
  })
})
afterAll(() => sql.close())

const insert = (role: string, microseconds: number) =>
  raw`insert into nodes (id, role, version, started_at, lease_until)
      values (${uuidv7()}, ${role}, 'x', timestamptz '2026-01-01' + make_interval(secs => ${microseconds / 1e6}), now())`.execute(
    sql.db,
  )

describe.each(['role', '-role', 'started_at', '-started_at'])('paging a table sorted by %s', (sort) => {
  test('returns each row once while others are inserted', async () => {
    await raw`delete from nodes`.execute(sql.db)
    // Many equal values, and timestamps that differ by a microsecond only.
    for (let i = 0; i < 60; i++) await insert(`role-${i % 4}`, i % 20)
    const { rows: initial } = await raw<{ id: string }>`select id from nodes`.execute(sql.db)

    const seen: string[] = []
    let cursor: string | undefined
    do {
      const request = pageRequest({ limit: 7, sort, ...(cursor !== undefined && { cursor }) }, 'role')
      const query = sql.db.selectFrom('nodes').select(['id', raw<string>`${raw.ref(request.sort)}::text`.as('value')])
      const rows = await keysetPage(query, { sort: request.sort, id: 'id' }, request).execute()
      const answer = pageResponse(rows, request, ({ id, value }) => ({ id, value }))
      expect(answer.data.length).toBeLessThanOrEqual(7)
      seen.push(...answer.data.map(({ id }) => id))
      cursor = answer.next_cursor ?? undefined
      if (seen.length < 60) await insert(`role-${seen.length % 4}`, seen.length % 20)
    } while (cursor !== undefined)

    expect(new Set(seen).size).toBe(seen.length)
    expect(initial.filter(({ id }) => !seen.includes(id))).toEqual([])
  })
})
