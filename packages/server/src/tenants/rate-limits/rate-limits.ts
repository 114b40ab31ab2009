import type { FastifyReply } from 'fastify'
import type { Caller } from '../../access/identity/identity.ts'
import { ApiError, validationFailed } from '../../contract/errors.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import {
  type RateLimitDecision,
  type RateLimiter,
  type RateLimitWindow,
  type WindowState,
  wholeSeconds,
} from '../../platform/infra/rate-limiter.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { elementAt } from '../../values/present.ts'
import { timestamp } from '../../values/timestamp.ts'
import { createDefaultRates } from './default-rates.ts'
import {
  deleteLimits,
  findLimits,
  listPolicies,
  type RateLimitPolicyRow,
  type RateLimitsRow,
  replacePolicies,
  upsertLimits,
} from './queries.ts'
import { policyIdentity, type RateLimits, type RateLimitsInput } from './schema.ts'
import { callWindows, needsBody, requestWindows } from './windows.ts'

/** The only route whose contract gives an exhausted quota another status. */
const edgeDecision = '/v1/edge/decision'

/** The request rates of organizations, for requests outside `/v1`, whose caller is not known to the hook. */
export interface RequestRates {
  /** Counts a request of a caller, or throws a refusal. */
  readonly require: (caller: Caller, method: string) => Promise<void>
}

/**
 * Enforces the organization's request rates for every authenticated caller, before the body is read. An attempt counts whatever
 * its outcome, so a caller that loops on a refusal is slowed down too.
 */
export function limitRequestRates(
  app: App,
  { config, clock }: Pick<Platform, 'config' | 'clock'>,
  rateLimiter: RateLimiter,
): RequestRates {
  const defaultRefusal = createDefaultRates(config)
  app.addHook('onRequest', (request, reply, done) => {
    const { principal, method, route } = request
    if (!principal) return done()
    const refusal = route.urgency && defaultRefusal(principal, route.urgency, clock.now().getTime())
    if (refusal) return done(refusal)
    const windows = requestWindows(principal, { method, routeClass: route.urgency }, config.readLimitPerMinute)
    // Callers without limits proceed synchronously, without a promise.
    if (windows.length === 0) return done()
    void enforce(principal, windows, route.template, reply, done)
  })

  async function enforce(
    { orgId, onUnavailable }: Caller,
    windows: readonly RateLimitWindow[],
    template: string | undefined,
    reply: FastifyReply,
    done: (refusal?: Error) => void,
  ) {
    const decision = await rateLimiter.take(orgId, windows, onUnavailable)
    setRateLimitHeaders(reply, windows, decision)
    done(refusalOf(decision, template))
  }

  return {
    require: async (caller, method) => {
      const urgency = method === 'GET' || method === 'HEAD' ? 'read' : 'change'
      const refusal = defaultRefusal(caller, urgency, clock.now().getTime())
      if (refusal) throw refusal
      const windows = requestWindows(caller, { method, routeClass: urgency }, config.readLimitPerMinute)
      if (windows.length === 0) return
      const late = refusalOf(await rateLimiter.take(caller.orgId, windows, caller.onUnavailable), undefined)
      if (late) throw late
    },
  }
}

/**
 * Enforces limits on what only the body tells: tokens, and whatever is counted per model. The token count is computed only when
 * some limit needs it. Returns the tokens that the tightest rate leaves after this call, whatever comes of it: an attempt counts.
 */
export async function limitCall(
  rateLimiter: RateLimiter,
  caller: Caller,
  { model, input_tokens = 0 }: { readonly model: string; readonly input_tokens?: number | undefined },
  template: string | undefined,
  tokensOf: () => Promise<number>,
): Promise<bigint | null> {
  if (!caller.ratePolicies.some(needsBody)) return null
  const windows = callWindows(caller, model, await tokensOf())
  if (windows.length === 0) return null
  const smallest = windows.filter(({ cost, limit }) => cost > limit).sort((a, b) => a.limit - b.limit)[0]
  if (smallest) throw callTooLarge(smallest, input_tokens)
  const decision = await rateLimiter.take(caller.orgId, windows, caller.onUnavailable)
  const refusal = refusalOf(decision, template)
  if (refusal) throw refusal
  // Nobody has counted where Redis is away and the organization admits all.
  if (!('windows' in decision)) return null
  const left = decision.windows.flatMap(({ remaining }, i) => (elementAt(windows, i).countsTokens ? [remaining] : []))
  return left.length === 0 ? null : BigInt(Math.min(...left))
}

