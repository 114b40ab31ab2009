import type { FastifyReply } from 'fastify'
import { ApiError, validationFailed } from '../contract/errors.ts'
import type { App } from '../contract/routes.ts'
import type { Caller } from '../identity/identity.ts'
import type { Platform } from '../infra/platform.ts'
import { type SpeedLimits, type Verdict, type Window, type WindowState, wholeSeconds } from '../infra/speed-limits.ts'
import type { Tx } from '../infra/sql.ts'
import { formatId, newUuid } from '../values/id.ts'
import { timestamp } from '../values/timestamp.ts'
import { createDefaultRates } from './default-rates.ts'
import {
  deleteLimits,
  findLimits,
  type LimitsRow,
  listPolicies,
  type PolicyRow,
  replacePolicies,
  upsertLimits,
} from './queries.ts'
import { identityOf, type RateLimits, type RateLimitsInput } from './schema.ts'
import { countsCalls, requestWindows, tokenWindows } from './windows.ts'

/** The only route whose contract gives an exhausted quota another status. */
const edgeDecision = '/v1/edge/decision'

/**
 * Enforces the organization's request rates for every authenticated caller, before the body is read. An attempt counts whatever
 * its outcome, so a caller that loops on a refusal is slowed down too.
 */
export function limitRequestRates(
  app: App,
  { config, clock }: Pick<Platform, 'config' | 'clock'>,
  speedLimits: SpeedLimits,
) {
  const defaultRefusal = createDefaultRates(config)
  app.addHook('onRequest', (request, reply, done) => {
    const { principal, method, route } = request
    if (!principal) return done()
    const refusal = route.urgency && defaultRefusal(principal, route.urgency, clock.now().getTime())
    if (refusal) return done(refusal)
    const windows = requestWindows(principal, { method, routeClass: route.urgency }, config.readLimitPerMinute)
    // Callers without limits proceed synchronously, without a promise.
    if (windows.length === 0) return done()
    void judge(principal, windows, route.template, reply, done)
  })

  async function judge(
    { orgId, onUnavailable }: Caller,
    windows: readonly Window[],
    template: string | undefined,
    reply: FastifyReply,
    done: (refusal?: Error) => void,
  ) {
    const verdict = await speedLimits.take(orgId, windows, onUnavailable)
    tellLimits(reply, windows, verdict)
    done(refusalOf(verdict, template))
  }
}

/**
 * Enforces limits on what only the body tells: tokens, and whatever is counted per model. The token count is computed only when
 * some limit needs it.
 */
export async function limitCall(
  speedLimits: SpeedLimits,
  caller: Caller,
  { model, input_tokens = 0 }: { readonly model: string; readonly input_tokens?: number | undefined },
  template: string | undefined,
  tokensOf: () => Promise<number>,
) {
  if (!caller.ratePolicies.some(countsCalls)) return
  const windows = tokenWindows(caller, model, await tokensOf())
  if (windows.length === 0) return
  const smallest = windows.filter(({ cost, limit }) => cost > limit).sort((a, b) => a.limit - b.limit)[0]
  if (smallest) throw tooLarge(smallest, input_tokens)
  const refusal = refusalOf(await speedLimits.take(caller.orgId, windows, caller.onUnavailable), template)
  if (refusal) throw refusal
}

/** Returns the refusal of a call that exceeds the limit by itself: waiting would not help, so it has no retry time. */
const tooLarge = ({ name, cost, limit, windowSeconds }: Window, inputTokens: number) =>
  validationFailed([
    {
      field: inputTokens > limit ? 'input_tokens' : 'max_output_tokens',
      code: 'out_of_range',
      message: `The call may take ${cost} tokens; at most ${limit} in ${windowSeconds} seconds are allowed (${name}).`,
    },
  ])

/** Sets the `RateLimit` fields (draft-ietf-httpapi-ratelimit-headers-10); without counts, the policies alone. */
function tellLimits(reply: FastifyReply, windows: readonly Window[], verdict: Verdict) {
  const policies = windows.map(({ name, limit, windowSeconds }) => `"${name}";q=${limit};w=${windowSeconds}`)
  reply.header('ratelimit-policy', policies.join(', '))
  if (!('windows' in verdict)) return
  const states = verdict.windows.map(
    ({ window, remaining, resetMs }) => `"${window.name}";r=${remaining};t=${Math.ceil(resetMs / 1_000)}`,
  )
  reply.header('ratelimit', states.join(', '))
}

/** Returns the error for a verdict; undefined when the caller may proceed. */
export function refusalOf(verdict: Verdict, template: string | undefined): ApiError | undefined {
  if (verdict.outcome === 'unavailable') return new ApiError('service_unavailable')
  if (verdict.outcome !== 'refused') return undefined
  const refusing = verdict.windows.filter(({ waitMs }) => waitMs > 0)
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
      resets_at: timestamp(new Date(verdict.atMs + quota.waitMs)),
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
  const known = new Map((await listPolicies(tx, orgId)).map((policy) => [identityOf(policy), policy.id]))
  await replacePolicies(
    tx,
    orgId,
    input.policies.map((policy) => ({ ...policy, id: known.get(identityOf(policy)) ?? newUuid() })),
  )
  return viewOf(limits, await listPolicies(tx, orgId))
}

const viewOf = (limits: LimitsRow | undefined, policies: readonly PolicyRow[]): RateLimits => ({
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
