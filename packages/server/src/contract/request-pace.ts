import { FairSlots } from '../platform/infra/fair-slots.ts'
import { RecentOrgs } from '../platform/infra/recent-orgs.ts'
import { overloaded } from './load-shedding.ts'
import type { App } from './routes.ts'
import { continueWithSlot, type SlotGate } from './slot-wait.ts'

/** Requests per turn: most take a fraction of a millisecond before they wait for something, so a turn lasts a few. */
const perTurn = 16
const perTurnAndOrg = 8
const maxWaitingPerOrg = 10_000
const maxWaitMs = 5_000

/**
 * Bounds how many requests start in one turn of the event loop while several organizations are active. Otherwise all that
 * arrived meanwhile would start at once, and whatever comes next, including responses to others, would wait for all of them.
 */
export function paceRequests(app: App) {
  const recent = new RecentOrgs()
  app.addHook('onClose', () => recent.close())
  const slots = new FairSlots({
    total: perTurn,
    perOrg: () => perTurnAndOrg,
    maxWaitingPerOrg,
    maxWaitMs,
  })
  const gate: SlotGate = { slots, entered: begin, refusal: overloaded }
  let begun: string[] = []

  function begin(orgId: string) {
    if (begun.length === 0) setImmediate(endTurn)
    begun.push(orgId)
  }
  function endTurn() {
    const ended = begun
    begun = []
    for (const orgId of ended) slots.leave(orgId)
  }

  app.addHook('onRequest', ({ principal }, reply, done) => {
    if (!principal) return done()
    const { orgId } = principal
    recent.add(orgId)
    if (!recent.hasSeveral) return done()
    continueWithSlot(gate, orgId, reply, done)
  })
}
