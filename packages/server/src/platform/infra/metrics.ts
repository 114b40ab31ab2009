import { Counter, type CounterConfiguration, collectDefaultMetrics, Gauge, Registry } from 'prom-client'

export type Metrics = Registry

/** Creates the metrics registry of a process. Its series carry no default labels: the scraper adds the process. */
export function createMetrics(build: { version: string; role: string }): Metrics {
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })
  new Gauge({
    name: 'svc_build_info',
    help: 'Always 1; the labels name version and role.',
    labelNames: ['version', 'role'],
    registers: [metrics],
  }).set(build, 1)
  return metrics
}

/** Returns the counter of a name in a registry, and creates it the first time: several parts of a process may count under it. */
export function sharedCounter<Label extends string>(
  metrics: Metrics,
  configuration: Omit<CounterConfiguration<Label>, 'registers'>,
): Counter<Label> {
  const existing = metrics.getSingleMetric(configuration.name)
  return existing instanceof Counter ? existing : new Counter({ ...configuration, registers: [metrics] })
}
