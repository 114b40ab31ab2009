import { beginProof } from '../../../../scripts/proof/record.ts'
import { servicesUp } from '../../../server/scripts/private-services.ts'
import type { ProofOptions } from '../support/proof.ts'
import { openSite } from '../support/site.ts'
import { runLimitStorm } from './storm.ts'

/** `pnpm prove limit`: 64 callers, two gateways, budgets of 40 worst cases, 20,000 calls, kills and crashes. `--bug blind-to-holds` must be found. */
export async function proveLimit({ smoke, seed, bug, record, count = smoke ? 1_500 : 20_000 }: ProofOptions) {
  const finish = beginProof('limit', record && bug === undefined)
  servicesUp()
  const site = await openSite({ apis: 2, gateways: 2 })
  try {
    if (bug !== undefined) await site.installation.plant(bug)
    const report = await runLimitStorm(site, {
      clients: 64,
      calls: count,
      budgets: Math.ceil(count / 400),
      seed,
      gatewayKillsEveryMs: [2_000, 7_000],
      crashes: smoke ? 1 : 8,
      seconds: 400,
    })
    const { worstRatio, checkThenCharge, charged, faults, outcomes, counts, seconds } = report
    for (const fault of faults.slice(0, 20)) console.error(fault)
    console.log(
      `limit: provider's books / limit ${worstRatio.toFixed(6)} at worst, ${checkThenCharge.toFixed(3)} with check-then-charge; ` +
        `charged / billed ${charged.toFixed(3)}; ledger drift and other faults ${faults.length}; ${seconds.toFixed(0)} s`,
    )
    console.log(`  answers ${JSON.stringify(outcomes)}, faults ${JSON.stringify(counts)}`)
    finish({
      tried: count,
      of: 'calls on small budgets while gateways and Weir are killed',
      broken: faults.length + (worstRatio > 1 ? 1 : 0),
      figures: {
        seed,
        'provider’s books ÷ limit, at worst': worstRatio.toFixed(6),
        'the same with check-then-charge': checkThenCharge.toFixed(3),
        'charged ÷ billed': charged.toFixed(3),
      },
    })
    if (faults.length > 0 || worstRatio > 1 || checkThenCharge <= 1) process.exitCode = 1
  } finally {
    await site.close()
  }
}
