import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { appLogin, createDatabase, databaseUrl, dropDatabase } from '../../scripts/private-services.ts'
import { requireId } from '../../src/values/id.ts'
import { environmentFor } from '../../test/support/harness.ts'
import { programEnvironment } from '../../test/support/programs.ts'
import { call } from '../../test/support/tenants.ts'
import { DrillDatabase } from './database.ts'
import { copyEarlierRelease } from './earlier-release.ts'
import { answers, freePorts, Part } from './part.ts'
import { startPrometheus } from './prometheus.ts'
import { startReceiver } from './receiver.ts'

const programAt = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const main = programAt('../../src/main.ts')
const gatewayMain = programAt('../../../gateway/src/main.ts')
const practiceMain = programAt('../../../gateway/src/practice/main.ts')

export type Installation = Awaited<ReturnType<typeof openInstallation>>

/** An api, a worker, a gateway before the practice provider, a Redis, and a Prometheus that scrapes them: all to be stopped at will. */
export async function openInstallation() {
  const closing: (() => Promise<unknown> | void)[] = []
  const close = async () => {
    for (const end of closing.splice(0).toReversed()) await end()
  }
  try {
    const folder = mkdtempSync(join(tmpdir(), 'weir-drill-'))
    closing.push(() => rmSync(folder, { recursive: true, force: true }))
    const [api = 0, worker = 0, gateway = 0, gatewayMetrics = 0, provider = 0, redis = 0, prometheus = 0, closed = 0] =
      await freePorts(8)
    const databaseName = `weir_drill_${process.pid}`
    await createDatabase(databaseName, { fresh: true })
    closing.push(() => dropDatabase(databaseName))
    const database = new DrillDatabase(databaseName)
    closing.push(() => database.release())
    const environment = (port: number) => ({
      ...environmentFor({ ownerUrl: databaseUrl(databaseName), appUrl: databaseUrl(databaseName, appLogin) }),
      SVC_PORT: String(port),
      SVC_REDIS_URL: `redis://127.0.0.1:${redis}`,
      SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      SVC_WEBHOOK_ALLOWED_PORTS: '1-65535',
      SVC_WEBHOOK_RETRY_SECONDS: '1',
    })
    const command = (...parameters: string[]) =>
      execFileSync(process.execPath, [main, ...parameters], {
        env: { ...programEnvironment, ...environment(api) },
        encoding: 'utf8',
      })

    const configFile = join(folder, 'gateway.json')
    const listen = { port: gateway, host: '127.0.0.1', metrics_port: gatewayMetrics }
    const isRedisReady = () =>
      new Promise<boolean>((resolve, reject) => {
        const socket = connect(redis, '127.0.0.1', () => resolve(!socket.destroy().connecting)).once('error', reject)
      })
    const parts = {
      redis: new Part(
        'redis',
        [
          'redis-server',
          '--port',
          String(redis),
          '--bind',
          '127.0.0.1',
          '--dir',
          folder,
          '--save',
          '',
          '--logfile',
          join(folder, 'redis.log'),
        ],
        {},
        isRedisReady,
      ),
      api: new Part('api', [process.execPath, main, 'api'], environment(api), answers(api, '/readyz')),
      worker: new Part('worker', [process.execPath, main, 'worker'], environment(worker), answers(worker, '/readyz')),
      provider: new Part(
        'provider',
        [process.execPath, practiceMain, String(provider)],
        {},
        answers(provider, '/books'),
      ),
    }
    const startPart = async (part: Part) => {
      closing.push(() => part.kill())
      await part.start()
    }

    command('migrate')
    const { key: operator } = JSON.parse(command('create-operator-key', 'drill')) as { key: string }
    await startPart(parts.redis)
    await Promise.all([startPart(parts.api), startPart(parts.worker), startPart(parts.provider)])

    const url = `http://127.0.0.1:${api}`
    const ask = async (method: string, path: string, body: unknown, key: string) =>
      (await call(url, method, path, { key, ...(body !== undefined && { body }) })).json as Readonly<
        Record<string, unknown>
      >
    const openOrg = async (name: string) => {
      const org = await ask('POST', '/v1/admin/orgs', { name }, operator)
      const orgId = String(org['id'])
      return { orgId, orgUuid: requireId('org', orgId), owner: (org['owner_key'] as { secret: string }).secret }
    }
    const own = await openOrg('Drill')
    const { orgId, owner } = own
    const made = await ask(
      'POST',
      `/v1/orgs/${orgId}/keys`,
      { name: 'settlement', role: 'service', scopes: ['runs:read', 'runs:write', 'runs:manage'] },
      owner,
    )
    const settlementKey = String(made['secret'])
    const goodConfig = JSON.stringify({
      listen,
      weir: { url, settlement_key: { env: 'SETTLEMENT_KEY' }, lease_seconds: 10 },
      providers: {
        openai: { kind: 'openai', base_url: `http://127.0.0.1:${provider}`, credential: { none: true } },
      },
      models: [{ prefix: '', provider: 'openai' }],
      journal: { folder: join(folder, 'journal') },
    })
    const configure = (text = goodConfig) => writeFileSync(configFile, text)
    configure()
    const gatewayPart = new Part(
      'gateway',
      [process.execPath, gatewayMain],
      { WEIR_GATEWAY_CONFIG: configFile, SETTLEMENT_KEY: settlementKey },
      answers(gatewayMetrics, '/metrics'),
    )
    await startPart(gatewayPart)

    const watcher = await startPrometheus(prometheus, {
      'weir-api': api,
      'weir-worker': worker,
      'weir-gateway': gatewayMetrics,
    })
    closing.push(watcher.close)
    const receiver = await startReceiver()
    closing.push(receiver.close)
    return {
      ...own,
      parts: { ...parts, gateway: gatewayPart },
      database,
      operator,
      ask,
      openOrg,
      /** The main program of an earlier release, of 200 days ago. */
      earlierRelease: () => copyEarlierRelease(folder),
      /** An endpoint for webhooks that takes everything. */
      receiverUrl: receiver.url,
      configure,
      providerUrl: `http://127.0.0.1:${provider}`,
      gatewayUrl: `http://127.0.0.1:${gateway}`,
      /** A port on which nobody listens. */
      closedPort: closed,
      prometheus: watcher,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
