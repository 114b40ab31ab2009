import { ensureAuditPartitions } from './access/audit/audit.ts'
import { audit } from './access/audit/routes.ts'
import {
  type Attempts,
  createChange,
  createChangeSlots,
  createPageChange,
  createReplayRecorder,
  readReasons,
  recordAttempts,
} from './access/changes/changes.ts'
import { honourIdempotencyKeys, type Idempotency } from './access/idempotency/idempotency.ts'
import { createSessionCookies, type Identification, identify } from './access/identity/identity.ts'
import { consolePages } from './console/pages.ts'
import { readBodies } from './contract/body.ts'
import { boundBodyMemory } from './contract/body-memory.ts'
import { closeConnectionsWhileDraining, ensureSingleResponse, sendContinue } from './contract/connections.ts'
import { sealCursors } from './contract/cursors.ts'
import { limitConcurrentDecisions } from './contract/decision-slots.ts'
import { signalDeprecations } from './contract/deprecations/deprecations.ts'
import type { Deprecation } from './contract/deprecations/registry.ts'
import { honourConditions } from './contract/entity-tags.ts'
import { answerErrors, sendError, statusOf } from './contract/envelope.ts'
import { ApiError } from './contract/errors.ts'
import { createHttpServer } from './contract/http-server.ts'
import { type RequestsInFlight, trackRequests } from './contract/in-flight.ts'
import { shedLoad } from './contract/load-shedding.ts'
import { observer } from './contract/observation.ts'
import { describeRoutes } from './contract/openapi.ts'
import { probes } from './contract/probes/probes.ts'
import { protectResponses } from './contract/protection.ts'
import { limitReads } from './contract/read-bounds.ts'
import { refuseMalformedRequests, refuseUnmatched } from './contract/request-heads.ts'
import { paceRequests } from './contract/request-pace.ts'
import { type ApiRoute, type App, attachDeclarations, collectRoutes } from './contract/routes.ts'
import { limitHandlerTime } from './contract/time-limit.ts'
import { traceRequests } from './contract/tracing.ts'
import { validateRequests } from './contract/validation.ts'
import { recordRefusals } from './decisions/decisions.ts'
import type { Lanes } from './decisions/lanes/lanes.ts'
import { decisions } from './decisions/routes.ts'
import { expireWithRule } from './governance/approvals/approvals.ts'
import { approvals } from './governance/approvals/routes.ts'
import { ensurePolicyPartitions } from './governance/policies/policies.ts'
import { policies } from './governance/policies/routes.ts'
import { proposals } from './governance/proposals/routes.ts'
import { contentSafety } from './governance/safety/routes.ts'
import { benchmarks } from './insight/benchmarks/routes.ts'
import { forecasts } from './insight/forecasts/routes.ts'
import { providerBills } from './insight/provider-bills/routes.ts'
import { mcp } from './mcp/routes.ts'
import { adjustments } from './money/adjustments/routes.ts'
import { budgets } from './money/budgets/routes.ts'
import { chains } from './money/chains/routes.ts'
import { concurrencyLimits } from './money/concurrency/routes.ts'
import { credits } from './money/credits/routes.ts'
import { customers } from './money/customers/routes.ts'
import { dimensions } from './money/dimensions/routes.ts'
import { freezes } from './money/freezes/routes.ts'
import { journal } from './money/journal/routes.ts'
import { ensureLedgerPartitions } from './money/ledger/ledger.ts'
import { plans } from './money/plans/routes.ts'
import { priceImports } from './money/price-imports/routes.ts'
import { prices } from './money/prices/routes.ts'
import { quota } from './money/quota/routes.ts'
import { reporting } from './money/reporting/routes.ts'
import { spendCaps } from './money/spend-caps/routes.ts'
import { trust } from './money/trust/routes.ts'
import { createProviders } from './people/connections/connections.ts'
import { ssoConnections } from './people/connections/routes.ts'
import { domains } from './people/domains/routes.ts'
import { members } from './people/members/routes.ts'
import { passkeys } from './people/passkeys/routes.ts'
import { directories, scim } from './people/scim/routes.ts'
import { sessionPolicy } from './people/session-policy/routes.ts'
import { sessions } from './people/sessions/routes.ts'
import { signIn } from './people/sign-in/routes.ts'
import type { Lifecycle } from './platform/infra/lifecycle.ts'
import type { Platform } from './platform/infra/platform.ts'
import { withStartPatience } from './platform/infra/start-patience.ts'
import { retention } from './records/retention/routes.ts'
import { ensureRunPartitions } from './records/run-log/run-log.ts'
import { usage } from './records/usage/routes.ts'
import { spentSince } from './records/usage/usage.ts'
import { introduce } from './regions/directory/directory.ts'
import { internalRoutes } from './regions/directory/routes.ts'
import { forwardRequests } from './regions/forwarding/forwarding.ts'
import { moveRoutes } from './regions/moves/routes.ts'
import { backtests } from './runs/backtests/routes.ts'
import { createIngest, otlp, otlpMapping, otlpTelemetry } from './runs/otlp/routes.ts'
import { runs } from './runs/routes.ts'
import { routing } from './runs/routing/routes.ts'
import { runHistory } from './runs/run-history/routes.ts'
import { createServices, type Services } from './services.ts'
import { slackApp, slackLinks } from './slack/routes.ts'
import { slackInteractions, slackLinkPages } from './slack/slack.ts'
import { countDeprecatedCalls } from './tenants/deprecated-calls/deprecated-calls.ts'
import { deprecatedCalls } from './tenants/deprecated-calls/routes.ts'
import { docs } from './tenants/docs/routes.ts'
import { countForeignUses, createForeignUses } from './tenants/foreign-keys/foreign-keys.ts'
import { foreignKeys } from './tenants/foreign-keys/routes.ts'
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
  /** Introduces this cell to the others of the installation; throws when they cannot work as one. */
  readonly introduce: () => Promise<void>
}

