import { setTimeout as pause } from 'node:timers/promises'
import { Agent } from 'undici'
import { eventually } from '../../../server/test/support/programs.ts'
import {
  allRuns,
  billOf,
  type Kind,
  kinds,
  maximum,
  nameHeader,
  paceMs,
  streamFor,
  teach,
} from '../support/kinds-of-streams.ts'
import { Random } from '../support/random.ts'
import type { Site } from '../support/site.ts'
import { sumOf } from '../support/statistics.ts'

/** Gateways killed in the middle of streams: what the next one charges by the journal, against what the provider billed. */
export interface CrashReport {
  readonly streams: number
  readonly ratio: number
  readonly short: readonly string[]
  /** Calls that were charged all that was held for them. */
  readonly atTheirHold: number
}

export async function runCrashStorm(
  site: Site,
  options: { readonly rounds: number; readonly streams: number; readonly seed: number },
): Promise<CrashReport> {
  const random = new Random(options.seed)
  const calls: { readonly name: string; readonly kind: Kind }[] = []
  const stoppable = Object.values(kinds).filter(({ drains, hides }) => !drains && !hides)
  for (let round = 0; round < options.rounds; round += 1) {
    const agent = new Agent({ connections: options.streams * 8 })
    await teach(site, agent, random)
    const own = Array.from({ length: options.streams }, (_, i) => ({
      name: `crash-${options.seed}-${round}-${i}`,
      kind: random.pick(stoppable),
    }))
    calls.push(...own)
    const reading = own.map(async (call) => {
      const { body } = await streamFor(site, call, { output: maximum, chunkMs: random.between(...paceMs) }, agent)
      await body.text()
    })
    const over = Promise.allSettled(reading)
    await pause(random.between(3_000, 8_000))
    await site.gateways[0]!.kill()
    await over
    await agent.destroy()
  }
  const running = async () => (await site.ask('GET', '/v1/runs?status=running&limit=1'))['data'] as unknown[]
  await eventually(async () => (await running()).length === 0)
  const runs = await allRuns(site)
  const entries = new Map(site.provider.books.entries.map((entry) => [String(entry.headers[nameHeader]), entry]))
  const judged = calls.flatMap(({ name, kind }) => {
    const entry = entries.get(name)
    return entry === undefined ? [] : [{ name, kind, entry, billed: billOf(kind, entry), charged: runs.get(name) ?? 0 }]
  })
  return {
    streams: judged.length,
    ratio: sumOf(judged.map(({ charged }) => charged)) / sumOf(judged.map(({ billed }) => billed)),
    short: judged
      .filter(({ charged, billed }) => charged < billed)
      .map(
        ({ name, entry, kind, charged, billed }) =>
          `${name} ${kind.path}: ${charged} of ${billed} nano-dollars, ${entry.input} tokens and ${entry.output}`,
      ),
    atTheirHold: judged.filter(({ kind, charged }) => charged >= maximum * kind.prices.output).length,
  }
}
