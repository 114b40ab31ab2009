import { machineMs } from '../infra/heartbeat.ts'
import type { Admission } from './admission.ts'
import type { Attempt } from './attempt.ts'
import type { GatewayParts } from './gateway-parts.ts'
import type { IncomingCall } from './incoming-call.ts'
import { hiddenMargin, hidesReasoning } from './judgement.ts'
import { ratedModel } from './learned-rates.ts'

const progressEveryMs = 250
/** The time for which a provider goes on when this process has ended. */
const unheardSeconds = 0.35

/** Keeps the lease of a run alive while its answer is on the way, and notes its progress in the journal. */
export function keepLease(parts: GatewayParts, call: IncomingCall, admission: Admission, attempt: Attempt) {
  const { run, externalId } = admission
  const rated = ratedModel(admission)
  const isHidden = hidesReasoning(call, admission)
  const leaseSeconds = parts.config.weir.lease_seconds ?? 120
  const extend = async () => {
    const status = await parts.weir.extend(call.caller, run.runId, leaseSeconds)
    if (status === undefined || status >= 500 || status === 429) parts.metrics.leasesLost.inc()
    // A key that was revoked, or an organization that was suspended, in the middle of the answer.
    if (status === 401 || status === 403) attempt.cut('the key may not be used any more')
  }
  const lease = setInterval(() => void extend(), (leaseSeconds * 1_000) / 2)
  let notedAt = attempt.seconds
  const note = () => {
    // A busy process notes late: the next note may be as late as this one, and then never come.
    const gapSeconds = Math.max(progressEveryMs / 1_000, attempt.seconds - notedAt)
    notedAt = attempt.seconds
    const { silentSeconds } = attempt.unfinished()
    const perSecond = parts.rates.tokensPerSecond(rated) * call.asked.choices * (isHidden ? hiddenMargin : 1)
    // Reasoning that is not shown goes by time alone; what came while this process was busy is noted next time.
    const hiddenSeconds = isHidden ? attempt.seconds - attempt.shown.seconds : silentSeconds
    const shown = attempt.shown.pieces * parts.rates.tokensPerPiece(rated)
    const outputTokens = Math.ceil(shown + perSecond * hiddenSeconds)
    const unseenTokens = Math.ceil(perSecond * (gapSeconds + unheardSeconds))
    const usage = attempt.meter.inputSoFar()
    const seen = { outputTokens, atMs: machineMs(), perSecond, unseenTokens, ...(usage && { usage }) }
    parts.journal?.write({ t: 'progress', id: externalId, seen })
  }
  if (parts.journal) note()
  const progress = parts.journal && setInterval(note, progressEveryMs)
  return {
    stop: () => {
      clearInterval(lease)
      clearInterval(progress)
    },
  }
}
