import { type TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify from 'fastify'
import { adjustments } from './adjustments/routes.ts'
import { askForApprovals, expireWithRule } from './approvals/approvals.ts'
import { approvals } from './approvals/routes.ts'
import { ensureAuditPartitions } from './audit/audit.ts'
import { audit } from './audit/routes.ts'
import { backtests } from './backtests/routes.ts'
import { benchmarks } from './benchmarks/routes.ts'
import { budgets } from './budgets/routes.ts'
import { chains } from './chains/routes.ts'
import { changes, recordAttempts } from './changes/changes.ts'
import { readBodies } from './contract/body.ts'
import {
  answerErrors,
  refuseMalformedHttp,
  refuseMalformedRequests,
  refuseUnsupportedHttp,
  sendError,
} from './contract/envelope.ts'
import { type RequestsInFlight, trackRequests } from './contract/in-flight.ts'
import { shedLoad } from './contract/load-shedding.ts'
import { observer } from './contract/observation.ts'
import { describeRoutes } from './contract/openapi.ts'
import { type App, keepDeclarations, keepRouteList, type Route, refuseUnmatched } from './contract/routes.ts'
import { limitHandlerTime } from './contract/time-limit.ts'
import { requestIdFrom, traceRequests } from './contract/tracing.ts'
import { validateRequests } from './contract/validation.ts'
import { credits } from './credits/routes.ts'
import { customers } from './customers/routes.ts'
import { keepDecisionRecords } from './decisions/decisions.ts'
import { decisions } from './decisions/routes.ts'
import { signalDeprecations } from './deprecations/deprecations.ts'
import type { Deprecation } from './deprecations/registry.ts'
import { docs } from './docs/routes.ts'
import { forecasts } from './forecasts/routes.ts'
import { honourIdempotencyKeys } from './idempotency/idempotency.ts'
import { identify, rememberCallers } from './identity/identity.ts'
import type { Lifecycle } from './infra/lifecycle.ts'
import type { Platform } from './infra/platform.ts'
import { createSpeedLimits } from './infra/speed-limits.ts'
import { keys } from './keys/routes.ts'
import { type Lanes, openLanes } from './lanes/lanes.ts'
import { ensureLedgerPartitions } from './ledger/ledger.ts'
import { ledger } from './ledger/routes.ts'
import { me } from './me/routes.ts'
import { meta } from './meta/routes.ts'
import { holdAccessLease } from './nodes/nodes.ts'
import { orgs } from './orgs/routes.ts'
import { otlp } from './otlp/routes.ts'
import { plans } from './plans/routes.ts'
import { askRules, ensurePolicyPartitions, keepMatches, rememberRules } from './policies/policies.ts'
import { policies } from './policies/routes.ts'
import { prices } from './prices/routes.ts'
import { probes } from './probes/probes.ts'
import { quota } from './quota/routes.ts'
import { limitRequestRates } from './rate-limits/rate-limits.ts'
import { rateLimits } from './rate-limits/routes.ts'
import { retention } from './retention/routes.ts'
import { routing } from './routing/routes.ts'
import { rememberRouting } from './routing/routing.ts'
import { runHistory } from './run-history/routes.ts'
import { ensureRunPartitions } from './run-log/run-log.ts'
import { runs } from './runs/routes.ts'
import { ingestTask } from './runs/runs.ts'
import { contentSafety } from './safety/routes.ts'
import { rememberSafety, tellFindings } from './safety/safety.ts'
import { spendCaps } from './spend-caps/routes.ts'
import { support } from './support/routes.ts'
import { usage } from './usage/routes.ts'
import { webhooks } from './webhooks/routes.ts'
import { ensureWebhookPartitions } from './webhooks/webhooks.ts'

export interface Api {
  readonly app: App
  readonly routes: readonly Route[]
  readonly inFlight: RequestsInFlight
}

/** The API, as a table of contents: what every request passes, in order, and then the domains. */
export async function buildApp(
  platform: Platform,
  lifecycle: Lifecycle,
  registry: readonly Deprecation[],
  extraDomains: readonly ((app: App, platform: Platform, lanes: Lanes) => void)[] = [],
): Promise<Api> {
  const { config, log, metrics, tracing, version } = platform
  await ensureAuditPartitions(platform.sql, platform.clock.now())
  await ensureLedgerPartitions(platform.sql, platform.clock.now())
  await ensureRunPartitions(platform.sql, platform.clock.now())
  await ensureWebhookPartitions(platform.sql, platform.clock.now())
  await ensurePolicyPartitions(platform.sql, platform.clock.now())
  const lease = await holdAccessLease(platform)
  const callers = rememberCallers(platform, lease)
  const speedLimits = createSpeedLimits(platform, lease.liveProcesses)
  const lanes = openLanes(platform)
  const records = keepDecisionRecords(platform)
  const rules = rememberRules(platform, lease)
  const ask = askRules(platform, rules)
  const matches = keepMatches(platform)
  const safety = rememberSafety(platform, lease)
  const findings = tellFindings(platform)
  const routed = rememberRouting(platform, lease)

  const app: App = fastify({
    genReqId: requestIdFrom(tracing),
    bodyLimit: config.bodyLimitBytes,
    requestTimeout: config.requestTimeoutSeconds * 1_000,
    http: {
      requireHostHeader: false, // refused in the contract's words instead
      headersTimeout: config.requestTimeoutSeconds * 1_000,
      connectionsCheckingInterval: 1_000,
    },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Above what the headers may hold: a parameter that is too long is its route's to refuse.
    routerOptions: { maxParamLength: 32_768 },
    frameworkErrors: (error, request, reply) => sendError(log, error, request, reply),
    clientErrorHandler: refuseMalformedHttp(log),
  }).withTypeProvider<TypeBoxTypeProvider>()

  // Given a logger, the framework would also hang listeners on every answer; it is only to be heard when something is wrong.
  Object.assign(app.log, { warn: log.warn.bind(log), error: log.error.bind(log), fatal: log.fatal.bind(log) })
  refuseUnsupportedHttp(app)

  const routes = keepRouteList(app, config)
  await describeRoutes(app, version)
  answerErrors(app, log)

  keepDeclarations(app)
  traceRequests(app)
  const inFlight = trackRequests(app, observer(platform))
  limitHandlerTime(app, inFlight, config.handlerTimeoutSeconds * 1_000)
  closeConnectionsWhileDraining(app, lifecycle)
  refuseUnmatched(app)
  signalDeprecations(app, platform, registry)
  refuseMalformedRequests(app)
  shedLoad(app, inFlight, config, metrics)
  identify(app, platform, callers, (address) => speedLimits.countFailure(address, config.authBackoffPerMinute))
  limitRequestRates(app, platform, speedLimits)
  const idempotency = await honourIdempotencyKeys(app, platform)
  readBodies(app)
  validateRequests(app)
  const change = changes(platform, idempotency, lease)
  recordAttempts(app, platform)

  probes(app, platform, lifecycle)
  await docs(app)
  meta(app, platform, registry, routes)
  me(app, platform)
  orgs(app, platform, change)
  rateLimits(app, platform, change)
  spendCaps(app, platform, change)
  budgets(app, platform, change)
  customers(app, platform, change)
  credits(app, platform, change)
  quota(app, platform, change)
  plans(app, platform, change)
  chains(app, platform, change)
  prices(app, platform, change)
  decisions(app, platform, lanes, records, speedLimits)
  policies(app, platform, change, rules, expireWithRule)
  approvals(app, platform, change)
  contentSafety(app, platform, change, safety)
  backtests(app, platform, rules)
  routing(app, change, {
    platform,
    lanes,
    records,
    remembered: routed,
    policyFor: async (caller, input, nowMs) => {
      const rulings = await ask(caller, input, { atMs: nowMs })
      return (model, quotedNano) => rulings.on(model, quotedNano).refusal ?? null
    },
  })
  runs(app, platform, lanes, records, speedLimits, {
    rules: ask,
    matches,
    approvals: askForApprovals(platform),
    safety,
    findings,
    routing: routed,
  })
  otlp(app, platform, async (caller, all) =>
    lanes.ingest(await ingestTask(caller, all, { mode: 'partial', areFacts: true }, platform.clock.now().getTime())),
  )
  usage(app, platform)
  runHistory(app, platform)
  forecasts(app, platform)
  retention(app, platform, change)
  ledger(app, platform)
  benchmarks(app, platform, change)
  adjustments(app, change)
  keys(app, platform, change)
  support(app, platform, change)
  webhooks(app, platform, change)
  audit(app, platform)
  for (const domain of extraDomains) domain(app, platform, lanes)

  app.addHook('onClose', async () => {
    await lanes.close()
    await records.close()
    await matches.close()
    await findings.close()
    await callers.close()
    await lease.close()
  })
  await app.ready()
  return { app, routes, inFlight }
}

/** A connection ends with its next answer, so that none is cut while a request is on its way to it. */
function closeConnectionsWhileDraining(app: App, lifecycle: Lifecycle) {
  app.addHook('onRequest', (_request, reply, done) => {
    if (lifecycle.isDraining()) reply.raw.shouldKeepAlive = false
    done()
  })
}
