import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Dialect } from '../dialects/dialect.ts'
import { type ClientKind, clientKindOf } from '../refusals/client-kinds.ts'
import { nativeAnswer, type Refusal, refusalWith } from '../refusals/refusals.ts'
import { editedBytes } from '../values/json-text.ts'
import { type Admission, admit, isAdmission } from './admission.ts'
import { Attempt } from './attempt.ts'
import { type AttemptEnd, passingStatuses } from './attempt-end.ts'
import type { GatewayParts } from './gateway-parts.ts'
import { keepLease } from './lease-keeper.ts'
import { type CallRoute, isRefusal, type Prepared, prepare, providersOf, refusalFor } from './prepared-call.ts'
import { admitByRoute } from './routed-admission.ts'
import { settle } from './settlement.ts'

const attemptsBeforeSent = 3
const pauseBetweenMs = 50

/** Serves one call of a model, from its first byte to its settlement. */
export async function serveCall(
  parts: GatewayParts,
  route: CallRoute,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const client = clientKindOf(request.headers)
  const held = { bytes: 0 }
  try {
    const outcome = await prepare(parts, route, request, client, held)
    if (isRefusal(outcome)) sendRefusal(parts, outcome, route.dialect, client, response)
    else await run(parts, outcome, response, client)
  } catch (error) {
    const refusal = refusalFor(error)
    if (refusal === undefined) throw error
    sendRefusal(parts, refusal, route.dialect, client, response)
  } finally {
    parts.buffered.give(held.bytes)
  }
}

/** Admits a call and sends it: to the first provider, or the next where that one does no work for it. */
async function run(parts: GatewayParts, call: Prepared, response: ServerResponse, client: ClientKind) {
  const refuse = (refusal: Refusal) => sendRefusal(parts, refusal, call.dialect, client, response)
  const ways = waysOf(parts, call)
  for (const [index, way] of ways.entries()) {
    const admission = await way()
    if (!isAdmission(admission)) return refuse(admission)
    for (const [header, value] of Object.entries(answerHeaders(call, admission, index + 1)))
      response.setHeader(header, value)
    const hasNext = index < ways.length - 1
    const end = await send(parts, call, admission, response, hasNext)
    noteFailure(admission, end, response)
    if (response.headersSent || response.destroyed) {
      const { statusCode: status } = response
      parts.metrics.requests.inc({ dialect: call.dialect.name, provider: admission.upstream.name, status, client })
      return
    }
    // What was held for the first attempt is free before the next one asks.
    if (hasNext && (end.kind === 'not_sent' || end.kind === 'refused')) await parts.settlements.drain(1_000)
    else return refuse(failureOf(end))
  }
}

/** The ways to admit a call, in order: by each provider of its model that can serve it, or by its route. */
function waysOf(parts: GatewayParts, call: Prepared): (() => Promise<Admission | Refusal>)[] {
  const { model } = call
  if (model === undefined) return [() => admitByRoute(parts, call, call.route.provider)]
  return providersOf(parts, call, model)
    .toSorted((a, b) => Number(a.circuit.isOpen) - Number(b.circuit.isOpen))
    .map((upstream) => () => admit(parts, call, model, upstream))
}

/** Remembers providers that fail; a caller that hangs up says nothing of them. */
function noteFailure({ upstream: { circuit } }: Admission, end: AttemptEnd, { destroyed }: ServerResponse) {
  if (end.kind === 'complete') circuit.succeeded()
  else if (end.kind === 'refused') {
    if (passingStatuses.has(end.status)) circuit.failed()
    else circuit.succeeded()
  } else if (end.kind === 'not_sent' ? !destroyed : end.why === 'upstream') circuit.failed()
}

/** Says what became of a call of which its caller has heard nothing yet. */
function failureOf(end: AttemptEnd): Refusal {
  if (end.kind === 'refused' && (end.status === 401 || end.status === 403))
    return refusalWith(403, 'upstream_auth', 'the provider refuses the key of this gateway. Yours is fine.')
  const refusal = refusalWith(502, 'upstream_failed', `${'message' in end ? end.message : 'the provider failed'}.`)
  return end.kind === 'not_sent' ? { ...refusal, retryAfterSeconds: 1 } : refusal
}

/** Sends an admitted call to its provider, and settles it by what happened. */
async function send(
  parts: GatewayParts,
  call: Prepared,
  admission: Admission,
  response: ServerResponse,
  hasNext: boolean,
): Promise<AttemptEnd> {
  const { upstream, model, bound, grantedOutput } = admission
  const { route } = call
  const target = { path: route.path, query: route.query, model: model.name, stream: call.asked.stream }
  const edits = [
    ...call.dialect.edits(call.asked, grantedOutput, upstream.config, bound.tools),
    ...upstream.edits(call.body.value, target, call.headers),
  ]
  const bytes = editedBytes(call.body, edits)
  for (let tries = 1; ; tries += 1) {
    const attempt = new Attempt(parts, call, admission, response, hasNext)
    const request = await upstream.requestOf(target, call.headers, bytes).catch((error: unknown) => {
      parts.log.error({ error, provider: upstream.name }, 'a request could not be authorized at its provider')
    })
    if (request === undefined) {
      const end: AttemptEnd = {
        kind: 'not_sent',
        message: 'the gateway has no credential for the provider at the moment',
      }
      await settle(parts, call, admission, attempt, end)
      return end
    }
    const gone = () => attempt.clientGone()
    response.once('close', gone)
    const keeper = keepLease(parts, call, admission, attempt)
    if (response.destroyed) attempt.clientGone()
    parts.metrics.streams.inc()
    upstream.pool.dispatch(request, attempt)
    const end = await attempt.ended
    parts.metrics.streams.dec()
    keeper.stop()
    response.off('close', gone)
    if (end.kind === 'not_sent' && tries < attemptsBeforeSent && !response.destroyed) {
      await pause(pauseBetweenMs)
      continue
    }
    if (end.kind !== 'complete')
      parts.metrics.upstreamFailures.inc({ class: end.kind === 'unfinished' ? end.why : end.kind })
    await settle(parts, call, admission, attempt, end)
    return end
  }
}

function answerHeaders(
  { asked }: Prepared,
  { run, model, bound, grantedOutput }: Admission,
  attempts: number,
): Record<string, string> {
  return {
    'x-weir-run-id': run.runId,
    ...(run.decisionId !== undefined && { 'x-weir-decision-id': run.decisionId }),
    'x-weir-reserved-usd': run.reservedUsd,
    // A name from the body may have characters that no header can.
    'x-weir-model': model.name.replace(/[^\x20-\x7e]/g, '?'),
    'x-weir-bound': bound.kind,
    ...(asked.maxOutput !== grantedOutput &&
      asked.maxOutput !== 0 && { 'x-weir-fit': `max_output_tokens=${grantedOutput}` }),
    ...(attempts > 1 && { 'x-weir-attempts': String(attempts) }),
  }
}

export function sendRefusal(
  parts: GatewayParts,
  refusal: Refusal,
  dialect: Dialect,
  client: ClientKind,
  response: ServerResponse,
) {
  parts.metrics.refusals.inc({ code: refusal.code, dialect: dialect.name })
  const answer = nativeAnswer(refusal, dialect.name, client, parts.config.clients)
  parts.metrics.requests.inc({ dialect: dialect.name, provider: 'none', status: answer.status, client })
  if (response.headersSent || response.destroyed) return
  response
    .writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(answer.body) })
    .end(answer.body)
}
