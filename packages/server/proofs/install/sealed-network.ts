import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { appLogin } from '../../scripts/private-services.ts'
import { eventually, startProgram } from '../../test/support/programs.ts'
import { spawnRedis } from '../../test/support/redis-server.ts'
import { call } from '../../test/support/tenants.ts'
import { startCluster } from '../storm/cluster.ts'
import { makeFirstCalls } from './first-calls.ts'

/**
 * Runs all of Weir in a network that has nothing but itself, and counts what was meant for anywhere else: run it as
 * `unshare --net --mount node proofs/install/sealed-network.ts ROOT`. The kernel counts each attempt to send or to connect that has no route,
 * whoever makes it and by whatever call; looking up a name is one too, since the name server is elsewhere. Prints JSON.
 */
const root = process.argv[2] ?? ''

/** Attempts to reach something that is not this machine, of every process of this network, since it was made. */
function attempts(): number {
  const ofIp = readFileSync('/proc/self/net/snmp', 'utf8').match(/^Ip:.*$/gm)!
  const [names, values] = ofIp.map((line) => line.split(' ')) as [string[], string[]]
  const ofIp6 = /^Ip6OutNoRoutes\s+(\d+)$/m.exec(readFileSync('/proc/self/net/snmp6', 'utf8'))
  return Number(values[names.indexOf('OutNoRoutes')]) + Number(ofIp6![1])
}

const folder = mkdtempSync(join(tmpdir(), 'weir-sealed-'))
const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
try {
  execFileSync('ip', ['link', 'set', 'lo', 'up'])
  const names = join(folder, 'resolv.conf')
  writeFileSync(names, 'nameserver 192.0.2.53\noptions timeout:1 attempts:1\n')
  execFileSync('mount', ['--bind', names, '/etc/resolv.conf'])

  // That the counter sees: a connection, a datagram, a name, and one of the other family.
  const seen: Record<string, boolean> = {}
  for (const [name, attempt] of Object.entries({
    connection: () => refused(connect(443, '203.0.113.9')),
    connection6: () => refused(connect(443, '2001:db8::9')),
    datagram: () => datagram(),
    name: () => fetch('http://telemetry.example.com').catch(() => undefined),
  })) {
    const before = attempts()
    await attempt()
    seen[name] = attempts() > before
  }

  const cluster = await startCluster({ fsync: 'off' })
  closing.push(() => cluster.close())
  const redis = await spawnRedis()
  closing.push(() => redis.remove())
  const admin = await cluster.connect()
  await admin.query('create database weir')
  await admin.end()
  const at = (login: string) => `postgres://${login}@127.0.0.1:${cluster.port}/weir`
  const password = new URL(cluster.ownerUrl).password
  const environment = {
    SVC_DATABASE_URL: at(`${appLogin.name}:${appLogin.password}`),
    SVC_MIGRATE_DATABASE_URL: at(`postgres:${password}`),
    SVC_REDIS_URL: redis.url,
    SVC_PORT: '0',
    SVC_MASTER_KEYS: `sealed:${Buffer.alloc(32, 5).toString('base64')}`,
    SVC_DRAIN_SECONDS: '0',
    SVC_MAX_EVENT_LOOP_DELAY_MS: '60000',
    SVC_DECISION_QUEUE_TIMEOUT_MS: '20000',
    NODE_ENV: 'production',
  }
  const before = attempts()
  const pages: Record<string, number> = {}
  const made = await makeFirstCalls(
    { folder, command: ([path, ...parameters]) => [process.execPath, join(root, path), ...parameters] },
    environment,
    async (_, url) => {
      for (const path of ['/docs', '/docs/reference/', '/console/signin', '/metrics', '/v1/meta/errors'])
        pages[path] = (await call(url, 'GET', path)).status
    },
  )
  const counted = attempts()
  // A planted call to elsewhere, by the program itself: an operator may ask for it, and nobody did.
  const planted = startProgram('api', [process.execPath, join(root, 'packages/server/src/main.ts'), 'api'], {
    ...environment,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://203.0.113.9:4318',
  })
  closing.push(() => planted.process.kill('SIGKILL'))
  const { url } = await planted.line(({ message }) => message === 'serving')
  await call(String(url).replace('localhost', '127.0.0.1'), 'GET', '/v1/meta/errors')
  await eventually(() => attempts() > counted)
  seen['trace'] = true
  process.stdout.write(`${JSON.stringify({ seen, ...made, pages, attempts: counted - before })}\n`)
} finally {
  for (const close of closing.toReversed()) await close()
}

async function refused(socket: ReturnType<typeof connect>) {
  await once(socket, 'error')
}

async function datagram() {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => socket.send('x', 9, '203.0.113.9', () => resolve()))
  socket.close()
}
