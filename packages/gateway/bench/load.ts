import { setTimeout } from 'node:timers/promises'
import { Client } from 'undici'
import { cpuMicrosOf } from '../../server/bench/support/cpu.ts'
import { median } from '../../server/bench/support/statistics.ts'

/** One round of calls to one side. */
export interface CallRound {
  readonly rate: number
  readonly p50: number
  /** Time to the first byte of the answer's body. */
  readonly firstByte: number
  /** Processor time of the side's process for each call. */
  readonly cpuMicros: number
}

export interface Target {
  readonly url: string
  readonly pid: number
  readonly headers: Readonly<Record<string, string>>
  readonly path?: string
}

/** Calls a side from some connections, each as fast as it is answered, or after a pause. */
export async function callRound(
  { url, pid, headers, path = '/v1/chat/completions' }: Target,
  body: Buffer,
  connections: number,
  seconds: number,
  pauseMs = 0,
): Promise<CallRound> {
  const times: number[] = []
  const firsts: number[] = []
  const before = cpuMicrosOf(pid)
  const began = performance.now()
  const untilMs = began + seconds * 1_000
  const worker = async () => {
    const client = new Client(url)
    while (performance.now() < untilMs) {
      const start = performance.now()
      const answer = await client.request({
        method: 'POST',
        path,
        headers: { ...headers, 'content-type': 'application/json' },
        body,
      })
      let first = 0
      for await (const _ of answer.body) if (first === 0) first = performance.now() - start
      if (answer.statusCode >= 300) throw new Error(`${url} answered ${answer.statusCode}`)
      times.push(performance.now() - start)
      firsts.push(first)
      if (pauseMs > 0) await setTimeout(pauseMs)
    }
    await client.close()
  }
  await Promise.all(Array.from({ length: connections }, worker))
  return {
    rate: times.length / ((performance.now() - began) / 1_000),
    p50: median(times),
    firstByte: median(firsts),
    cpuMicros: (cpuMicrosOf(pid) - before) / times.length,
  }
}

/** The middle of one figure of a side. */
export const middle = (by: ReadonlyMap<string, readonly CallRound[]>, side: string, of: keyof CallRound): number =>
  median((by.get(side) ?? []).map((round) => round[of]))

/** Sides take turns, since the machine's speed changes from minute to minute. */
export async function inTurns(
  rounds: number,
  sides: Readonly<Record<string, () => Promise<CallRound>>>,
): Promise<Map<string, CallRound[]>> {
  const all = new Map<string, CallRound[]>(Object.keys(sides).map((name) => [name, []]))
  for (let i = 0; i < rounds; i += 1)
    for (const [name, own] of all) {
      const round = sides[name]
      if (round) own.push(await round())
    }
  return all
}
