import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Results } from '../../../../scripts/proof/situations.ts'
import { ask, type Bench, startApi, startBare } from '../support/server.ts'

const mib = (pid: number, field: 'VmRSS' | 'VmHWM') =>
  Math.round(Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024)

/** Memory that programs take of the machine: after they have started, and at most while 200 callers ask. */
export async function benchMemory({ postgres, orgs, smoke }: Bench, results: Results) {
  const seconds = smoke ? 1 : 15
  const [api, worker, bare] = await Promise.all([
    startApi(postgres),
    startApi(postgres, { role: 'worker' }),
    startBare(),
  ])
  const say = (program: string, moment: string, amount: number) => {
    results.memory.push({ program, moment, mib: amount })
    console.log(`memory of ${program}, ${moment}: ${amount} MiB`)
  }
  try {
    await sleep(smoke ? 0 : 5_000)
    say('api', 'idle', mib(api.pid, 'VmRSS'))
    say('worker', 'idle', mib(worker.pid, 'VmRSS'))
    say('the bare framework', 'idle', mib(bare.pid, 'VmRSS'))
    await ask(api, postgres, { orgs, connections: 200, seconds, isWarmUp: true })
    await ask(bare, postgres, { orgs: orgs.slice(0, 1), connections: 200, seconds })
    say('api', `at most, 200 callers of ${orgs.length.toLocaleString('en')} organizations`, mib(api.pid, 'VmHWM'))
    say('the bare framework', 'at most, 200 callers', mib(bare.pid, 'VmHWM'))
  } finally {
    await Promise.all([api.stop(), worker.stop(), bare.stop()])
  }
}