/** Returns the refusal of a call that exceeds the limit by itself: waiting would not help, so it has no retry time. */
const callTooLarge = ({ name, cost, limit, windowSeconds }: RateLimitWindow, inputTokens: number) =>
  validationFailed([
    {
      field: inputTokens > limit ? 'input_tokens' : 'max_output_tokens',
      code: 'out_of_range',
      message: `The call may take ${cost} tokens; at most ${limit} in ${windowSeconds} seconds are allowed (${name}).`,
    },
  ])

/** Sets the `RateLimit` fields (draft-ietf-httpapi-ratelimit-headers-10); without counts, the policies alone. */
function setRateLimitHeaders(reply: FastifyReply, windows: readonly RateLimitWindow[], decision: RateLimitDecision) {
  const policies = windows.map(({ name, limit, windowSeconds }) => `"${name}";q=${limit};w=${windowSeconds}`)
  reply.header('ratelimit-policy', policies.join(', '))
  if (!('windows' in decision)) return
  const states = decision.windows.map(
    ({ window, remaining, resetMs }) => `"${window.name}";r=${remaining};t=${Math.ceil(resetMs / 1_000)}`,
  )
  reply.header('ratelimit', states.join(', '))
}

/** Returns the error for a verdict; undefined when the caller may proceed. */
export function refusalOf(decision: RateLimitDecision, template: string | undefined): ApiError | undefined {
  if (decision.outcome === 'unavailable') return new ApiError('service_unavailable')
  if (decision.outcome !== 'refused') return undefined
  const refusing = decision.windows.filter(({ waitMs }) => waitMs > 0)
  const slowest = refusing.reduce((a, b) => (b.waitMs > a.waitMs ? b : a))
  // When both refuse, the quota is reported: `rate_limited` promises that a retry after its time succeeds.
  const quota = refusing.find(({ window }) => window.shape === 'fixed')
  if (!quota) return rateLimited(slowest)
  return new ApiError(
    'quota_exhausted',
    {
      quota_kind: quota.window.name,
      limit: quota.window.limit,
      used: quota.used,
      attempted: quota.window.cost,
      resets_at: timestamp(new Date(decision.atMs + quota.waitMs)),
    },
    { status: template === edgeDecision ? 402 : 429 },
  )
}

const rateLimited = ({ window, waitMs }: WindowState) =>
  new ApiError(
    'rate_limited',
    { retry_after_seconds: wholeSeconds(waitMs) },
    { message: `Too many requests: at most ${window.limit} in ${window.windowSeconds} seconds (${window.name}).` },
  )

export async function getRateLimits(tx: Tx, orgId: string): Promise<RateLimits> {
  return viewOf(await findLimits(tx, orgId), await listPolicies(tx, orgId))
}

/** Replaces an organization's limits. A policy of which only the amount changes keeps its id. */
export async function putRateLimits(tx: Tx, orgId: string, input: RateLimitsInput): Promise<RateLimits> {
  if (input.default_rates) {
    await deleteLimits(tx, orgId)
    return viewOf(undefined, [])
  }
  const limits = await upsertLimits(tx, orgId, {
    readRpm: input.read_rpm,
    onUnavailable: input.on_unavailable ?? 'local',
  })
  const known = new Map((await listPolicies(tx, orgId)).map((policy) => [policyIdentity(policy), policy.id]))
  await replacePolicies(
    tx,
    orgId,
    input.policies.map((policy) => ({ ...policy, id: known.get(policyIdentity(policy)) ?? newUuid() })),
  )
  return viewOf(limits, await listPolicies(tx, orgId))
}

const viewOf = (limits: RateLimitsRow | undefined, policies: readonly RateLimitPolicyRow[]): RateLimits => ({
  default_rates: limits === undefined,
  read_rpm: limits?.read_rpm ?? null,
  on_unavailable: limits?.on_unavailable ?? 'local',
  policies: policies.map((policy) => ({
    ...policy,
    id: formatId('ratePolicy', policy.id),
    amount: Number(policy.amount),
    created_at: timestamp(policy.created_at),
  })),
  updated_at: limits ? timestamp(limits.updated_at) : null,
})
