import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll } from 'vitest'

/** Redis processes of a test's own, to be killed at will; what is left running is killed at its end. */

export interface RedisServer {
  readonly port: number
  readonly url: string
  readonly process: ChildProcess
  readonly kill: () => Promise<void>
}

const started: RedisServer[] = []
const folders: string[] = []

afterAll(async () => {
  await Promise.all(started.map(({ kill }) => kill()))
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

export async function startRedis(options: { port?: number; arguments?: readonly string[] } = {}): Promise<RedisServer> {
  const port = options.port ?? (await freePort())
  const folder = mkdtempSync(join(tmpdir(), 'weir-redis-'))
  folders.push(folder)
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...(options.arguments ?? [])],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const exited = once(child, 'exit')
  const server: RedisServer = {
    port,
    url: `redis://127.0.0.1:${port}`,
    process: child,
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await exited
    },
  }
  started.push(server)
  const lines = createInterface({ input: child.stdout })
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      if (line.includes('Ready to accept connections')) resolve()
    })
    void exited.then(() => reject(new Error('redis-server ended')))
  })
  return server
}

/** A cluster's bus listens on the port + 10,000, so both must be free and in range. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    if (port + 10_000 > 65_535) continue
    const bus = createServer().listen(port + 10_000, '127.0.0.1')
    const isFree = await Promise.race([once(bus, 'listening').then(() => true), once(bus, 'error').then(() => false)])
    if (!isFree) continue
    bus.close()
    await once(bus, 'close')
    return port
  }
}
