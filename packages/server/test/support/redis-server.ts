import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A Redis process of somebody's own, to be killed at will; whoever starts it also ends it. */
export interface RedisServer {
  readonly port: number
  readonly url: string
  readonly process: ChildProcess
  readonly kill: () => Promise<void>
  /** Kills it and removes what it has kept. */
  readonly remove: () => Promise<void>
}

export async function spawnRedis(
  options: { port?: number; host?: string; arguments?: readonly string[]; program?: string } = {},
): Promise<RedisServer> {
  const { host = '127.0.0.1', program = 'redis-server' } = options
  const port = options.port ?? (await freePort())
  const folder = mkdtempSync(join(tmpdir(), 'weir-redis-'))
  const child = spawn(
    program,
    ['--port', String(port), '--bind', host, '--dir', folder, '--save', '', ...(options.arguments ?? [])],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const exited = once(child, 'exit')
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exited
  }
  const lines = createInterface({ input: child.stdout })
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      if (line.includes('Ready to accept connections')) resolve()
    })
    void exited.then(() => reject(new Error('redis-server ended')))
  })
  return {
    port,
    url: `redis://${host}:${port}`,
    process: child,
    kill,
    remove: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
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
