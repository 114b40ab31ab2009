import { type Refusal, refusalOf, refusalWith } from '../refusals/refusals.ts'
import type { RunStart, Started } from '../weir/weir.ts'
import { answerOutput, type Bound, totalOutput } from './bound.ts'
import { earlierRefusal } from './earlier-call.ts'
import type { GatewayParts } from './gateway-parts.ts'
import type { IncomingCall } from './incoming-call.ts'
import { metadataOf } from './labels.ts'

/** A call whose run has started. */
export interface StartedCall {
  readonly externalId: string
  readonly run: Started
  readonly bound: Bound
  /** The output of one answer, as it is written into the request. */
  readonly grantedOutput: number
}

/** The fields of a start that say which model is to run. */
type RunTarget = Pick<RunStart, 'model' | 'provider' | 'route' | 'sticky'>

export const isStarted = (outcome: StartedCall | Refusal): outcome is StartedCall => 'run' in outcome

/**
 * Starts the run of a call: by a model and its provider, or by a route that chooses them. A run that nobody follows ends with its lease, and
 * is charged what was held.
 */
export async function startRun(
  parts: GatewayParts,
  call: IncomingCall,
  target: RunTarget,
  bound: Bound,
  followedBy: 'gateway' | 'nobody' = 'gateway',
): Promise<StartedCall | Refusal> {
  const { caller, name } = call
  const externalId = name.externalId()
  const managed = followedBy === 'nobody' || (await parts.organizations.manages(caller))
  const run = { ...runOf(parts, call, target, bound, externalId), ...(managed && { managed }) }
  const journal = followedBy === 'nobody' ? undefined : parts.journal
  const mark = name.isGiven ? { nonce: name.nonce } : {}
  // A call that is repeated while it runs must not take the place of the one that runs.
  const asking = journal?.isOpen(externalId) === true ? undefined : journal
  asking?.write({ t: 'ask', id: externalId, model: target.model ?? 'unknown', ...mark })
  const outcome = await parts.weir.start(caller, run)
  if (outcome.kind === 'refused') asking?.write({ t: 'done', id: externalId })
  if (outcome.kind === 'refused' && outcome.refused.code === 'conflict' && name.isGiven) {
    const refusal = await earlierRefusal(parts, call, externalId)
    if (refusal === undefined && name.advance()) return startRun(parts, call, target, bound, followedBy)
    return refusal ?? refusalOf(outcome.refused)
  }
  if (outcome.kind === 'refused') return refusalOf(outcome.refused)
  if (outcome.kind === 'unknown') {
    if (name.isGiven) parts.abandoned.add(caller, run, externalId)
    // Ends the run if it was made, and fences it off if it was not.
    else
      parts.settlements.add(
        { externalId, runId: undefined, status: 'cancelled', kind: 'zero', model: target.model ?? 'unknown' },
        caller.key,
      )
    return refusalWith(503, 'service_unavailable', 'the control plane cannot be reached, so no call is admitted.', 1)
  }
  name.advance()
  const grantedOutput = Math.min(bound.outputTokens, answerOutput(bound, outcome.run.maxOutputTokens))
  parts.metrics.holds.inc({ bound: bound.kind })
  if (grantedOutput < bound.outputTokens) parts.metrics.fits.inc({ how: 'output' })
  journal?.write({
    t: 'start',
    id: externalId,
    call: {
      externalId,
      runId: outcome.run.runId,
      model: outcome.run.model,
      inputTokens: bound.inputTokens,
      outputTokens: totalOutput(bound, grantedOutput),
    },
  })
  // From here on the call may be sent, and so may cost something: that must be on record before.
  journal?.flush()
  return { externalId, run: outcome.run, bound, grantedOutput }
}

function runOf(
  { config }: GatewayParts,
  { asked, dialect, body, headers, labels, client, name }: IncomingCall,
  target: RunTarget,
  bound: Bound,
  externalId: string,
): RunStart {
  const most = totalOutput(bound, bound.outputTokens)
  const least = totalOutput(bound, bound.leastOutput)
  const { send = 'newest', max_characters = 65_536 } = config.safety ?? {}
  return {
    ...labels,
    ...target,
    input_tokens: bound.inputTokens,
    max_output_tokens: most,
    ...(least < most && { min_output_tokens: least }),
    ...(Object.keys(bound.units).length > 0 && { units: bound.units }),
    ...(asked.serviceTier && { service_tier: asked.serviceTier }),
    ...(bound.cacheCreation && { cache_creation: bound.cacheCreation }),
    operation: dialect.name,
    lease_seconds: config.weir.lease_seconds ?? 120,
    external_id: externalId,
    metadata: { ...metadataOf(headers), gateway: true, bound: bound.kind, client, ...name.metadata },
    ...(send === 'newest' && { input: newest(dialect.texts(body.value), max_characters) }),
  }
}

const mostTexts = 50

/** The newest texts, as many as fit. */
function newest(texts: readonly string[], characters: number): string[] {
  const kept: string[] = []
  let left = characters
  for (const text of texts) {
    if (left <= 0 || kept.length === mostTexts) break
    kept.push(text.length > left ? text.slice(0, left) : text)
    left -= text.length
  }
  return kept
}
