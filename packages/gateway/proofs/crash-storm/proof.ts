import { beginProof } from '../../../../scripts/proof/record.ts'
import { servicesUp } from '../../../server/scripts/private-services.ts'
import { watchMachine } from '../support/machine.ts'
import type { ProofOptions } from '../support/proof.ts'
import { openSite } from '../support/site.ts'
import { runCrashStorm } from './storm.ts'

/** `pnpm prove crashes`: a gateway killed in the middle of streams, again and again, and started within the lease. */
export async function proveCrashes({ smoke, seed, record, count = smoke ? 1 : 10 }: ProofOptions) {
  const finish = beginProof('crashes', record)
  servicesUp()
  const site = await openSite({ apis: 1, gateways: 1 })
  try {
    const machine = watchMachine()
    const { streams, ratio, short, atTheirHold } = await runCrashStorm(site, { rounds: count, streams: 30, seed })
    for (const line of short.slice(0, 20)) console.error(line)
    console.log(
      `crashes: charged by the journal / billed ${ratio.toFixed(3)} over ${streams} streams and ${count} kills; ` +
        `${short.length} charged less than billed, ${atTheirHold} left at their hold; ${machine()}`,
    )
    finish({
      tried: streams,
      of: 'streams cut by a gateway killed with -9',
      broken: short.length + atTheirHold,
      figures: { seed, kills: count, 'charged ÷ billed': ratio.toFixed(3), machine: machine() },
    })
    if (atTheirHold > 0 || streams === 0 || (!smoke && (ratio > 1.3 || short.length > 0))) process.exitCode = 1
  } finally {
    await site.close()
  }
}
