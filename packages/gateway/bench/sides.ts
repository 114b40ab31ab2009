import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Programs that stand side by side, each a process of its own. */
export interface Side {
  readonly url: string
  readonly pid: number
  readonly child: ChildProcess
  readonly headers: Readonly<Record<string, string>>
  readonly stop: () => void
}

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

export async function startSide(
  program: 'mock-provider' | 'bare-pipe' | 'gateway-process',
  parameters: readonly string[] = [],
  options: { readonly execArgv?: readonly string[]; readonly key?: string } = {},
): Promise<Side> {
  const child = fork(here(`./${program}.ts`), parameters, {
    env: { PATH: process.env['PATH'] },
    execArgv: [...(options.execArgv ?? [])],
  })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  const authorization = `Bearer ${options.key ?? 'weir_bench_0123456789'}`
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    child,
    headers: { authorization },
    stop: () => child.kill(),
  }
}

/** With the versions of its lock file: with newer ones of hono it answers every stream with an error. */
const hono = { hono: '4.9.7', '@hono/node-server': '1.13.5' }
const portkey = { private: true, dependencies: { '@portkey-ai/gateway': '1.15.2', ...hono }, overrides: hono }
const folder = here('../../../.weir/portkey')

/** Starts Portkey's gateway; it is installed when it is first needed. Undefined where that is not possible. */
export async function startPortkey(provider: string): Promise<Side | undefined> {
  const main = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js')
  try {
    if (!existsSync(main)) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'package.json'), JSON.stringify(portkey))
      execFileSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' })
    }
  } catch {
    return undefined
  }
  const port = await freePort()
  const child = spawn(process.execPath, [main, '--headless', `--port=${port}`], {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
    stdio: 'ignore',
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; ; tries += 1) {
    const isUp = await fetch(url).then(
      () => true,
      () => false,
    )
    if (isUp) break
    if (tries > 200) return undefined
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const headers = {
    authorization: 'Bearer sk-x',
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `${provider}/v1`,
  }
  return { url, pid: child.pid!, child, headers, stop: () => child.kill() }
}

/** Finds a port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