/** A domain that is added to those of the product, such as by a test. */
type ExtraDomain = (app: App, platform: Platform, lanes: Lanes) => void

/** Builds the API: the hooks that every request passes, in order, and then the domains. */
export async function buildApp(
  platform: Platform,
  lifecycle: Lifecycle,
  registry: readonly Deprecation[],
  extraDomains: readonly ExtraDomain[] = [],
): Promise<Api> {
  const { config, log, tracing, version } = platform
  await ensurePartitions(platform)
  const services = await createServices(platform)
  const { otherCells } = services
  let attempts: Attempts
  const app = createHttpServer({
    config,
    log,
    tracing,
    // On the audit record first, as every other answer.
    answerPastHooks: async (error, request, reply) => {
      const isOnRecord = await attempts.record(request, statusOf(error, request))
      sendError(log, isOnRecord ? error : new ApiError('service_unavailable'), request, reply)
    },
  })
  const routes = collectRoutes(app, config)
  await describeRoutes(app, version)

  const hooks = await addHooks(app, platform, { services, lifecycle, registry, routes })
  attempts = hooks.attempts
  probes(app, platform, lifecycle)
  if (otherCells) internalRoutes(app, platform, { ...otherCells, callers: services.callers, attempts })
  if (otherCells) await moveRoutes(app, platform, otherCells)
  await docs(app)
  await signIn(app, platform, hooks)
  await consolePages(app, platform, hooks)
  await scim(app, platform, hooks)
  await slackInteractions(app, platform, hooks)
  await slackLinkPages(app, platform, hooks)
  await mcp(app, platform)
  meta(app, platform, registry, routes)
  deprecatedCalls(app, platform, registry)
  addDomains(app, platform, services, hooks)
  for (const domain of extraDomains) domain(app, platform, services.lanes)

  app.addHook('onClose', services.close)
  await app.ready()
  return { app, routes, inFlight: hooks.inFlight, introduce: () => introduce(platform, otherCells?.link) }
}

/** Creates the partitions that rows of today and of the coming days need, unless they exist. */
export async function ensurePartitions({ sql, clock, log }: Pick<Platform, 'sql' | 'clock' | 'log'>) {
  for (const ensure of [
    ensureAuditPartitions,
    ensureLedgerPartitions,
    ensureRunPartitions,
    ensureWebhookPartitions,
    ensurePolicyPartitions,
  ])
    await withStartPatience(log, () => ensure(sql, clock.now()))
}

interface HookOptions {
  readonly services: Services
  readonly lifecycle: Lifecycle
  readonly registry: readonly Deprecation[]
  readonly routes: readonly ApiRoute[]
}

