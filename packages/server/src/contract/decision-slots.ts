import type { ServerResponse } from 'node:http'
import { Gauge } from 'prom-client'
import type { Config } from '../config.ts'
import { FairSlots } from '../platform/infra/fair-slots.ts'
import type { Metrics } from '../platform/infra/metrics.ts'
import { RecentOrgs } from '../platform/infra/recent-orgs.ts'
import { present } from '../values/present.ts'
import type { App } from './routes.ts'
import { continueWithSlot, type SlotGate } from './slot-wait.ts'

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

  const gate: SlotGate = {
    slots,
    entered: (orgId, { raw }) => {
      // A caller that has hung up emits no further close event: its slot is freed at once.
      if (raw.closed) return slots.leave(orgId)
      const response: Holding = raw
      response[holder] = orgId
      response.on('close', leave)
    },
    refusal: tooManyDecisions,
  }

  app.addHook('onRequest', (request, reply, done) => {
    const { principal, route } = request
    if (route.urgency !== 'decision' || !principal) return done()
    const { orgId } = principal
    recent.add(orgId)
    continueWithSlot(gate, orgId, reply, done)
  })

  function leave(this: Holding) {
    slots.leave(present(this[holder]))
  }
}

const holder = Symbol('the organization whose slot a response holds')
type Holding = ServerResponse & { [holder]?: string }

const tooManyDecisions = 'The organization has too many concurrent decisions. Retry with backoff.'
