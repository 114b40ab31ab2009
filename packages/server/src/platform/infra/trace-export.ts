import type { Tracer } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'

interface ExportedTracer {
  readonly tracer: Tracer
  readonly close: () => Promise<void>
}

/** Opens a tracer whose spans are exported to a collector. */
export function openTracer(options: {
  readonly sampleRatio: number
  readonly endpoint: string
  readonly serviceName: string
  readonly version: string
}): ExportedTracer {
  const ours = resourceFromAttributes({ 'service.name': options.serviceName, 'service.version': options.version })
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override the defaults.
  const resource = defaultResource()
    .merge(ours)
    .merge(detectResources({ detectors: [envDetector] }))
  const provider = new TracerProvider({
    resource,
    // A caller that sends a sampling decision decides for its own traces; of all others this share is sampled.
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.sampleRatio) }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${options.endpoint}/v1/traces` }) }),
    ],
  })
  return { tracer: provider.getTracer('weir', options.version), close: () => provider.shutdown() }
}
