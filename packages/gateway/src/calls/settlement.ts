import type { Usage } from '../dialects/dialect.ts'
import type { Admission } from './admission.ts'
import type { Attempt } from './attempt.ts'
import type { AttemptEnd } from './attempt-end.ts'
import { totalOutput } from './bound.ts'
import { writtenUnasked } from './cache-claim.ts'
import type { GatewayParts } from './gateway-parts.ts'
import type { IncomingCall } from './incoming-call.ts'
import { hidesReasoning, judge } from './judgement.ts'
import { ratedModel } from './learned-rates.ts'
import { remember } from './remembered-bound.ts'

/** Tells Weir what a call used: exactly where the provider said so, nothing where it did no work, else what can be judged. */
export async function settle(
  parts: GatewayParts,
  call: IncomingCall,
  admission: Admission,
  attempt: Attempt,
  end: AttemptEnd,
) {
  const { externalId, run } = admission
  const base = { externalId, runId: run.runId, requestId: attempt.requestId }
  const { key } = call.caller
  if (end.kind === 'not_sent' || end.kind === 'refused') {
    parts.settlements.add({ ...base, status: 'failed', kind: 'zero' }, key)
    return
  }
  if (attempt.meter.unread > 0) parts.metrics.unreadEvents.inc(attempt.meter.unread)
  const usage = end.kind === 'complete' || attempt.meter.isComplete() ? attempt.meter.usage() : undefined
  if (usage !== undefined) {
    const isKept = checkBound(parts, admission, usage)
    const answeredBy = attempt.meter.answeredBy?.()
    if (isKept && end.kind === 'complete') remember(parts, call, admission, usage, answeredBy)
    learn(parts, call, admission, attempt, usage)
    parts.settlements.add({ ...base, status: 'succeeded', kind: 'exact', usage }, key)
    return
  }
  if (end.kind === 'complete') {
    parts.metrics.usageMissing.inc({ provider: admission.upstream.name, model: admission.model.name })
    parts.log.warn({ run: run.runId, model: admission.model.name }, 'an answer did not say what it used')
  }
  const judged = await judge(parts, call, admission, attempt.unfinished())
  const status = end.kind === 'complete' ? 'succeeded' : end.why === 'client_gone' ? 'cancelled' : 'failed'
  parts.settlements.add({ ...base, status, kind: 'partial', usage: judged }, key)
}

/** Notices a call that used more than was held: for a hard bound a defect of ours. Returns false where its model is not what it was taken for. */
function checkBound({ metrics, log, memory }: GatewayParts, admission: Admission, usage: Usage): boolean {
  const { bound, model, run, grantedOutput } = admission
  const over = {
    input: usage.input_tokens - bound.inputTokens,
    output: usage.output_tokens - totalOutput(bound, grantedOutput),
    cache: writtenUnasked(bound, usage),
  }
  for (const why of ['input', 'output', 'cache'] as const) {
    if (over[why] <= 0) continue
    if (bound.kind === 'soft') metrics.softOverruns.inc(over[why])
    else {
      metrics.violations.inc({ model: model.name, why, bound: bound.kind })
      log.error(
        { run: run.runId, model: model.name, why, over: over[why], bound: bound.kind },
        'a call used more than its bound',
      )
    }
  }
  const isWrong = (bound.isRemembered === true && over.input > 0) || over.cache > 0
  if (isWrong) memory.distrust(ratedModel(admission))
  return !isWrong
}

/** Learns from a complete answer how to judge others; some are counted for that, in a thread of their own. */
function learn(
  { rates, counter, clock, log }: GatewayParts,
  call: IncomingCall,
  admission: Admission,
  attempt: Attempt,
  usage: Usage,
) {
  const rated = ratedModel(admission)
  const { choices, references, serverTools } = call.asked
  // What was billed for more than the text of the request, or for several answers at once, would have others charged too much.
  if (choices > 1 || references.length > 0 || serverTools.length > 0) return
  const { chunks, isCutOff } = attempt.unfinished()
  const { reasoning_output_tokens: reasoning, output_tokens: billedOutput } = usage
  const isHidden = hidesReasoning(call, admission)
  const lesson = {
    billedInput: usage.input_tokens,
    billedOutput,
    shownOutput: isHidden && reasoning === undefined ? undefined : billedOutput - (reasoning ?? 0),
    pieces: attempt.shown.pieces,
    shownSeconds: attempt.shown.spanSeconds,
    seconds: call.asked.stream ? attempt.answerSeconds : attempt.seconds,
  }
  if (!call.asked.stream || isCutOff || call.asked.images > 0 || !rates.wantsCount(rated, clock.monotonicMs())) {
    rates.learn(rated, lesson)
    return
  }
  counter
    .count(call.dialect.name, call.body.text.length > 1_048_576 ? undefined : call.body.text, chunks)
    .then((counts) =>
      rates.learn(rated, {
        ...lesson,
        ...(counts?.input !== undefined && { countedInput: counts.input }),
        // Hidden reasoning is billed and not shown: it says nothing of the ratio.
        ...(counts !== undefined && !isHidden && { countedOutput: counts.output }),
      }),
    )
    .catch((error: unknown) => log.warn({ error }, 'an answer could not be counted'))
}
