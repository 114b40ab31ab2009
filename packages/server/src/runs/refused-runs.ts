import { type Caller, makerOf, withNormalNames } from '../access/identity/identity.ts'
import { type DecisionInput, type DecisionLog, explainCharge } from '../decisions/decisions.ts'
import type { IngestResult } from '../decisions/lanes/lanes.ts'
import { stopOf } from '../money/ledger/ledger.ts'
import { newUuid } from '../values/id.ts'
import { elementAt } from '../values/present.ts'
import type { BulkRun } from './bulk-schema.ts'

/** Records runs that had happened and that a limit refused. Runs that failed only with their batch were refused by none. */
export function recordRefusedRuns(
  records: DecisionLog,
  caller: Caller,
  runs: readonly BulkRun[],
  results: readonly IngestResult[],
  at: Date,
) {
  for (const [i, { error, refusal }] of results.entries()) {
    if (!error || !refusal || error.code === 'validation_failed') continue
    const { tags: _tags, metadata: _metadata, ...said } = withNormalNames(elementAt(runs, i))
    const id = newUuid()
    const ruled = {
      at,
      amountNano: refusal.allowance.unit === 'usd' ? refusal.attempted : 0n,
      errorCode: error.code,
      madeBy: makerOf(caller),
    }
    const body = explainCharge(id, { ...said, ...caller.pins } as DecisionInput, refusal, ruled)
    const refused = { error, surface: 'bulk', stoppedKey: stopOf(refusal)?.allowance.key } as const
    records.record({ orgId: caller.orgId, id, body, refused })
  }
}
