import type { ExclusionReason } from './reasons.ts'
import type { Bar, EvalScore } from './route.ts'

/** True when a result is older than the bar allows; exactly as old passes. */
export const isTooOld = ({ maxAgeSeconds }: Bar, { measuredAtMs }: EvalScore, nowMs: number): boolean =>
  nowMs - measuredAtMs > maxAgeSeconds * 1_000

/** Returns the reasons that a model's latest result does not pass the bar. */
export function barReasons(bar: Bar, latest: EvalScore | undefined, nowMs: number): ExclusionReason[] {
  if (!latest) return [{ code: 'no_eval', had: null, needed: bar.suite }]
  const reasons: ExclusionReason[] = []
  // Written as a negation so that NaN passes no bar.
  if (!(latest.score >= bar.minScore)) reasons.push({ code: 'below_bar', had: latest.score, needed: bar.minScore })
  if (!(latest.samples >= bar.minSamples))
    reasons.push({ code: 'too_few_samples', had: latest.samples, needed: bar.minSamples })
  if (isTooOld(bar, latest, nowMs))
    reasons.push({
      code: 'eval_expired',
      had: Math.floor((nowMs - latest.measuredAtMs) / 1_000),
      needed: bar.maxAgeSeconds,
    })
  return reasons
}
