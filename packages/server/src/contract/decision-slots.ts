import { Gauge } from 'prom-client'
import type { Config } from '../config.ts'
import { FairSlots } from '../platform/infra/fair-slots.ts'
import type { Metrics } from '../platform/infra/metrics.ts'
import { RecentOrgs } from '../platform/infra/recent-orgs.ts'
import type { App } from './routes.ts'
import { continueWithSlot } from './slot-wait.ts'

const maxWaitingPerOrg = 2_000

/**
 * Bounds the concurrent decisions of one organization while others are active. The rest wait before their body is read, where
 * they cost nothing, and organizations are served in turn: a decision of one never waits behind a hundred of another.
 */
export function limitConcurrentDecisions(
  app: App,
  { decisionsPerOrg, decisionQueueTimeoutMs }: Pick<Config, 'decisionsPerOrg' | 'decisionQueueTimeoutMs'>,
  metrics: Metrics,
) {
  const recent = new RecentOrgs()
  app.addHook('onClose', () => recent.close())
  const slots = new FairSlots({
    total: Number.POSITIVE_INFINITY,
    perOrg: () => (recent.hasSeveral ? decisionsPerOrg : Number.POSITIVE_INFINITY),
    maxWaitingPerOrg,
    maxWaitMs: decisionQueueTimeoutMs,
  })
  new Gauge({
    name: 'svc_decisions_waiting',
    help: 'Decisions that wait for a slot of their organization.',
    registers: [metrics],
    collect() {
      this.set(slots.waiting)
    },
  })

  app.addHook('onRequest', (request, reply, done) => {
    const { principal, route } = request
    if (route.urgency !== 'decision' || !principal) return done()
    const { orgId } = principal
    recent.add(orgId)
    const entered = () => {
      // A caller that has hung up emits no further close event: its slot is freed at once.
      if (reply.raw.closed) slots.leave(orgId)
      else reply.raw.once('close', () => slots.leave(orgId))
    }
    continueWithSlot(slots, orgId, reply, { entered, refusal: tooManyDecisions }, done)
  })
}

const tooManyDecisions = 'The organization has too many concurrent decisions. Retry with backoff.'
