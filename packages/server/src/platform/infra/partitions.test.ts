import { expect, test } from 'vitest'
import { useDatabase } from '../../../test/support/harness.ts'
import { secret } from '../../values/secret.ts'
import { createLog } from './log.ts'
import { ensureDailyPartitions, partitionBounds } from './partitions.ts'
import { openSql } from './sql.ts'

const database = useDatabase()
const log = createLog({ level: 'fatal', role: 'test' })
const tables = [{ name: 'idempotency_keys', bound: partitionBounds.date, retentionDays: 2 }]

test('processes that start together on a bare day all find its partitions made', async () => {
  const processes = Array.from({ length: 6 }, () =>
    openSql({ url: secret(database.appUrl), maxConnections: 1, applicationName: 'test', log }),
  )
  for (let day = 1; day <= 10; day++) {
    const now = new Date(Date.UTC(2031, day, 15))
    await Promise.all(processes.map((sql) => ensureDailyPartitions(sql, tables, now, 2)))
  }
  const { rows } = await database.owner.query(
    `select count(*)::int as made from pg_inherits where inhparent = 'idempotency_keys'::regclass`,
  )
  expect(rows).toEqual([{ made: 10 * 4 }])
  await Promise.all(processes.map((sql) => sql.close()))
})
