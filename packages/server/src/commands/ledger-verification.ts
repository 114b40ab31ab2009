import type { Config } from '../config.ts'
import { verifyLedgers } from '../money/ledger/ledger.ts'
import type { Log } from '../platform/infra/log.ts'
import { openPlatform } from '../platform/infra/platform.ts'
import { checkRuns } from '../runs/reconciliation/reconciliation.ts'
import { formatId } from '../values/id.ts'

/** Verifies the ledger of every organization and prints the findings; exits with 1 when something does not balance. */
export async function runLedgerVerification(config: Config, log: Log) {
  const platform = await openPlatform(config, 'verify', log)
  try {
    const { faults, driftNano, ...counts } = await verifyLedgers(platform.sql, {
      further: checkRuns(platform.sql, platform.clock),
    })
    const findings = faults.map((fault) => ({
      org_id: formatId('org', fault.orgId),
      batch: fault.batch === null ? null : Number(fault.batch),
      key: fault.key,
      what: fault.what,
      drift_nano_usd: fault.driftNano.toString(),
    }))
    console.log(JSON.stringify({ ...counts, drift_nano_usd: driftNano.toString(), faults: findings }))
    if (faults.length > 0) process.exitCode = 1
  } finally {
    await platform.close()
  }
}
