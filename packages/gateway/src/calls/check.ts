import type { IncomingMessage, ServerResponse } from 'node:http'
import { RequestFault } from '../dialects/dialect.ts'
import { isObject } from '../dialects/fields.ts'
import type { Model } from '../models/models.ts'
import { clientKindOf } from '../refusals/client-kinds.ts'
import { type Refusal, refusalWith } from '../refusals/refusals.ts'
import type { Upstream } from '../upstreams/upstream.ts'
import type { Edit } from '../values/json-text.ts'
import { type Bound, boundOf } from './bound.ts'
import { sendRefusal } from './call.ts'
import { CallName } from './call-name.ts'
import type { GatewayParts } from './gateway-parts.ts'
import {
  type CallRoute,
  isNamedByBody,
  isRefusal,
  type Prepared,
  prepare,
  providersOf,
  refusalFor,
} from './prepared-call.ts'
import { isStarted, type StartedCall, startRun } from './run-start.ts'

/**
 * Decides on a call that another proxy is to send as it is. Nobody here sees what it uses, so it is charged what was held, and only a call
 * with a hard bound that the gateway would send without a change may run.
 */
export async function serveCheck(
  parts: GatewayParts,
  route: CallRoute,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const client = clientKindOf(request.headers)
  const refuse = (refusal: Refusal) => sendRefusal(parts, refusal, route.dialect, client, response)
  const held = { bytes: 0 }
  try {
    refuseUnreadable(route, request)
    const prepared = await prepare(parts, route, request, client, held)
    const outcome = isRefusal(prepared) ? prepared : await decide(parts, prepared)
    if (isStarted(outcome)) allow(outcome, response)
    else refuse(outcome)
  } catch (error) {
    const refusal = refusalFor(error)
    if (refusal === undefined) throw error
    refuse(refusal)
  } finally {
    parts.buffered.give(held.bytes)
  }
}

/** Refuses what the provider could read differently from what is read here. */
function refuseUnreadable(route: CallRoute, { headers }: IncomingMessage) {
  const fault = (message: string, field: string) => new RequestFault('invalid_request', message, field)
  if (!isNamedByBody(route) || route.provider !== undefined)
    throw fault('only paths that leave the model to the body are decided for other proxies', 'model')
  if (headers['x-envoy-auth-partial-body'] === 'true') throw fault('only a part of the body came to be decided', 'body')
  if (headers['content-encoding'] !== undefined)
    throw fault('a compressed body is not decided for other proxies', 'content-encoding')
  if (!/^application\/json\s*(;\s*charset=utf-8\s*)?$/i.test(headers['content-type'] ?? 'application/json'))
    throw fault('the body must be sent as application/json', 'content-type')
}

async function decide(parts: GatewayParts, call: Prepared): Promise<StartedCall | Refusal> {
  const { model, dialect, body, asked } = call
  if (model === undefined)
    throw new RequestFault('invalid_request', 'routes are not decided for other proxies', 'model')
  const [stored] = dialect.stored?.(body.value) ?? []
  if (stored)
    throw new RequestFault('unbounded', `${stored.field} names an answer whose owner is not known here`, stored.field)
  const [upstream] = providersOf(parts, call, model)
  if (upstream === undefined) return refusalWith(404, 'model_not_found', `the model ${asked.model} is not served here.`)
  const bound = hardBound(parts, call, model, upstream)
  refuseChanges(call, model, upstream, bound)
  // A call that is sent again may be billed again, whatever its Idempotency-Key.
  const unnamed = { ...call, name: new CallName(undefined, '') }
  const target = { model: upstream.pricedName(model.name), provider: upstream.label }
  return startRun(parts, unnamed, target, bound, 'nobody')
}

/** The bound of a call; one that is only an allowance would never be corrected by what was used. */
function hardBound({ config }: GatewayParts, { asked, body }: Prepared, model: Model, { config: provider }: Upstream) {
  const input = { asked, text: body.text, body: body.value, provider, config }
  const bound = boundOf({ ...input, model: { ...model, bounds: 'hard' } })
  return { ...bound, leastOutput: bound.outputTokens }
}

/** Refuses a call that would have to be changed before it is sent. */
function refuseChanges(
  { asked, body, dialect, headers, route }: Prepared,
  model: Model,
  upstream: Upstream,
  bound: Bound,
) {
  const target = { path: route.path, query: route.query, model: model.name, stream: asked.stream }
  const edits = [
    ...dialect.edits(asked, bound.outputTokens, upstream.config, bound.tools),
    ...upstream.edits(body.value, target, headers),
  ]
  const change = edits.find((edit) => !isForMetering(edit) && !isWritten(body.value, edit))
  if (change === undefined) return
  const field = change.path.join('.')
  const wanted = change.value === undefined ? 'must not be set' : `must be ${JSON.stringify(change.value)}`
  throw new RequestFault('unbounded', `${field} ${wanted}: a proxy sends the request as it is`, field)
}

const isForMetering = ({ path: [field] }: Edit) => field === 'stream_options'

function isWritten(body: unknown, { path, value }: Edit): boolean {
  const written = path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), body)
  return JSON.stringify(written) === JSON.stringify(value)
}

function allow({ run, bound }: StartedCall, response: ServerResponse) {
  response
    .writeHead(200, {
      'x-weir-run-id': run.runId,
      ...(run.decisionId !== undefined && { 'x-weir-decision-id': run.decisionId }),
      'x-weir-reserved-usd': run.reservedUsd,
      'x-weir-bound': bound.kind,
      'content-length': 0,
    })
    .end()
}
