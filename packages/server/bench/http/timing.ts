import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  appLogin,
  createDatabase,
  databaseUrl,
  dropDatabase,
  masterKeys,
  services,
  servicesUp,
} from '../../scripts/private-services.ts'
import { tenantScopes } from '../../src/access/identity/identity.ts'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { deprecations } from '../../src/contract/deprecations/registry.ts'
import { manualLifecycle } from '../../src/platform/infra/lifecycle.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { migrate } from '../../src/platform/infra/migrate.ts'
import { openPlatform, type Platform } from '../../src/platform/infra/platform.ts'
import { mint } from '../../src/tenants/keys/keys.ts'
import { insertOrg } from '../../src/tenants/orgs/queries.ts'
import { formatId, newUuid } from '../../src/values/id.ts'
import { secret } from '../../src/values/secret.ts'

const limit = 4.5

async function tenant(platform: Platform) {
  const orgId = newUuid()
  return platform.sql.asOrgs([orgId], async (tx) => {
    await insertOrg(tx, orgId, 'Timing')
    const { view, secret: key } = await mint(platform, tx, orgId, { name: 'k', role: 'owner', scopes: tenantScopes })
    return { org: formatId('org', orgId), key, keyId: view.id }
  })
}

/** Whether the time of an answer tells another tenant's resource from one that does not exist: Welch's t over many pairs. */
export async function benchTiming({ smoke }: { smoke: boolean }) {
  const samples = smoke ? 2_000 : 100_000
  servicesUp()
  const database = `weir_timing_${process.pid}`
  await createDatabase(database, { fresh: true })
  const appUrl = databaseUrl(database, appLogin)
  const log = createLog({ level: 'warn', role: 'bench' })
  await migrate({ ownerUrl: secret(databaseUrl(database)), appUrl: secret(appUrl), log })
  const { config } = readConfig({
    SVC_DATABASE_URL: appUrl,
    SVC_REDIS_URL: services().redis.url,
    SVC_MASTER_KEYS: masterKeys(),
  })
  const platform = await openPlatform(config, 'api', log)
  const { app } = await buildApp(platform, manualLifecycle, deprecations)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  try {
    const [alice, bob] = [await tenant(platform), await tenant(platform)]
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const time = (path: string) =>
      new Promise<number>((resolve, reject) => {
        const started = performance.now()
        request({ port, path, agent, headers: { authorization: `Bearer ${alice.key}` } }, (response) => {
          response.resume()
          response.on('end', () => resolve(performance.now() - started))
        })
          .on('error', reject)
          .end()
      })
    const pairs: [string, () => string, () => string][] = [
      [
        'a foreign key against a missing one',
        () => `/v1/orgs/${alice.org}/keys/${bob.keyId}`,
        () => `/v1/orgs/${alice.org}/keys/${formatId('key', newUuid())}`,
      ],
      [
        'a foreign organization against a missing one',
        () => `/v1/orgs/${bob.org}`,
        () => `/v1/orgs/${formatId('org', newUuid())}`,
      ],
    ]
    for (const [title, foreign, missing] of pairs) {
      // Made beforehand and as new flat strings on both sides: only the answer may differ.
      const paths = [foreign, missing].map((make) =>
        Array.from({ length: 5_000 }, () => Buffer.from(make()).toString('latin1')),
      )
      for (let i = 0; i < 1_000; i++) await time(paths[i % 2]![i]!)
      const times: [number[], number[]] = [[], []]
      for (let i = 0; i < samples; i++) {
        // In random order, so that no drift of the machine falls on one side.
        const side = Math.random() < 0.5 ? 0 : 1
        times[side].push(await time(paths[side]![i % 5_000]!))
      }
      const t = welch(crop(times[0]), crop(times[1]))
      console.log(`${title}: |t| = ${Math.abs(t).toFixed(2)} over ${samples} answers (bar ${limit})`)
      if (Math.abs(t) >= limit) process.exitCode = 1
    }
    agent.destroy()
  } finally {
    await app.close()
    await platform.close()
    await dropDatabase(database)
  }
}

/** Without the slowest twentieth, which is the machine's and not the program's. */
const crop = (values: number[]) => values.toSorted((a, b) => a - b).slice(0, Math.floor(values.length * 0.95))

function welch(a: number[], b: number[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = (values: number[], m: number) =>
    values.reduce((sum, value) => sum + (value - m) ** 2, 0) / (values.length - 1)
  const [ma, mb] = [mean(a), mean(b)]
  return (ma - mb) / Math.sqrt(variance(a, ma) / a.length + variance(b, mb) / b.length)
}
