import type { PartialSuccess } from './encodings.ts'
import type { RunsOfTraces } from './otlp.ts'
import type { Refused } from './recording.ts'

const maxReasons = 10

/** What OTLP says of a request that was taken in part; nothing of one that was taken whole. */
export function partialSuccess(
  rejected: RunsOfTraces['rejected'],
  refused: readonly Refused[],
): PartialSuccess | undefined {
  const rejectedSpans = rejected.count + refused.length
  if (rejectedSpans === 0) return undefined
  const reasons = [
    ...rejected.messages,
    ...refused.map(({ run, reason }) => `${run.external_id.replace(/^otlp:/, '')}: ${reason.code}: ${reason.message}`),
  ].slice(0, maxReasons)
  const more = rejectedSpans - reasons.length
  return { rejectedSpans, errorMessage: reasons.join('; ') + (more > 0 ? `; and ${more} more` : '') }
}
