import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { environmentFor } from '../../test/support/harness.ts'
import { programEnvironment, startProgram } from '../../test/support/programs.ts'
import { type Cluster, startCluster } from '../storm/cluster.ts'
import { Member } from '../storm/faults.ts'
import { leashed } from '../support/postgres-server.ts'
import type { Arrival } from './receiver-process.ts'

const pathOf = (program: string) => fileURLToPath(new URL(program, import.meta.url))
const main = pathOf('../../src/main.ts')

const timeoutSeconds = 3
/** How long a worker that says nothing keeps what it has taken: what it may take for an attempt, and what the engine adds. */
export const leaseSeconds = timeoutSeconds + 15

/** An API process to set things up, workers that can be killed, receivers, and a PostgreSQL of their own. */
export interface WebhookInstallation {
  readonly cluster: Cluster
  readonly api: Member
  readonly workers: readonly Member[]
  readonly operator: string
  readonly receiverUrl: string
  /** Where nobody listens. */
  readonly closedUrl: string
  /** What has arrived since the last call. */
  readonly arrived: () => Arrival[]
  /** From now on endpoints, by path, know these secrets. */
  readonly teach: (secrets: Readonly<Record<string, readonly string[]>>) => Promise<void>
  readonly calm: { value: boolean }
  /** From now on the workers have faults of their own, or none. */
  readonly plant: (bugs: string) => Promise<void>
  readonly close: () => Promise<void>
}

export async function openWebhookInstallation(options: { workers: number }): Promise<WebhookInstallation> {
  const closing: (() => Promise<void> | void)[] = []
  const close = async () => {
    for (const end of closing.splice(0).toReversed()) await end()
  }
  try {
    const cluster = await startCluster()
    closing.push(cluster.close)
    const calm = { value: true }
    const planted = { bugs: '' }
    const environment = (name: string) => ({
      ...environmentFor({ ownerUrl: cluster.ownerUrl, appUrl: cluster.appUrl(cluster.port, name) }),
      SVC_DATABASE_POOL_SIZE: '6',
      SVC_LOG_LEVEL: 'info',
      SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      SVC_WEBHOOK_ALLOWED_PORTS: '1-65535',
      SVC_WEBHOOK_RETRY_SECONDS: '1,1,2,2,4,4,8,8',
      SVC_WEBHOOK_TIMEOUT_SECONDS: String(timeoutSeconds),
      // All of it runs on one machine: with more at once, receivers without a processor to run on would be what is measured.
      SVC_WEBHOOK_CONCURRENCY: '64',
    })
    const env = { ...programEnvironment, ...environment('setup') }
    execFileSync(process.execPath, [main, 'migrate'], { env, stdio: 'pipe' })
    const minted = execFileSync(process.execPath, [main, 'create-operator-key', 'storm'], {
      env,
      stdio: 'pipe',
      encoding: 'utf8',
    })

    const command = leashed('KILL', [process.execPath, pathOf('./receiver-process.ts')])
    const receiver = startProgram('receiver', command, {})
    closing.push(async () => {
      receiver.process.kill('SIGKILL')
      await receiver.exit
    })
    const { port } = await receiver.line(({ message }) => message === 'listening')
    const receiverUrl = `http://127.0.0.1:${port as number}`
    const closed = await closedPort()
    closing.push(closed.close)

    const member = (name: string, ready: string, program: () => string[]) =>
      new Member(
        name,
        ready,
        () =>
          startProgram(name, leashed('KILL', [process.execPath, ...program()]), {
            ...environment(name),
            WEIR_STORM_BUG: name === 'api' ? '' : planted.bugs,
          }),
        () => calm.value,
      )
    const api = member('api', 'serving', () => [pathOf('../storm/node.ts')])
    const workers = Array.from({ length: options.workers }, (_, i) =>
      member(`worker-${i}`, 'working', () => [
        ...(planted.bugs === '' ? [] : ['--import', pathOf('./bugs.ts')]),
        main,
        'worker',
      ]),
    )
    closing.push(async () => {
      await Promise.all([api, ...workers].map((each) => each.close()))
    })
    await Promise.all([api, ...workers].map((each) => each.up()))

    return {
      cluster,
      api,
      workers,
      operator: (JSON.parse(minted) as { key: string }).key,
      receiverUrl,
      closedUrl: `http://127.0.0.1:${closed.port}`,
      arrived: () =>
        receiver.lines.splice(0).flatMap(({ arrivals }) => (arrivals as readonly Arrival[] | undefined) ?? []),
      teach: async (secrets) => {
        await fetch(`${receiverUrl}/secrets`, { method: 'POST', body: JSON.stringify(secrets) })
      },
      calm,
      plant: async (bugs) => {
        planted.bugs = bugs
        await Promise.all(workers.map((worker) => worker.kill()))
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** A port that refuses connections and cannot become anybody else's: it is the near end of a connection, and nobody listens. */
async function closedPort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await Promise.all([once(socket, 'connect'), once(server, 'connection')])
  server.close()
  return { port: socket.localPort!, close: () => void socket.destroy() }
}
