import { Counter } from 'prom-client'
import { createEventSampler, type NewEvent } from '../../access/events/events.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { WriteBehind } from '../../platform/infra/write-behind.ts'
import type { Finding } from './inspection.ts'

const flushEveryMs = 200
const maxWaiting = 5_000

/** The submission in which something was found. */
export interface Submission {
  readonly orgId: string
  /** The public ID. */
  readonly keyId: string
  readonly model: string | null
  readonly workflowId: string | null
  readonly customerId: string | null
}

type Detection = Submission & Pick<Finding, 'detector' | 'mode' | 'hits'>

export interface FindingsPublisher {
  /** Counts findings immediately and emits their events in the background. */
  readonly publish: (submission: Submission, findings: readonly Finding[]) => void
  readonly close: () => Promise<void>
}

/** Creates the publisher of findings. It counts and emits that a detector fired, never the text that it found. */
export function createFindingsPublisher(platform: Platform): FindingsPublisher {
  const { sql, metrics } = platform
  const emitSampled = createEventSampler(platform, 'content_safety.detected')
  const hits = new Counter({
    name: 'svc_content_safety_hits_total',
    help: "Submitted texts in which a detector fired, by its mode. Patterns of organizations count as 'custom'.",
    labelNames: ['detector', 'mode'],
    registers: [metrics],
  })
  const buffer = new WriteBehind<Detection>(platform, {
    name: 'content_safety_events',
    everyMs: flushEveryMs,
    maxWaiting,
    write: (detections) =>
      sql.asOrgs([...new Set(detections.map(({ orgId }) => orgId))], (tx) => emitSampled(tx, detections, eventOf)),
  })

  function publish(submission: Submission, findings: readonly Finding[]) {
    for (const { detector, mode, hits: distinct } of findings) {
      hits.inc({ detector: detector.startsWith('custom:') ? 'custom' : detector, mode })
      const detection = { ...submission, detector, mode, hits: distinct }
      buffer.add(detection, detection)
    }
  }

  return { publish, close: () => buffer.close() }
}

const eventOf = (detection: Detection): NewEvent & { readonly kind: 'content_safety.detected' } => ({
  kind: 'content_safety.detected',
  subject: detection.detector,
  data: {
    detector: detection.detector,
    mode: detection.mode,
    hits: detection.hits,
    key_id: detection.keyId,
    model: detection.model,
    workflow_id: detection.workflowId,
    customer_id: detection.customerId,
  },
})
