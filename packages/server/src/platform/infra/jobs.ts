import { SpanKind } from '@opentelemetry/api'
import { run, Logger as WorkerLogger } from 'graphile-worker'
import pg from 'pg'
import { Counter, Gauge, Histogram } from 'prom-client'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Sql } from './sql.ts'
import { withStartPatience } from './start-patience.ts'
import { type Tracing, withinTrace } from './trace.ts'

/** One kind of background work. It must tolerate running twice: a worker can die after the work and before recording it. */
export interface Job {
  readonly name: string
  /** Crontab expression in UTC; without one the job runs only on request. */
  readonly schedule?: string
  readonly run: (payload: unknown, signal: AbortSignal | undefined) => Promise<void>
}

const severities = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const

/** Logger for the job queue, one level quieter than its own: its routine messages are not news. */
export const workerLogger = (log: Log) =>
  new WorkerLogger(
    () => (level, message, meta) => log[severities[level]](meta?.['error'] ? { error: meta['error'] } : {}, message),
  )

export interface JobRunner {
  /** The ids under which this process locks jobs. */
  readonly lockers: () => string[]
  /** Takes no new jobs and waits for the running ones. */
  readonly stop: () => Promise<void>
}

export async function startJobs(options: {
  jobs: readonly Job[]
  sql: Sql
  log: Log
  metrics: Metrics
  tracing: Tracing
  concurrency: number
}): Promise<JobRunner> {
  const { jobs, sql, log, metrics, tracing } = options
  const seconds = new Histogram({
    name: 'svc_job_duration_seconds',
    help: 'Duration of jobs, by kind and outcome.',
    labelNames: ['job', 'outcome'],
    buckets: [0.01, 0.05, 0.25, 1, 5, 30, 120],
    registers: [metrics],
  })
  const failures = new Counter({
    name: 'svc_job_failures_total',
    help: 'Failed runs of jobs, which will be retried.',
    labelNames: ['job'],
    registers: [metrics],
  })
  const running = new Gauge({ name: 'svc_jobs_running', help: 'Jobs currently running.', registers: [metrics] })

  const lockers = new Set<string>()
  const tasks = Object.fromEntries(
    jobs.map((job) => [
      job.name,
      (payload: unknown, helpers: { abortSignal?: AbortSignal }) => {
        const trace = tracing.begin(`job ${job.name}`, SpanKind.CONSUMER)
        return withinTrace(trace, async () => {
          const end = seconds.startTimer({ job: job.name })
          running.inc()
          try {
            await job.run(payload, helpers.abortSignal)
            end({ outcome: 'done' })
          } catch (error) {
            end({ outcome: 'failed' })
            failures.inc({ job: job.name })
            log.error({ error, job: job.name }, 'a job failed; it will be retried')
            throw error
          } finally {
            running.dec()
            trace.span?.end()
          }
        })
      },
    ]),
  )
  const { EventEmitter } = await import('node:events')
  const events = new EventEmitter()
  events.on('worker:create', ({ worker }: { worker: { workerId: string } }) => lockers.add(worker.workerId))

  const runner = await withStartPatience(log, () =>
    run({
      pgPool: withUsualTypes(sql.pool),
      taskList: tasks,
      crontab: jobs.flatMap((job) => (job.schedule ? [`${job.schedule} ${job.name}`] : [])).join('\n'),
      concurrency: options.concurrency,
      noHandleSignals: true,
      logger: workerLogger(log),
      events,
    }),
  )
  let isStopping = false
  events.on('stop', () => {
    if (isStopping) return
    // Nobody would work any more: it is for whoever started this process to start it again.
    setImmediate(() => {
      throw new Error('the job queue has stopped by itself')
    })
  })
  return {
    lockers: () => [...lockers],
    stop: () => {
      isStopping = true
      return runner.stop()
    },
  }
}

/**
 * Returns a pool whose results have the types that the driver gives them by itself. The queue writes ids of jobs as JSON, which has no place for
 * a bigint: with our types no job could fail.
 */
function withUsualTypes(pool: pg.Pool): pg.Pool {
  const withTypes = (client: pg.PoolClient) =>
    proxyOf(client, {
      query: (query: string | pg.QueryConfig, values: unknown[] = []) =>
        client.query({ ...(typeof query === 'string' ? { text: query, values } : query), types: pg.types }),
    })
  type Callback = (error: Error | undefined, client: pg.PoolClient | undefined, release: () => void) => void
  return proxyOf(pool, {
    connect: (callback?: Callback) =>
      callback
        ? pool.connect((error, client, release) => callback(error, client && withTypes(client), release))
        : pool.connect().then(withTypes),
  })
}

/** Returns an object that does some things differently, and all others itself. */
const proxyOf = <T extends object>(object: T, different: object): T =>
  new Proxy(object, {
    get: (_, name) => {
      if (name in different) return different[name as keyof typeof different]
      const value: unknown = Reflect.get(object, name)
      return typeof value === 'function' ? value.bind(object) : value
    },
  })
