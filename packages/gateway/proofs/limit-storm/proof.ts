import { servicesUp } from '../../../server/scripts/private-services.ts'
import type { ProofOptions } from '../support/proof.ts'
import { openSite } from '../support/site.ts'
import { runLimitStorm } from './storm.ts'

/** `pnpm prove limit`: 64 callers, two gateways, budgets of 40 worst cases, 20,000 calls, kills and crashes. `--bug blind-to-holds` must be found. */
export async function proveLimit({ smoke, seed, bug, count = smoke ? 1_500 : 20_000 }: ProofOptions) {
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
    if (faults.length > 0 || worstRatio > 1 || checkThenCharge <= 1) process.exitCode = 1
  } finally {
    await site.close()
  }
}
