import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Dialect, RequestFault } from '../dialects/dialect.ts'
import { modelAt } from '../dialects/fields.ts'
import { clientKindOf } from '../refusals/client-kinds.ts'
import { faultRefusal, type Refusal, refusalWith } from '../refusals/refusals.ts'
import { applyEdits } from '../values/json-text.ts'
import { keyOf } from '../weir/caller-keys.ts'
import { sendRefusal } from './call.ts'
import { callerRefusal, takesForeign } from './checked-caller.ts'
import { forwardAnswer } from './forwarded-answer.ts'
import type { GatewayParts } from './gateway-parts.ts'
import { BodyRefused, parseBody, readBytes } from './request-body.ts'
import { type ServingRoute, servedModel } from './served-model.ts'
import { forwardStored, ownProviders, type StoredRoute } from './stored-answer.ts'

interface FreeRoute extends ServingRoute {
  readonly path: string
  readonly query: string
}

/** Passes on a request that the provider does not bill, such as the count of tokens, once the caller's key has been checked. */
export async function serveFree(
  parts: GatewayParts,
  route: FreeRoute,
  request: IncomingMessage,
  response: ServerResponse,
) {
  return servePassing(parts, route.dialect, request, response, (held) => forward(parts, route, request, response, held))
}

/** Serves a request about an answer that the provider keeps, once the caller's key has been checked. */
export const serveStored = (
  parts: GatewayParts,
  route: StoredRoute,
  request: IncomingMessage,
  response: ServerResponse,
) => servePassing(parts, route.dialect, request, response, () => forwardStored(parts, route, request, response))

async function servePassing(
  parts: GatewayParts,
  dialect: Dialect,
  request: IncomingMessage,
  response: ServerResponse,
  pass: (held: { bytes: number }) => Promise<void>,
) {
  const held = { bytes: 0 }
  const refuse = (refusal: Refusal) => sendRefusal(parts, refusal, dialect, clientKindOf(request.headers), response)
  try {
    const refusal = await callerRefusal(parts, request)
    if (refusal) refuse(refusal)
    else await pass(held)
  } catch (error) {
    if (error instanceof RequestFault) refuse(faultRefusal(error))
    else if (error instanceof BodyRefused)
      refuse(refusalWith(413, 'payload_too_large', 'the request is larger than this gateway allows.'))
    else if (response.headersSent) response.destroy()
    else refuse(refusalWith(502, 'upstream_failed', 'the provider cannot be reached.', 1))
  } finally {
    parts.buffered.give(held.bytes)
  }
}

async function forward(
  parts: GatewayParts,
  route: FreeRoute,
  request: IncomingMessage,
  response: ServerResponse,
  held: { bytes: number },
) {
  const bytes = await readBytes(request, parts.config.limits?.body_bytes ?? 67_108_864, parts.buffered, held)
  const body = parseBody(bytes)
  const model = servedModel(parts, route.facts?.model ?? modelAt(body.value), route)
  const upstream = parts.upstreams.get(model.providers[0] ?? '')!
  ownProviders(parts, route.dialect.stored?.(body.value) ?? [], keyOf(request.headers, takesForeign(parts)) ?? '', [
    upstream,
  ])
  const target = { path: route.path, query: route.query, model: model.name, stream: false }
  const edits = upstream.edits(body.value, target, request.headers)
  const edited = Buffer.from(applyEdits(body.text, edits, body.structure))
  await forwardAnswer(upstream, await upstream.requestOf(target, request.headers, edited), response)
}
