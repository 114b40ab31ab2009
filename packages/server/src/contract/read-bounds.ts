import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, Gauge } from 'prom-client'
import type { Config } from '../config.ts'
import { FairSlots, NoSlot } from '../platform/infra/fair-slots.ts'
import type { Metrics } from '../platform/infra/metrics.ts'
import { wholeSeconds } from '../platform/infra/rate-limiter.ts'
import { type ReadLimiter, withReadLimiter } from '../platform/infra/read-limiter.ts'
import { TimeBudget } from '../platform/infra/time-budget.ts'
import { errorOf } from '../values/thrown.ts'
import { ApiError } from './errors.ts'
import { type App, isContractPath, type RouteDeclaration } from './routes.ts'

/** Class of a read, by which an organization's reads are bounded, so that they leave connections and processors to others. */
export type ReadClass = 'read' | 'expensive'

const maxWaitingPerOrg = 100
const maxWaitMs = 5_000
/** Statement timeout of expensive reads. */
const expensiveStatementMs = 10_000
/** Longest wait for a budget to refill; a caller that would wait longer is told when to retry. */
const maxBudgetWaitMs = 2_000

/** Returns the class of a route; undefined when it only changes things. */
export function readClassOf(method: string, { expensive, open }: RouteDeclaration): ReadClass | undefined {
  if (open === true) return undefined
  if (expensive === true) return 'expensive'
  return method === 'GET' || method === 'HEAD' ? 'read' : undefined
}

type Settings = Pick<
  Config,
  'databasePoolSize' | 'readsPerOrg' | 'expensiveReadsPerOrg' | 'expensiveReadMsPerSecond' | 'expensiveReadBurstMs'
>

type Slots = Readonly<Record<ReadClass, FairSlots>>

function createSlots({ databasePoolSize, readsPerOrg, expensiveReadsPerOrg }: Settings): Slots {
  const line = { maxWaitingPerOrg, maxWaitMs }
  // The rest of the pool is for changes and for authentication, whatever is being read.
  const total = Math.max(1, Math.floor(databasePoolSize * 0.7))
  return {
    read: new FairSlots({ total, perOrg: () => readsPerOrg, ...line }),
    expensive: new FairSlots({
      total: Math.max(1, Math.floor(total / 2)),
      perOrg: () => expensiveReadsPerOrg,
      ...line,
    }),
  }
}

/** Registers the metrics of reads; returns the counter of refused ones. */
function createReadMetrics(metrics: Metrics, slots: Slots) {
  const refused = new Counter({
    name: 'svc_reads_refused_total',
    help: 'Reads refused because their organization had too many in progress (slots) or had used its database time (budget).',
    labelNames: ['reason'],
    registers: [metrics],
  })
  for (const reason of ['slots', 'budget']) refused.inc({ reason }, 0)
  new Gauge({
    name: 'svc_reads_under_way',
    help: 'Transactions of reads in progress, by class.',
    labelNames: ['class'],
    registers: [metrics],
    collect() {
      for (const name of ['read', 'expensive'] as const) this.set({ class: name }, slots[name].inUse)
    },
  })
  return refused
}

/** Gives every read one of its organization's slots, and expensive reads a budget of database time as well. */
export function limitReads(app: App, settings: Settings, metrics: Metrics) {
  const slots = createSlots(settings)
  const budget = new TimeBudget({
    burstMs: settings.expensiveReadBurstMs,
    msPerSecond: settings.expensiveReadMsPerSecond,
  })
  const refused = createReadMetrics(metrics, slots)

  app.addHook('onRoute', (options) => {
    if (!isContractPath(options.url)) return
    const [method = ''] = [options.method].flat()
    const readClass = readClassOf(method, options.config ?? {})
    if (readClass) options.config = { ...options.config, readClass }
  })

  app.addHook('preHandler', (request, _reply, done) => {
    const { principal, route } = request
    if (route.readClass === undefined || !principal) return done()
    const limiter = createLimiter(principal.orgId, route.readClass)
    const waitMs = route.readClass === 'expensive' ? budget.waitMs(principal.orgId, performance.now()) : 0
    if (waitMs === 0) return withReadLimiter(limiter, done)
    void readLater(principal.orgId, waitMs, limiter, done)
  })

  async function readLater(orgId: string, waitMs: number, limiter: ReadLimiter, done: (refusal?: Error) => void) {
    try {
      await waitForBudget(orgId, waitMs)
    } catch (error) {
      return done(errorOf(error))
    }
    withReadLimiter(limiter, done)
  }

  const createLimiter = (orgId: string, readClass: ReadClass): ReadLimiter => ({
    enter: () => enter(orgId, readClass),
    leave: () => slots[readClass].leave(orgId),
    spend: (ms) => readClass === 'expensive' && budget.spend(orgId, ms, performance.now()),
    statementMs: readClass === 'expensive' ? expensiveStatementMs : undefined,
  })

  async function enter(orgId: string, readClass: ReadClass) {
    try {
      await slots[readClass].enter(orgId)
    } catch (error) {
      if (!(error instanceof NoSlot)) throw error
      refused.inc({ reason: 'slots' })
      throw new ApiError(
        'service_unavailable',
        {},
        { message: 'The organization has too many concurrent reads. Retry with backoff.' },
      )
    }
  }

  async function waitForBudget(orgId: string, waitMs: number) {
    let leftMs = waitMs
    if (waitMs <= maxBudgetWaitMs) {
      await sleep(waitMs)
      leftMs = budget.waitMs(orgId, performance.now())
      if (leftMs === 0) return
    }
    refused.inc({ reason: 'budget' })
    throw new ApiError(
      'rate_limited',
      { retry_after_seconds: wholeSeconds(leftMs) },
      { message: 'The organization has used its database time for expensive reads, which refills continuously.' },
    )
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    readClass?: ReadClass
  }
}
