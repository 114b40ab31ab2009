import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useSite } from './support/site.ts'

/** The package as npm packs it, in a folder that has nothing else. */
const own = fileURLToPath(new URL('..', import.meta.url))
const guide = readFileSync(new URL('../../../docs/sdk-typescript.md', import.meta.url), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'weir-sdk-package-'))
const app = join(folder, 'app')
const site = useSite()

beforeAll(() => {
  const run = (command: string, parameters: string[], cwd: string) =>
    execFileSync(command, parameters, {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, npm_config_cache: join(folder, 'cache') },
    })
  run(process.execPath, [join(own, 'scripts/build.ts'), join(folder, 'dist')], own)
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], join(folder, 'dist'))) as {
    filename: string
  }[]
  execFileSync('mkdir', [app])
  writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }))
  const install = ['install', '--offline', '--no-audit', '--no-fund', '--omit=peer', join(folder, packed!.filename)]
  run('npm', install, app)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const inApp = (code: string, environment: Record<string, string> = {}) =>
  execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: app,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', ...environment },
  })

describe('the packed package', () => {
  test('has no dependencies, and brings nothing else into an empty folder', () => {
    const manifest = JSON.parse(readFileSync(join(app, 'node_modules/@weir/sdk/package.json'), 'utf8')) as Record<
      string,
      unknown
    >
    expect(manifest['dependencies']).toBeUndefined()
    expect(readdirSync(join(app, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@weir'])
  })

  test('runs the quickstart of the guide as it stands there', async () => {
    const [, quickstart = ''] = /```js\n(\/\/ quickstart\n[\s\S]*?)```/.exec(guide)!
    expect(quickstart.trim().split('\n').slice(1)).toHaveLength(5)
    const program = `const callModel = () => fetch(process.env.PROVIDER + '/v1/chat/completions', { method: 'POST', body: JSON.stringify({ model: 'gpt-4o', max_tokens: 500 }) }).then((answer) => answer.json())\n${quickstart}`
    const { execFile } = await import('node:child_process')
    const { promisify } = await import('node:util')
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: app,
      env: {
        PATH: process.env['PATH'] ?? '',
        WEIR_API_KEY: site.agentKey,
        WEIR_BASE_URL: site.weir.url,
        PROVIDER: site.provider.url,
      },
    })
    expect(stdout).toMatch(/^the quick brown fox/)
  })

  test('loads without Node’s modules where it has to run in browsers and workers', async () => {
    const core = await bundle(
      "export * from '@weir/sdk'\nexport * from '@weir/sdk/webhooks'\nexport * from '@weir/sdk/fetch'",
      'browser',
    )
    expect(core).not.toMatch(/node:/)
  })

  test('has types that a program of a stranger compiles with', () => {
    const source = `import { Weir, WeirError } from '@weir/sdk'
export async function limit(weir: Weir): Promise<string> {
  try {
    const budgets: string[] = []
    for await (const budget of weir.list('/v1/orgs/{id}/budgets', { path: { id: 'org_1' } })) budgets.push(budget.name)
    return budgets.join()
  } catch (error) {
    if (error instanceof WeirError && error.code === 'budget_exceeded') return error.details.limit_usd
    // @ts-expect-error: this code has no such details.
    if (error instanceof WeirError && error.code === 'rate_limited') return error.details.limit_usd
    throw error
  }
}
// @ts-expect-error: there is no such route.
void new Weir().request('GET', '/v1/nothing')
// @ts-expect-error: a budget needs a name.
void new Weir().request('POST', '/v1/orgs/{id}/budgets', { path: { id: 'org_1' }, body: {} })
`
    writeFileSync(join(app, 'program.ts'), source)
    const compiler = join(own, '../../node_modules/.bin/tsc')
    const flags = [
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--lib',
      'es2023,dom',
      '--module',
      'nodenext',
      '--types',
      '',
    ]
    expect(() => execFileSync(compiler, [...flags, 'program.ts'], { cwd: app, encoding: 'utf8' })).not.toThrow()
  })
})

test('the core is at most 12 kB compressed', async () => {
  const core = await bundle("export { Weir } from '@weir/sdk'", 'neutral')
  const bytes = gzipSync(core, { level: 9 }).length
  console.log(`@weir/sdk: ${bytes} bytes compressed`)
  expect(bytes).toBeLessThanOrEqual(12_000)
})

test('a change that Weir does not know is refused by the compiler, not by the server', () => {
  expect(
    inApp(
      "import { usageOf } from '@weir/sdk'; console.log(JSON.stringify(usageOf({ prompt_tokens: 3, completion_tokens: 2 })))",
    ),
  ).toBe('{"input_tokens":3,"output_tokens":2}\n')
})

async function bundle(contents: string, platform: 'browser' | 'neutral'): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: app },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform,
    mainFields: ['module', 'main'],
    write: false,
    logLevel: 'silent',
  })
  return outputFiles[0]!.text
}
