import { beginProof } from '../../../../scripts/proof/record.ts'
import type { ProofOptions } from '../support/proof.ts'
import { type Comparison, compareRequests, compareStreams } from './fidelity.ts'
import { openRelay } from './relay.ts'

/** `pnpm prove fidelity`: bytes through the gateway, of requests, of answers, and of streams that are cut at every byte. */
export async function proveFidelity({ smoke, seed, record, count = smoke ? 500 : 20_000 }: ProofOptions) {
  const finish = beginProof('fidelity', record)
  const began = performance.now()
  const relay = await openRelay()
  const streams: Comparison = { compared: 0, faults: [] }
  try {
    const requests = await compareRequests(relay, seed, count)
    const add = ({ compared, faults }: Comparison) => {
      streams.compared += compared
      streams.faults.push(...faults)
    }
    for (let i = 0; i < (smoke ? 1 : 5); i += 1) add(await compareStreams(relay, seed + i, 'every'))
    for (let i = 0; i < (smoke ? 5 : 100); i += 1) add(await compareStreams(relay, seed + 100 + i, 20, 20))
    const faults = [...requests.faults, ...streams.faults]
    for (const fault of faults.slice(0, 10)) console.error(fault.slice(0, 500))
    console.log(
      `fidelity: ${faults.length} differences in ${requests.compared} requests with their answers and ${streams.compared} streams ` +
        `(each cut at every byte, or at random ones), ${((performance.now() - began) / 1_000).toFixed(0)} s`,
    )
    finish({
      tried: requests.compared + streams.compared,
      of: 'requests and streams compared byte by byte',
      broken: faults.length,
      figures: { seed, requests: requests.compared, streams: streams.compared },
    })
    if (faults.length > 0 || requests.compared < count / 2) process.exitCode = 1
  } finally {
    await relay.close()
  }
}
