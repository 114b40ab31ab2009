import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll } from 'vitest'
import { type ServerUnderTest, useServer } from '../../../server/test/support/harness.ts'
import { programEnvironment } from '../../../server/test/support/programs.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../../../server/test/support/tenants.ts'
import { run } from '../../src/run.ts'
import type { Surroundings } from '../../src/surroundings.ts'

const program = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface Started {
  readonly process: ChildProcess
  readonly ended: Promise<Ended>
  /** Returns its standard output so far. */
  readonly out: () => string
}

interface Given {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly cwd?: string
  /** The program, where it is not this checkout's. */
  readonly program?: string
}

/** Starts the command line as a process of its own, with nothing of this one's environment. */
export function startWeir(args: readonly string[], given: Given = {}): Started {
  const child = spawn(process.execPath, [given.program ?? program, ...args], {
    env: { ...programEnvironment, ...given.env },
    cwd: given.cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  // It may end without having read what it is given.
  child.stdin.on('error', () => undefined).end(given.input ?? '')
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out, err }))
  return { process: child, ended, out: () => out }
}

/** Runs the command line to its end, within this process: it starts in no time, and says and does the same. */
export async function weir(args: readonly string[], given: Pick<Given, 'env' | 'input'> = {}): Promise<Ended> {
  const [out, err] = [collecting(), collecting()]
  const surroundings: Surroundings = {
    env: { ...given.env },
    stdin: Readable.from(given.input === undefined ? [] : [Buffer.from(given.input)], { objectMode: false }),
    stdout: out.stream,
    stderr: err.stream,
  }
  await run(args, surroundings)
  return { code: Number(surroundings.exitCode ?? 0), out: out.text(), err: err.text() }
}

function collecting() {
  let text = ''
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => {
      text += String(chunk)
      done()
    },
  })
  return { stream, text: () => text }
}

export interface Desk {
  readonly server: ServerUnderTest
  /** An organization with nothing in it. */
  tenant: Tenant
  operatorKey: string
  folder: string
  /** The environment that signs in as the owner. */
  env: Record<string, string>
  /** Runs the command line as the owner, in a folder of its own. */
  readonly weir: (...args: string[]) => Promise<Ended>
  /** Calls the API as the owner; paths begin below the organization. */
  readonly api: (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>
  readonly write: (name: string, text: string) => string
}

/** A real server, an organization, and somebody who uses the command line. */
export function useDesk(): Desk {
  const before = process.cwd()
  const server = useServer({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' } })
  const desk = {
    server,
    weir: (...args: string[]) => weir(args, { env: desk.env }),
    api: async (method: string, path: string, body?: unknown) => {
      const options = { key: desk.tenant.key, ...(body !== undefined && { body }) }
      const answer = await call(server.url, method, `/v1/orgs/${desk.tenant.id}${path}`, options)
      if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
      return answer.json
    },
    write: (name: string, text: string) => {
      const path = join(desk.folder, name)
      writeFileSync(path, text, { mode: 0o600 })
      return path
    },
  } as unknown as Desk & { env: Record<string, string> }
  beforeAll(async () => {
    desk.operatorKey = (await operatorOf(server)).key
    desk.tenant = await tenantOf(server, desk.operatorKey)
    desk.folder = mkdtempSync(join(tmpdir(), 'weir-cli-'))
    desk.env = environmentOf(desk, desk.tenant.key)
    // Files that are named in a command are in this folder.
    process.chdir(desk.folder)
  })
  afterAll(() => {
    process.chdir(before)
    rmSync(desk.folder, { recursive: true, force: true })
  })
  return desk
}

export const environmentOf = ({ server, folder }: Pick<Desk, 'server' | 'folder'>, key: string) => ({
  WEIR_BASE_URL: server.url,
  WEIR_API_KEY: key,
  XDG_CONFIG_HOME: folder,
  HOME: folder,
})
