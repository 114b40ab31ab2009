import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from './programs.ts'

const program = '/usr/sbin/haproxy'

/** A running HAProxy. */
export interface Haproxy {
  readonly pid: number
  readonly stop: () => Promise<void>
}

function folderWith(configuration: string): string {
  if (!existsSync(program)) throw new Error('HAProxy is missing: scripts/debian-packages haproxy')
  const folder = mkdtempSync(join(tmpdir(), 'weir-haproxy-'))
  writeFileSync(join(folder, 'haproxy.cfg'), configuration)
  return folder
}

/** What HAProxy says against a configuration; an empty text for nothing. */
export function haproxyFaults(configuration: string): string {
  const folder = folderWith(configuration)
  try {
    const { status, stderr } = spawnSync(program, ['-c', '-f', join(folder, 'haproxy.cfg')], { encoding: 'utf8' })
    return status === 0 ? '' : stderr
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Starts HAProxy with a configuration; resolves once it answers at its address. */
export async function startHaproxy(configuration: string, isUp: () => Promise<boolean>): Promise<Haproxy> {
  const folder = folderWith(configuration)
  const child: ChildProcess = spawn(program, ['-db', '-f', join(folder, 'haproxy.cfg')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  let said = ''
  child.stderr?.on('data', (text: Buffer) => (said += text.toString()))
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await exited
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`HAProxy ended: ${said}`)
      return isUp()
    })
  } catch (error) {
    await stop()
    throw error
  }
  return { pid: child.pid!, stop }
}
