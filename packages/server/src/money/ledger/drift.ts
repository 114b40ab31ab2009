import { Gauge } from 'prom-client'
import type { Job } from '../../platform/infra/jobs.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { type FurtherCheck, verifyLedgers } from './verification.ts'

/** Checks regularly what was booked since the last check; any drift but 0 is an incident. */
export function verifyLedgersJob({ sql, log, metrics }: Platform, further: FurtherCheck): Job {
  const drift = new Gauge({
    name: 'svc_ledger_drift_nano_usd',
    help: 'Difference between rows, journal, open holds, runs and usage at the last check; anything but 0 is a defect.',
    registers: [metrics],
  })
  const checked = new Gauge({
    name: 'svc_ledger_checked_allowances',
    help: 'Allowances that the last check examined.',
    registers: [metrics],
  })
  return {
    name: 'verify-ledgers',
    schedule: '*/10 * * * *',
    run: async () => {
      const { driftNano, allowances, faults } = await verifyLedgers(sql, { isComplete: false, further })
      drift.set(Number(driftNano))
      checked.set(allowances)
      for (const { orgId, batch, key, what } of faults.slice(0, 20))
        log.error(
          { org_id: orgId, batch: batch?.toString(), key, what },
          'ledger drift: rows, journal, holds, runs or usage differ',
        )
    },
  }
}
