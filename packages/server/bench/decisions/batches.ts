import { appLogin } from '../../scripts/private-services.ts'
import { createStoredResponses } from '../../src/access/idempotency/idempotency.ts'
import { reserveOperation } from '../../src/decisions/decisions.ts'
import { runBatch } from '../../src/decisions/lanes/batch.ts'
import { laneSettings, type Operation, type OrgConfig } from '../../src/decisions/lanes/lanes.ts'
import { createOrgConfigCache, type OrgConfigCache } from '../../src/decisions/lanes/org-config-cache.ts'
import { openPipelinedConnection } from '../../src/platform/infra/pipelined-connection.ts'
import type { Platform } from '../../src/platform/infra/platform.ts'
import { secret } from '../../src/values/secret.ts'
import { cpuMicrosOfFamily } from '../support/cpu.ts'
import { hasCompiler } from '../support/postgres.ts'
import { alternate, described, type Round, ratioOf } from '../support/report.ts'
import { type Bench, call, openBenchPlatform } from '../support/server.ts'

/** A transaction for many organizations against one for each: how much it is worth that lanes are shared. */
export async function benchBatches(bench: Bench) {
  await compareBatches(bench, 'transactions of 30 organizations')
  if (bench.smoke || !hasCompiler()) return
  await bench.postgres.start({ fsyncMicros: 1_000 })
  await compareBatches(bench, 'the same, each sync 1 ms longer')
  await bench.postgres.start()
}

async function compareBatches(bench: Bench, title: string) {
  const { postgres, orgs, smoke } = bench
  const { rounds, seconds } = smoke ? { rounds: 1, seconds: 1 } : { rounds: 5, seconds: 4 }
  const platform = await openBenchPlatform(postgres)
  const drivers = await openDrivers(bench, platform, smoke ? 8 : 32)
  try {
    const few = drivers.slice(0, smoke ? 2 : 4)
    await drive(bench, few, 30, seconds)
    const by = await alternate(rounds, {
      shared: () => drive(bench, few, 30, seconds),
      // With more connections, as it waits for the disk more often.
      alone: () => drive(bench, drivers, 1, seconds),
    })
    console.log(
      `${title} on ${few.length} connections, spread over ${orgs.length}: ${described(by.shared)}; of one each on ${drivers.length}: ${described(by.alone)}; ${ratioOf(by.shared, by.alone, { bar: 3, smoke })}`,
    )
  } finally {
    for (const { connection } of drivers) connection.destroy()
    await platform.close()
  }
}

async function openDrivers({ postgres, orgs }: Bench, platform: Platform, count: number) {
  const memory = createOrgConfigCache(platform.sql)
  const definitions = new Map<string, OrgConfig>()
  for (const { id } of orgs) definitions.set(id, await memory.load(id))
  return Promise.all(
    Array.from({ length: count }, async () => ({
      connection: await openPipelinedConnection({
        url: secret(postgres.url(appLogin)),
        applicationName: 'weir bench',
        settings: laneSettings,
      }),
      orgConfigOf: (orgId: string) => definitions.get(orgId)!,
      responses: createStoredResponses(platform.config),
      customerHints: memory.customerHints satisfies OrgConfigCache['customerHints'],
    })),
  )
}

type Driver = Awaited<ReturnType<typeof openDrivers>>[number]

async function drive(bench: Bench, drivers: readonly Driver[], perBatch: number, seconds: number): Promise<Round> {
  const { postgres, orgs } = bench
  const startedMs = performance.now()
  const before = { node: process.cpuUsage(), postgres: cpuMicrosOfFamily(postgres.pid()) }
  let count = 0
  await Promise.all(
    drivers.map(async (driver, index) => {
      // Each connection has organizations of its own, as each lane has.
      const own = orgs.filter((_, i) => i % drivers.length === index)
      let next = 0
      let waiting: readonly Operation[] = []
      while (performance.now() - startedMs < seconds * 1_000) {
        const batch = [...waiting]
        while (batch.length < Math.min(perBatch, own.length))
          batch.push(reserveOperation({ orgId: own[next++ % own.length]!.id }, call, 'edge'))
        const { answers } = await runBatch(batch, { ...driver, estimatedDbTimeMs: Date.now() })
        for (const answer of answers.values()) if (answer instanceof Error) throw answer
        count += answers.size
        waiting = batch.filter((task) => !answers.has(task))
      }
    }),
  )
  const { user, system } = process.cpuUsage(before.node)
  return {
    rate: (count * 1_000) / (performance.now() - startedMs),
    nodeMicros: (user + system) / count,
    postgresMicros: (cpuMicrosOfFamily(postgres.pid()) - before.postgres) / count,
  }
}
