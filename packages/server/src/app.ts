import { type TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { ensureAuditPartitions } from './access/audit/audit.ts'
import { audit } from './access/audit/routes.ts'
import { type Attempts, createChange, createReplayRecorder, recordAttempts } from './access/changes/changes.ts'
import { honourIdempotencyKeys, type Idempotency } from './access/idempotency/idempotency.ts'
import { createCallerCache, identify } from './access/identity/identity.ts'
import { readBodies } from './contract/body.ts'
import { boundBodyMemory } from './contract/body-memory.ts'
import { ensureSingleResponse, sendContinue } from './contract/connections.ts'
import { sealCursors } from './contract/cursors.ts'
import { limitConcurrentDecisions } from './contract/decision-slots.ts'
import { signalDeprecations } from './contract/deprecations/deprecations.ts'
import type { Deprecation } from './contract/deprecations/registry.ts'
import { honourConditions } from './contract/entity-tags.ts'
import { answerErrors, refuseMalformedHttp, refuseUnsupportedHttp, sendError, statusOf } from './contract/envelope.ts'
import { ApiError } from './contract/errors.ts'
import { type RequestsInFlight, trackRequests } from './contract/in-flight.ts'
import { shedLoad } from './contract/load-shedding.ts'
import { observer } from './contract/observation.ts'
import { describeRoutes } from './contract/openapi.ts'
import { probes } from './contract/probes/probes.ts'
import { protectResponses } from './contract/protection.ts'
import { limitReads } from './contract/read-bounds.ts'
import { refuseMalformedRequests, refuseUnmatched, routingTarget } from './contract/request-heads.ts'
import { paceRequests } from './contract/request-pace.ts'
import { type ApiRoute, type App, attachDeclarations, collectRoutes } from './contract/routes.ts'
import { limitHandlerTime } from './contract/time-limit.ts'
import { requestIdFrom, traceRequests } from './contract/tracing.ts'
import { validateRequests } from './contract/validation.ts'
import { createDecisionLog, recordRefusals } from './decisions/decisions.ts'
import { type Lanes, openLanes } from './decisions/lanes/lanes.ts'
import { decisions } from './decisions/routes.ts'
import { createApprovals, expireWithRule } from './governance/approvals/approvals.ts'
import { approvals } from './governance/approvals/routes.ts'
import {
  createPolicyEvaluator,
  createPolicyMatchLog,
  createRuleCache,
  ensurePolicyPartitions,
} from './governance/policies/policies.ts'
import { policies } from './governance/policies/routes.ts'
import { contentSafety } from './governance/safety/routes.ts'
import { createFindingsPublisher, createSafetyCache } from './governance/safety/safety.ts'
import { benchmarks } from './insight/benchmarks/routes.ts'
import { forecasts } from './insight/forecasts/routes.ts'
import { adjustments } from './money/adjustments/routes.ts'
import { budgets } from './money/budgets/routes.ts'
import { chains } from './money/chains/routes.ts'
import { credits } from './money/credits/routes.ts'
import { customers } from './money/customers/routes.ts'
import { ensureLedgerPartitions } from './money/ledger/ledger.ts'
import { ledger } from './money/ledger/routes.ts'
import { plans } from './money/plans/routes.ts'
import { prices } from './money/prices/routes.ts'
import { quota } from './money/quota/routes.ts'
import { spendCaps } from './money/spend-caps/routes.ts'
import type { Lifecycle } from './platform/infra/lifecycle.ts'
import type { Platform } from './platform/infra/platform.ts'
import { createRateLimiter } from './platform/infra/rate-limiter.ts'
import { withStartPatience } from './platform/infra/start-patience.ts'
import { acquireAccessLease } from './platform/nodes/nodes.ts'
import { retention } from './records/retention/routes.ts'
import { ensureRunPartitions } from './records/run-log/run-log.ts'
import { usage } from './records/usage/routes.ts'
import { backtests } from './runs/backtests/routes.ts'
import { otlp, otlpMapping } from './runs/otlp/routes.ts'
import { runs } from './runs/routes.ts'
import { routing } from './runs/routing/routes.ts'
import { createRoutingCache } from './runs/routing/routing.ts'
import { runHistory } from './runs/run-history/routes.ts'
import { ingestTask } from './runs/runs.ts'
import { docs } from './tenants/docs/routes.ts'
import { keys } from './tenants/keys/routes.ts'
import { me } from './tenants/me/routes.ts'
import { meta } from './tenants/meta/routes.ts'
import { operators } from './tenants/operators/routes.ts'
import { orgs } from './tenants/orgs/routes.ts'
import { limitRequestRates } from './tenants/rate-limits/rate-limits.ts'
import { rateLimits } from './tenants/rate-limits/routes.ts'
import { support } from './tenants/support/routes.ts'
import { webhooks } from './webhooks/routes.ts'
import { endSubscriptionsOfGrant, ensureWebhookPartitions } from './webhooks/webhooks.ts'

export interface Api {
  readonly app: App
  readonly routes: readonly ApiRoute[]
  readonly inFlight: RequestsInFlight
}

/** Builds the API. Reads as a table of contents: the hooks that every request passes, in order, and then the domains. */
export async function buildApp(
  platform: Platform,
  lifecycle: Lifecycle,
  registry: readonly Deprecation[],
  extraDomains: readonly ((app: App, platform: Platform, lanes: Lanes) => void)[] = [],
): Promise<Api> {
  const { config, log, metrics, tracing, version } = platform
  for (const ensurePartitions of [
    ensureAuditPartitions,
    ensureLedgerPartitions,
    ensureRunPartitions,
    ensureWebhookPartitions,
    ensurePolicyPartitions,
  ])
    await withStartPatience(log, () => ensurePartitions(platform.sql, platform.clock.now()))
  const lease = await withStartPatience(log, () => acquireAccessLease(platform))
  const callers = createCallerCache(platform, lease)
  const rateLimiter = createRateLimiter(platform, lease.liveProcesses)
  const lanes = openLanes(platform)
  await withStartPatience(log, () => lanes.open())
  const records = createDecisionLog(platform)
  const rules = createRuleCache(platform, lease)
  const evaluatePolicies = createPolicyEvaluator(platform, rules)
  const matches = createPolicyMatchLog(platform)
  const safety = createSafetyCache(platform, lease)
  const findings = createFindingsPublisher(platform)
  const routingCache = createRoutingCache(platform, lease)

  let attempts: Attempts
  /** Answers the framework errors that bypass all hooks, and puts them on the audit record first. */
  async function answerPastHooks(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    const isOnRecord = await attempts.record(request, statusOf(error, request))
    sendError(log, isOnRecord ? error : new ApiError('service_unavailable'), request, reply)
  }

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
    // Longer than the headers can be, so that a route's own schema refuses an overlong parameter.
    routerOptions: { maxParamLength: 32_768 },
    rewriteUrl: routingTarget,
    frameworkErrors: (error, request, reply) => void answerPastHooks(error, request, reply),
    clientErrorHandler: refuseMalformedHttp(log),
  }).withTypeProvider<TypeBoxTypeProvider>()

  // With a logger of its own the framework would add listeners to every response; only its warnings and errors are wanted.
  Object.assign(app.log, { warn: log.warn.bind(log), error: log.error.bind(log), fatal: log.fatal.bind(log) })
  refuseUnsupportedHttp(app)

  const routes = collectRoutes(app, config)
  await describeRoutes(app, version)
  let idempotency: Idempotency
  answerErrors(app, log, (request) => idempotency.findStoredResponse(request))

  ensureSingleResponse(app)
  protectResponses(app)
  attachDeclarations(app)
  traceRequests(app)
  const inFlight = trackRequests(app, observer(platform))
  limitHandlerTime(app, inFlight, config.handlerTimeoutSeconds * 1_000)
  closeConnectionsWhileDraining(app, lifecycle)
  refuseUnmatched(app)
  signalDeprecations(app, platform, registry)
  refuseMalformedRequests(app)
  shedLoad(app, inFlight, config, metrics)
  const identification = identify(app, platform, callers, (address) =>
    rateLimiter.countFailure(address, config.authBackoffPerMinute),
  )
  paceRequests(app)
  honourConditions(app, routes)
  limitRequestRates(app, platform, rateLimiter)
  limitConcurrentDecisions(app, config, metrics)
  boundBodyMemory(app, config)
  idempotency = await honourIdempotencyKeys(app, platform, createReplayRecorder(platform))
  readBodies(app)
  sendContinue(app)
  const cursors = sealCursors(app, config)
  validateRequests(app)
  limitReads(app, config, metrics)
  const change = createChange(platform, idempotency, lease)
  attempts = recordAttempts(app, platform, identification)
  recordRefusals(app, platform, records)

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
  decisions(app, platform, lanes, records, rateLimiter)
  policies(app, platform, change, rules, expireWithRule)
  approvals(app, platform, change)
  contentSafety(app, platform, change, safety)
  backtests(app, platform, rules)
  routing(app, change, {
    platform,
    lanes,
    records,
    routingCache,
    policyFor: async (caller, input, nowMs) => {
      const rulings = await evaluatePolicies(caller, input, { atMs: nowMs })
      return (model, quotedNano) => rulings.evaluate(model, quotedNano).refusal ?? null
    },
  })
  runs(app, platform, lanes, records, rateLimiter, {
    rules: evaluatePolicies,
    matches,
    approvals: createApprovals(platform),
    safety,
    findings,
    routing: routingCache,
  })
  otlpMapping(app, platform, change)
  otlp(app, platform, async (caller, all) =>
    lanes.ingest(
      await ingestTask(caller, all, { mode: 'partial', isRecordedOnly: true }, platform.clock.now().getTime()),
    ),
  )
  usage(app, platform)
  runHistory(app, platform)
  forecasts(app, platform)
  retention(app, platform, change)
  ledger(app, platform)
  benchmarks(app, platform, change)
  adjustments(app, platform, change)
  keys(app, platform, change)
  support(app, platform, change, endSubscriptionsOfGrant)
  operators(app, platform, change, endSubscriptionsOfGrant)
  webhooks(app, platform, change)
  audit(app, platform, cursors)
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

/** Ends each connection with its next response while draining, so that none is cut while a request is on its way. */
function closeConnectionsWhileDraining(app: App, lifecycle: Lifecycle) {
  app.addHook('onRequest', (_request, reply, done) => {
    if (lifecycle.isDraining()) reply.raw.shouldKeepAlive = false
    done()
  })
}
