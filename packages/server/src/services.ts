import { type Callers, createCallerCache } from './access/identity/identity.ts'
import { createDecisionLog, type DecisionLog } from './decisions/decisions.ts'
import { type Lanes, openLanes } from './decisions/lanes/lanes.ts'
import { createApprovals } from './governance/approvals/approvals.ts'
import {
  createPolicyEvaluator,
  createPolicyMatchLog,
  createRuleCache,
  type RuleSet,
} from './governance/policies/policies.ts'
import { createFindingsPublisher, createSafetyCache, Inspector } from './governance/safety/safety.ts'
import type { Platform } from './platform/infra/platform.ts'
import { createRateLimiter, type RateLimiter } from './platform/infra/rate-limiter.ts'
import { withStartPatience } from './platform/infra/start-patience.ts'
import { type AccessLease, acquireAccessLease, type Cache } from './platform/nodes/nodes.ts'
import { createDirectory, type Directory } from './regions/directory/directory.ts'
import { type CellLink, openCellLink } from './regions/link/link.ts'
import { createRoutingCache } from './runs/routing/routing.ts'
import type { Governance } from './runs/runs.ts'
import { type CallCounter, createCallCounter } from './tenants/deprecated-calls/deprecated-calls.ts'

/** The long-lived objects of an API process that several domains share. */
export interface Services {
  readonly lease: AccessLease
  readonly callers: Callers
  readonly deprecatedCalls: CallCounter
  readonly rateLimiter: RateLimiter
  readonly rules: Cache<RuleSet>
  readonly governance: Governance
  readonly records: DecisionLog
  readonly lanes: Lanes
  /** Link to the other cells, and where organizations live; undefined for an installation of one cell. */
  readonly otherCells: { readonly link: CellLink; readonly directory: Directory } | undefined
  /** Closes all services in the reverse order of their making: each may still use those that were made before it. */
  readonly close: () => Promise<void>
}

export async function createServices(platform: Platform): Promise<Services> {
  const made: { readonly close: () => Promise<void> }[] = []
  const own = <T extends { readonly close: () => Promise<void> }>(service: T): T => {
    made.push(service)
    return service
  }
  const lease = own(await withStartPatience(platform.log, () => acquireAccessLease(platform)))
  const callers = own(createCallerCache(platform, lease))
  const deprecatedCalls = own(createCallCounter(platform))
  const rules = createRuleCache(platform, lease)
  const governance: Governance = {
    rules: createPolicyEvaluator(platform, rules),
    matches: own(createPolicyMatchLog(platform)),
    approvals: createApprovals(platform),
    safety: createSafetyCache(platform, lease),
    inspector: own(new Inspector()),
    findings: own(createFindingsPublisher(platform)),
    routing: createRoutingCache(platform, lease),
  }
  const link = openCellLink(platform)
  if (link) own({ close: async () => link.close() })
  const records = own(createDecisionLog(platform))
  const lanes = own(openLanes(platform))
  await withStartPatience(platform.log, () => lanes.open())
  return {
    lease,
    callers,
    deprecatedCalls,
    rateLimiter: createRateLimiter(platform, lease.liveProcesses),
    rules,
    governance,
    records,
    lanes,
    otherCells: link && { link, directory: createDirectory(platform, link) },
    close: async () => {
      for (const service of made.toReversed()) await service.close()
    },
  }
}
