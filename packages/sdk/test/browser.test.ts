import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useBrowser } from '../../server/test/support/browser.ts'
import { endedRuns, useSite } from './support/site.ts'

/** The packed package in a real browser, in a page of another origin than Weir's, with the backend of the guide. */
const own = fileURLToPath(new URL('..', import.meta.url))
const guide = readFileSync(new URL('../../../docs/sdk-typescript.md', import.meta.url), 'utf8')
const [, backend = ''] = /```js\n\/\/ backend\n([\s\S]*?)```/.exec(guide)!
const [, , pageOptions = ''] = /```js\n\/\/ page\n(.*\n).*new Weir\((.*)\)\n/.exec(guide)!
const site = useSite()
const browser = useBrowser()
const folder = mkdtempSync(join(tmpdir(), 'weir-sdk-browser-'))
let server: Server
let origin = ''

beforeAll(async () => {
  execFileSync(process.execPath, [join(own, 'scripts/build.ts'), join(folder, 'dist')], { stdio: 'inherit' })
  const env = { ...process.env, npm_config_cache: join(folder, 'cache') }
  const packing = ['pack', '--json', '--pack-destination', folder]
  const packed = execFileSync('npm', packing, { cwd: join(folder, 'dist'), encoding: 'utf8', env })
  execFileSync('tar', ['-xzf', join(folder, (JSON.parse(packed) as { filename: string }[])[0]!.filename), '-C', folder])
  const { forwardRun } = (await import(`data:text/javascript,${encodeURIComponent(backend)}`)) as {
    forwardRun: (request: IncomingMessage, response: ServerResponse, user: string | undefined) => Promise<void>
  }
  process.env['WEIR_BASE_URL'] = site.weir.url
  process.env['WEIR_API_KEY'] = site.agentKey
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { url = '/' } = request
    if (url.startsWith('/weir/'))
      return forwardRun(request, response, request.headers['x-signed-out'] ? undefined : 'ada')
    if (url === '/model') {
      const body = JSON.stringify({ model: 'gpt-4o', max_tokens: 60, messages: [] })
      const answered = await fetch(`${site.provider.url}/v1/chat/completions`, { method: 'POST', body })
      return response.writeHead(200, { 'content-type': 'application/json' }).end(await answered.text())
    }
    if (url.startsWith('/sdk/'))
      return response
        .writeHead(200, { 'content-type': 'text/javascript' })
        .end(readFileSync(join(folder, 'package', url.slice('/sdk/'.length))))
    return response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A page</title>')
  }
  server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  delete process.env['WEIR_BASE_URL']
  delete process.env['WEIR_API_KEY']
  server?.closeAllConnections()
  server?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Makes a call in the page: returns the text of the model, or the code of the error. */
async function callInPage(options: string, workflow: string): Promise<string> {
  const page = await (await browser.browser.newContext()).newPage()
  await page.goto(origin)
  const program = `(async () => {
    const { Weir } = await import('/sdk/sdk.js')
    const weir = new Weir(${options})
    const asked = { model: 'gpt-4o', input_tokens: 2000, max_output_tokens: 500, workflow_id: ${JSON.stringify(workflow)}, customer_id: 'eve' }
    try {
      const answer = await weir.run(asked, () => fetch('/model', { method: 'POST' }).then((answer) => answer.json()))
      return answer.choices[0].message.content
    } catch (error) {
      return error.code
    }
  })()`
  try {
    return await page.evaluate<string>(program)
  } finally {
    await page.context().close()
  }
}

test('a page reserves and settles a run through its own backend, which says who pays', async () => {
  expect(await callInPage(pageOptions, 'browser')).toMatch(/^the quick brown fox/)
  const { input, output } = (await site.provider.books()).at(-1)!
  expect(await endedRuns(site, 'browser')).toMatchObject([
    { status: 'succeeded', cost_basis: 'computed', input_tokens: input, output_tokens: output, customer_id: 'ada' },
  ])
})

test('a page that has a key all the same is not answered by Weir, and starts nothing', async () => {
  const before = (await site.provider.books()).length
  const options = JSON.stringify({ baseUrl: site.weir.url, apiKey: site.agentKey, maxRetries: 0 })
  expect(await callInPage(options, 'direct')).toBe('connection_failed')
  expect(await endedRuns(site, 'direct')).toEqual([])
  expect(await site.provider.books()).toHaveLength(before)
})

test('the backend forwards nothing but runs, to nobody but its own pages and people', async () => {
  const ask = async (path: string, headers: Record<string, string>, method = 'POST') => {
    const { status } = await fetch(`${origin}/weir${path}`, {
      method,
      headers,
      ...(method === 'POST' && { body: '{}' }),
    })
    return status
  }
  const ours = { 'sec-fetch-site': 'same-origin' }
  expect(await ask('/v1/runs', {})).toBe(403)
  expect(await ask('/v1/runs', { 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(await ask('/v1/runs', { ...ours, 'x-signed-out': '1' })).toBe(403)
  expect(await ask('/v1/me', ours, 'GET')).toBe(403)
  expect(await ask(`/v1/orgs/${site.orgId}/budgets`, ours)).toBe(403)
  expect(await ask('/v1/runs/../me', ours)).toBe(403)
})
