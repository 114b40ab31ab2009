import { Writable } from 'node:stream'
import { afterAll, expect, test } from 'vitest'
import { type Job, startJobs } from '../../src/platform/infra/jobs.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { createMetrics } from '../../src/platform/infra/metrics.ts'
import { openSql } from '../../src/platform/infra/sql.ts'
import { createTracing } from '../../src/platform/infra/trace.ts'
import { secret } from '../../src/values/secret.ts'
import { useDatabase } from '../support/harness.ts'
import { eventually } from '../support/programs.ts'

const database = useDatabase()
const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closing.toReversed()) await close()
})

/** Starts a queue that knows one job; returns what was logged. */
async function queueOf(job: Job) {
  const lines: string[] = []
  const log = createLog(
    { level: 'info', role: 'test' },
    new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk))
        done()
      },
    }),
  )
  const sql = openSql({ url: secret(database.appUrl), maxConnections: 4, applicationName: 'jobs', log })
  closing.push(() => sql.close())
  const runner = await startJobs({
    jobs: [job],
    sql,
    log,
    metrics: createMetrics({ version: 'test', role: 'test' }),
    tracing: await createTracing({ sampleRatio: 0, endpoint: undefined, serviceName: 'test', version: 'test' }),
    concurrency: 1,
  })
  closing.push(runner.stop)
  return lines
}

const add = (name: string) => database.owner.query('select graphile_worker.add_job($1)', [name])
const rowOf = async (name: string) => {
  const { rows } = await database.owner.query(
    'select attempts, last_error, locked_by from graphile_worker.jobs where task_identifier = $1',
    [name],
  )
  return rows[0] as { attempts: number; last_error: string | null; locked_by: string | null } | undefined
}

test('a job that fails is tried again, and the queue goes on', async () => {
  let runs = 0
  const lines = await queueOf({
    name: 'fail-once',
    run: async () => {
      if (++runs === 1) throw new Error('the first time')
    },
  })
  await add('fail-once')
  await eventually(async () => (await rowOf('fail-once'))?.last_error === 'the first time')
  expect(await rowOf('fail-once')).toMatchObject({ attempts: 1, locked_by: null })
  await eventually(async () => (await rowOf('fail-once')) === undefined)
  expect(runs).toBe(2)
  expect(lines.filter((line) => /stopped by itself|seppuku/.test(line))).toEqual([])
})
