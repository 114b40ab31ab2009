import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { eventually, type RunningRole, startProgram } from '../../test/support/programs.ts'
import { leashed } from '../support/postgres-server.ts'

/** How a part is started where that is not as usual. */
export interface OtherStart {
  readonly command?: readonly string[]
  /** Variables beside its usual ones. */
  readonly environment?: Record<string, string>
}

/** One program of an installation: it is stopped and started again on the same port. */
export class Part {
  private running: RunningRole | undefined
  private readonly name: string
  private readonly command: readonly string[]
  private readonly environment: Record<string, string>
  private readonly isReady: () => Promise<boolean>

  constructor(
    name: string,
    command: readonly string[],
    environment: Record<string, string>,
    isReady: () => Promise<boolean>,
  ) {
    this.name = name
    this.command = command
    this.environment = environment
    this.isReady = isReady
  }

  async start({ command = this.command, environment = {} }: OtherStart = {}) {
    const running = startProgram(this.name, leashed('KILL', command), { ...this.environment, ...environment })
    this.running = running
    await eventually(async () => {
      const { exitCode } = running.process
      if (exitCode !== null) throw new Error(`${this.name} ended with ${exitCode}: ${running.errors.join('\n')}`)
      return this.isReady().catch(() => false)
    }, 300_000).catch((cause: unknown) => {
      const lines = running.lines.slice(-5).map((line) => JSON.stringify(line))
      throw new Error(`${this.name} does not become ready: ${lines.join('\n')}`, { cause })
    })
  }

  /** Starts it anew, as usual or otherwise. */
  async restart(other?: OtherStart) {
    await this.kill()
    await this.start(other)
  }

  signal(signal: NodeJS.Signals) {
    this.running?.process.kill(signal)
  }

  async kill() {
    this.signal('SIGKILL')
    await this.running?.exit
    this.running = undefined
  }
}

/** True when an HTTP server answers with 200. */
export const answers = (port: number, path: string) => async () =>
  (await fetch(`http://127.0.0.1:${port}${path}`)).status === 200

/** Ports that were free a moment ago, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}
