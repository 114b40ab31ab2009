import { beginProof } from '../../../../scripts/proof/record.ts'
import { servicesUp } from '../../../server/scripts/private-services.ts'
import { startSide } from '../../bench/sides.ts'
import { watchMachine } from '../support/machine.ts'
import type { ProofOptions } from '../support/proof.ts'
import { openSite } from '../support/site.ts'
import { runAbortStorm } from './storm.ts'

/** `pnpm prove aborts`: 1,000 streams dropped at random times. */
export async function proveAborts({ smoke, seed, record, count = smoke ? 100 : 1_000 }: ProofOptions) {
  const finish = beginProof('aborts', record)
  servicesUp()
  const site = await openSite({ apis: 1, gateways: 1 })
  const pipe = await startSide('bare-pipe', [site.provider.url])
  try {
    const machine = watchMachine()
    const began = performance.now()
    const report = await runAbortStorm(site, { streams: count, atOnce: 24, seed, pipe: pipe.url })
    const { dropped, short, visibleRatio, hiddenRatio, hearMs, pipedHearMs, unheard, wronglyStopped } = report
    for (const { what, heardMs } of short.slice(0, 20)) console.error(`${what}, heard after ${heardMs} ms`)
    console.log(
      `aborts: ${short.length} of ${dropped} charged less than billed; charged / billed ${visibleRatio.toFixed(3)}, ` +
        `${hiddenRatio.toFixed(3)} with hidden reasoning; the provider hears after p50 ${hearMs.p50.toFixed(1)} ms, p99 ${hearMs.p99.toFixed(1)} ms ` +
        `(bar 50; through a bare pipe p50 ${pipedHearMs.p50.toFixed(1)} ms, p99 ${pipedHearMs.p99.toFixed(1)} ms); ` +
        `${unheard} not stopped, ${wronglyStopped} drained ones stopped; ${((performance.now() - began) / 1_000).toFixed(0)} s, ${machine()}`,
    )
    finish({
      tried: dropped,
      of: 'streams dropped by the caller',
      broken: short.length + unheard + wronglyStopped,
      figures: {
        seed,
        'charged ÷ billed': visibleRatio.toFixed(3),
        'charged ÷ billed with hidden reasoning': hiddenRatio.toFixed(3),
        'provider hears, p99': `${hearMs.p99.toFixed(0)} ms`,
        machine: machine(),
      },
    })
    const isFair = visibleRatio <= 1.3 && hiddenRatio <= 2
    if (short.length > 0 || unheard > 0 || wronglyStopped > 0 || (!smoke && !isFair)) process.exitCode = 1
  } finally {
    pipe.stop()
    await site.close()
  }
}
