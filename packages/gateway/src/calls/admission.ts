import type { Model } from '../models/models.ts'
import type { Refusal } from '../refusals/refusals.ts'
import type { Upstream } from '../upstreams/upstream.ts'
import { type Bound, boundOf } from './bound.ts'
import { cacheClaim } from './cache-claim.ts'
import { countedBound } from './counted-bound.ts'
import type { GatewayParts } from './gateway-parts.ts'
import type { IncomingCall } from './incoming-call.ts'
import { ratedModel } from './learned-rates.ts'
import type { Prepared } from './prepared-call.ts'
import { rememberedBound } from './remembered-bound.ts'
import { isStarted, type StartedCall, startRun } from './run-start.ts'
import { isMeant } from './served-model.ts'
import { isOwn } from './stored-answer.ts'

/** A call that Weir has admitted: the model and provider that are to serve it, and the output that was granted. */
export interface Admission extends StartedCall {
  readonly model: Model
  readonly upstream: Upstream
}

export const isAdmission = (outcome: Admission | Refusal): outcome is Admission => 'upstream' in outcome

/**
 * Asks Weir for a call. Where money refuses, it is tried again when the caller's last calls are settled, and with the input as it was billed for
 * the conversation so far, or as the provider itself counts it; then with the cheaper models that the operator names, where the caller allows it.
 */
export async function admit(
  parts: GatewayParts,
  call: Prepared,
  model: Model,
  upstream: Upstream,
): Promise<Admission | Refusal> {
  const widest = boundFor(parts, call, model, upstream)
  const isAlways = parts.config.memory === 'always'
  const bound = (isAlways ? rememberedBound(parts, call, model, upstream, widest) : undefined) ?? widest
  const first = await start(parts, call, model, upstream, bound)
  if (isAdmission(first) || first.status !== 402) return first
  parts.memory.watch(call.caller.key)
  // What the caller's last calls have not used is free once they are settled.
  const isSettled = await parts.settlements.hurry(call.caller.key)
  const remembered = rememberedBound(parts, call, model, upstream, widest) ?? bound
  const again =
    (isSettled || remembered.inputTokens < bound.inputTokens) && (await start(parts, call, model, upstream, remembered))
  if (again && isAdmission(again) && remembered !== bound) parts.metrics.fits.inc({ how: 'memory' })
  if (again && (isAdmission(again) || again.status !== 402)) return again
  // The later answer knows what the caller's last calls have left.
  const refusal = again || first
  const tighter =
    (parts.config.tighten ?? 'count') === 'count' ? await countedBound(call, model, upstream, widest) : undefined
  const second = tighter && (await start(parts, call, model, upstream, tighter))
  if (second && isAdmission(second)) {
    parts.metrics.fits.inc({ how: 'count' })
    return second
  }
  if (call.headers['x-weir-downgrade'] !== 'allow') return refusal
  for (const name of model.downgrade) {
    const cheaper = parts.models.find(name)
    const target = parts.upstreams.get(cheaper?.providers[0] ?? '')
    if (cheaper === undefined || target?.serves(cheaper.name) !== true) continue
    if (!isMeant(call.route, target.config) || !isOwn(parts, call, target)) continue
    const next = await start(parts, call, cheaper, target, boundFor(parts, call, cheaper, target))
    if (!isAdmission(next)) continue
    parts.metrics.fits.inc({ how: 'model' })
    return next
  }
  return refusal
}

export function boundFor(parts: GatewayParts, call: IncomingCall, model: Model, upstream: Upstream): Bound {
  const { asked, body } = call
  const { config } = parts
  const provider = upstream.config
  const bound = boundOf({ asked, text: body.text, size: body.size, body: body.value, model, provider, config })
  return { ...bound, cacheCreation: cacheClaim(parts, call, ratedModel({ model, upstream }), bound) }
}

/** Asks Weir for a call of one model at one provider. */
export async function start(
  parts: GatewayParts,
  call: IncomingCall,
  model: Model,
  upstream: Upstream,
  bound: Bound,
): Promise<Admission | Refusal> {
  const target = { model: upstream.pricedName(model.name), provider: upstream.label }
  const started = await startRun(parts, call, target, bound)
  return isStarted(started) ? { ...started, model, upstream } : started
}
