import { Gauge } from 'prom-client'
import type { Clock } from '../../platform/infra/clock.ts'
import type { Metrics } from '../../platform/infra/metrics.ts'
import { dayMs } from '../../values/time.ts'
import { catalog } from './catalog.ts'

/** Publishes the age of the built-in prices: nothing else says that they have become old. */
export function publishCatalogAge({ metrics, clock }: { readonly metrics: Metrics; readonly clock: Clock }): void {
  new Gauge({
    name: 'svc_price_catalog_age_days',
    help: 'Days since the built-in price catalogue was taken from its source.',
    registers: [metrics],
    collect() {
      const ageMs = clock.now().getTime() - Date.parse(catalog().taken)
      this.set(Math.max(0, Math.floor(ageMs / dayMs)))
    },
  })
}