/** Adds the hooks that every request passes, in order. Returns what the handlers of routes need of them. */
async function addHooks(app: App, platform: Platform, { services, lifecycle, registry, routes }: HookOptions) {
  const { config, log, metrics } = platform
  const { callers, deprecatedCalls: calls, lease, otherCells, rateLimiter, records } = services
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
  const cookies = createSessionCookies(platform)
  signalDeprecations(app, platform, registry)
  refuseMalformedRequests(app)
  shedLoad(app, inFlight, config, metrics)
  let identification: Identification
  const isSlowed = (address: string) => identification.isSlowed(address)
  const forwarding = otherCells && forwardRequests(app, platform, { ...otherCells, cookies, isSlowed })
  identification = identify(app, platform, callers, cookies, (address) =>
    rateLimiter.countFailure(address, config.authBackoffPerMinute),
  )
  countDeprecatedCalls(app, calls)
  const foreignUses = createForeignUses(platform)
  countForeignUses(app, platform, foreignUses)
  app.addHook('onClose', foreignUses.close)
  paceRequests(app)
  honourConditions(app, routes)
  readReasons(app)
  const rates = limitRequestRates(app, platform, rateLimiter)
  limitConcurrentDecisions(app, config, metrics)
  boundBodyMemory(app, config)
  idempotency = await honourIdempotencyKeys(app, platform, createReplayRecorder(platform))
  readBodies(app)
  sendContinue(app)
  const cursors = sealCursors(app, config)
  validateRequests(app)
  limitReads(app, config, metrics)
  const slots = createChangeSlots(platform)
  const change = createChange(platform, idempotency, lease, slots)
  const attempts = recordAttempts(app, platform, identification, forwarding?.recordAtHome)
  recordRefusals(app, platform, records)
  const pageChange = createPageChange(platform, lease, slots)
  const providers = createProviders(platform)
  app.addHook('onClose', providers.close)
  return { attempts, change, cookies, cursors, identification, inFlight, pageChange, providers, rates }
}

/** Adds the domains, one line each. */
function addDomains(app: App, platform: Platform, services: Services, { change, cursors, providers }: HookResults) {
  const means = { spentSince, budgetsPerOrg: platform.config.budgetsPerOrg }
  me(app, platform)
  orgs(app, platform, change)
  rateLimits(app, platform, change)
  spendCaps(app, platform, change)
  budgets(app, platform, change, means)
  concurrencyLimits(app, platform, change)
  freezes(app, platform, change)
  reporting(app, platform)
  trust(app, platform, change)
  dimensions(app, platform, change)
  customers(app, platform, change)
  credits(app, platform, change)
  quota(app, platform, change)
  plans(app, platform, change)
  chains(app, platform, change)
  prices(app, platform, change)
  priceImports(app, platform, change)
  decisions(app, platform, services)
  policies(app, platform, change, services.rules, expireWithRule)
  approvals(app, platform, change)
  proposals(app, platform, change, means)
  slackApp(app, platform, change)
  slackLinks(app, platform, change)
  contentSafety(app, platform, change, services.governance)
  backtests(app, platform, services.rules)
  routing(app, platform, change, services)
  runs(app, platform, services)
  otlpMapping(app, platform, change)
  const ingest = createIngest(platform, services.lanes)
  otlp(app, platform, ingest)
  otlpTelemetry(app, platform, ingest)
  usage(app, platform)
  runHistory(app, platform)
  forecasts(app, platform)
  providerBills(app, platform, change)
  retention(app, platform, change)
  journal(app, platform)
  benchmarks(app, platform, change)
  adjustments(app, platform, change)
  keys(app, platform, change)
  foreignKeys(app, platform, change)
  sessions(app, platform, change)
  sessionPolicy(app, platform, change)
  members(app, platform, change)
  directories(app, platform, change)
  ssoConnections(app, platform, change, providers)
  domains(app, platform, change)
  passkeys(app, platform, change)
  support(app, platform, change, endSubscriptionsOfGrant)
  operators(app, platform, change, endSubscriptionsOfGrant)
  webhooks(app, platform, change)
  audit(app, platform, cursors)
}

type HookResults = Awaited<ReturnType<typeof addHooks>>
