import type { Dialect } from '../dialects/dialect.ts'
import { RequestFault } from '../dialects/dialect.ts'
import type { Model } from '../models/models.ts'
import { type Refusal, refusalWith } from '../refusals/refusals.ts'
import type { Upstream } from '../upstreams/upstream.ts'
import { type Admission, boundFor, isAdmission, start } from './admission.ts'
import { boundOf } from './bound.ts'
import type { GatewayParts } from './gateway-parts.ts'
import type { IncomingCall } from './incoming-call.ts'
import { isStarted, type StartedCall, startRun } from './run-start.ts'
import { routePrefix } from './served-model.ts'

/** A model at a provider, as Weir names them. */
interface Chosen {
  readonly model: string
  readonly provider: string | undefined
}

interface Target {
  readonly model: Model
  readonly upstream: Upstream
}

/**
 * Admits a call by a route: Weir chooses among the models that pass the route's evals and that the rules allow this caller, and starts the run
 * with it. What is held rests on the request alone, so it is enough for whichever model that is. Where money refuses, and the caller allows it,
 * the cheaper model is asked for that Weir says would fit; it is judged like any other call.
 */
export async function admitByRoute(
  parts: GatewayParts,
  call: IncomingCall,
  provider: string | undefined,
): Promise<Admission | Refusal> {
  const { asked, body, labels, dialect } = call
  const route = asked.model.slice(routePrefix.length)
  const model = parts.models.unchosen(asked.model)
  const bound = boundOf({
    asked,
    text: body.text,
    size: body.size,
    body: body.value,
    model,
    provider: {},
    config: parts.config,
  })
  // The calls of one chain stay with one model.
  const sticky = labels.chain_id === undefined ? {} : { sticky: labels.chain_id }
  const started = await startRun(parts, call, { route, ...sticky }, bound)
  if (isStarted(started)) return routed(parts, call, started, provider)
  const fits = started.details['fits']
  if (started.code === 'not_found' && labels.parent_run_id === undefined)
    return { ...refusalWith(404, 'model_not_found', `there is no route ${route}.`), field: 'model' }
  if (started.status !== 402 || typeof fits !== 'string' || call.headers['x-weir-downgrade'] !== 'allow') return started
  const target = fittingTarget(parts, dialect, fits, provider)
  if (target === undefined) return started
  const next = await start(
    parts,
    call,
    target.model,
    target.upstream,
    boundFor(parts, call, target.model, target.upstream),
  )
  if (!isAdmission(next)) return started
  parts.metrics.fits.inc({ how: 'model' })
  return next
}

/** Finds the provider of a model that a route has chosen; where this gateway cannot serve it as it was held, the run ends at no cost. */
function routed(
  parts: GatewayParts,
  call: IncomingCall,
  started: StartedCall,
  provider: string | undefined,
): Admission | Refusal {
  const { run, externalId } = started
  const end = () =>
    parts.settlements.add({ externalId, runId: run.runId, status: 'cancelled', kind: 'zero' }, call.caller.key)
  const target = targetOf(parts, call.dialect, run, provider)
  if (target === undefined) {
    end()
    return refusalWith(404, 'model_not_found', `the route chose ${nameOf(run)}, which is not served here by this API.`)
  }
  try {
    const own = boundFor(parts, call, target.model, target.upstream)
    if (own.inputTokens > started.bound.inputTokens)
      throw new RequestFault('unbounded', `${nameOf(run)} can use more than is held for a route`, 'model')
  } catch (error) {
    end()
    throw error
  }
  const most = target.model.maxOutputTokens ?? Number.POSITIVE_INFINITY
  return { ...started, ...target, grantedOutput: Math.min(started.grantedOutput, most) }
}

const nameOf = ({ model, provider }: Chosen) => (provider === undefined ? model : `${provider}/${model}`)

/** Returns the provider that runs and prices name so, and the model there; undefined where it is not served here. */
function targetOf(
  { models, upstreams }: GatewayParts,
  dialect: Dialect,
  { model: name, provider }: Chosen,
  wanted: string | undefined,
): Target | undefined {
  const byConfig = models.find(name)?.providers ?? []
  const labelled = [...upstreams.values()].filter(({ label }) => label === provider).map((upstream) => upstream.name)
  const names = provider === undefined ? byConfig : [...byConfig.filter((one) => labelled.includes(one)), ...labelled]
  for (const one of names) {
    const upstream = upstreams.get(one)
    const model = models.findId(name, [one]) ?? models.find(name, one)
    // Nothing but the very model that was admitted, at its price.
    if (upstream === undefined || model === undefined || !upstream.serves(model.name)) continue
    if (upstream.pricedName(model.name) !== name) continue
    if (dialect.kinds.includes(upstream.config.kind) && (wanted === undefined || wanted === one))
      return { model, upstream }
  }
  return undefined
}

/** Reads a model that would fit: `model`, or `provider/model`. */
function fittingTarget(
  parts: GatewayParts,
  dialect: Dialect,
  fits: string,
  wanted: string | undefined,
): Target | undefined {
  const slash = fits.indexOf('/')
  const named =
    slash < 0
      ? undefined
      : targetOf(parts, dialect, { provider: fits.slice(0, slash), model: fits.slice(slash + 1) }, wanted)
  return named ?? targetOf(parts, dialect, { model: fits, provider: undefined }, wanted)
}
