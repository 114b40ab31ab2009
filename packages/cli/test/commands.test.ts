import { chmodSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../server/test/support/programs.ts'
import { call, keyOf } from '../../server/test/support/tenants.ts'
import { startWeir, useDesk, weir } from './support/weir.ts'

const desk = useDesk()
/** A call to `/v1` outside the organization's path. */
const direct = async (path: string, body: unknown) =>
  (await call(desk.server.url, 'POST', path, { key: desk.tenant.key, body })).json
let refusedId = ''
let runId = ''

beforeAll(async () => {
  await desk.api('PUT', '/scoped-budget?scope_kind=workflow&scope_id=chat&period=month', {
    name: 'Chat',
    limit_usd: '0.05',
  })
  await desk.api('PUT', '/spend-cap', { cap_usd: '100' })
  const call = { model: 'gpt-4o', input_tokens: 2000, max_output_tokens: 1000, workflow_id: 'chat' }
  runId = String((await direct('/v1/runs', call))['id'])
  await direct(`/v1/runs/${runId}/finish`, { status: 'succeeded', input_tokens: 2000, output_tokens: 400 })
  await direct('/v1/runs', call)
  const refused = await direct('/v1/runs', { ...call, max_output_tokens: 9000 })
  refusedId = String((refused.error as { details: Record<string, unknown> }).details['decision_id'])
  await eventually(async () => ((await desk.api('GET', '/refusals'))['data'] as unknown[]).length > 0)
})

test.each([
  ['status', /organization +Acme \(org_/],
  ['keys list', /First owner +owner +active/],
  ['budgets', /Chat +workflow chat +month +\$0\.05 +\$0\.009 +\$0\.015 +\$0\.026 +48%/],
  ['limits', /spend cap +org +day +\$100/],
  ['runs tail --no-follow', /succeeded {2}gpt-4o {2}\$0\.009 {2}2000\/400 tokens {2}chat {2}run_/],
  ['refusals', /1 +budget_exceeded +gpt-4o +chat +dec_/],
  ['usage --by workflow_id', /chat +1 +2000 +400 +\$0\.009 +[▁▂▃▄▅▆▇█]/],
  ['verify', /^All agree: 2 limits against 6 entries of the ledger\.$/m],
  ['audit verify', /^Whole: \d+ entries\.$/m],
])('weir %s shows what there is, without colour where nobody looks, and as JSON', async (command, expected) => {
  const shown = await desk.weir(...command.split(' '))
  expect(shown.out).toMatch(expected)
  expect(shown, shown.err).toMatchObject({ code: 0, err: '' })
  expect(shown.out).not.toContain('\u001b')
  const json = await desk.weir(...command.split(' '), '--json')
  expect(json.code).toBe(0)
  for (const text of command.startsWith('runs') ? json.out.trim().split('\n') : [json.out])
    expect(JSON.parse(text)).toBeTypeOf('object')
})

test('a decision is explained with its limits', async () => {
  const { out, code } = await desk.weir('decisions', 'explain', refusedId)
  expect(out).toMatch(/budget_exceeded/)
  expect(out).toMatch(/budget +chat +\$0\.05 +\$0\.009 +\$0\.015 +\$0\.095 +no/)
  expect(code).toBe(0)
})

test('runs tail follows: a run that starts and ends is shown twice', async () => {
  const tail = startWeir(['runs', 'tail', '--interval', '0.1', '-n', '1', '--workflow', 'live'], { env: desk.env })
  const { id } = await direct('/v1/runs', { model: 'gpt-4o', estimated_cost_usd: '0.01', workflow_id: 'live' })
  await eventually(() => tail.out().includes(`running    gpt-4o`))
  await direct(`/v1/runs/${String(id)}/finish`, { status: 'failed', cost_usd: '0' })
  await eventually(() => tail.out().includes('failed'))
  tail.process.kill()
  await tail.ended
  expect(tail.out().match(new RegExp(String(id), 'g'))).toHaveLength(2)
})

describe('login', () => {
  const home = () => ({ XDG_CONFIG_HOME: join(desk.folder, 'home'), HOME: desk.folder })
  const login = (key: string, ...more: string[]) =>
    startWeir(['login', '--url', desk.server.url, ...more], { env: home(), input: `${key}\n` }).ended
  const path = () => join(desk.folder, 'home', 'weir', 'profiles.json')

  test('keeps a key that works, for its owner alone, and never prints it', async () => {
    const ended = await login(desk.tenant.key)
    expect(ended).toMatchObject({ code: 0 })
    expect(ended.out + ended.err).not.toContain(desk.tenant.key)
    expect(statSync(path()).mode & 0o777).toBe(0o600)
    expect((await weir(['budgets'], { env: home() })).out).toContain('Chat')
  })

  test('keeps nothing of a key that does not', async () => {
    const before = readFileSync(path(), 'utf8')
    expect(await login('weir_c101h455vb4pex5vsknk084sn02q_wrong')).toMatchObject({ code: 5 })
    expect(await login('')).toMatchObject({ code: 2 })
    expect(await login('two words')).toMatchObject({ code: 2 })
    expect(await login(desk.tenant.key, '--profile', '__proto__')).toMatchObject({ code: 2 })
    expect(readFileSync(path(), 'utf8')).toBe(before)
  })

  test('is for one server: neither an address in the environment nor a redirect leads its key to another', async () => {
    const seen: (string | undefined)[] = []
    const thief = createServer((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
    await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(thief.address() as AddressInfo).port}`
    const away = await weir(['budgets'], { env: { ...home(), WEIR_BASE_URL: url } })
    expect(away).toMatchObject({ code: 5, err: expect.stringContaining(`there is no key for ${url}`) })
    const redirecting = createServer((_request, response) =>
      response.writeHead(307, { location: `${url}/v1/me` }).end(),
    )
    await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve))
    const env = { ...desk.env, WEIR_BASE_URL: `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}` }
    expect(await weir(['budgets'], { env })).toMatchObject({ code: 4 })
    expect(seen).toEqual([])
    thief.close()
    redirecting.close()
  })

  test('refuses a file of profiles that others can read, and forgets a profile', async () => {
    chmodSync(path(), 0o640)
    expect(await weir(['status'], { env: home() })).toMatchObject({
      code: 2,
      err: expect.stringContaining('can be read by others'),
    })
    chmodSync(path(), 0o600)
    expect(await weir(['logout'], { env: home() })).toMatchObject({ code: 0 })
    expect(readFileSync(path(), 'utf8')).not.toContain(desk.tenant.key)
  })
})

test('the secret of a key is alone on standard output, once', async () => {
  const made = await desk.weir(
    'keys',
    'create',
    'agent',
    '--role',
    'service',
    '--scope',
    'runs:write',
    '--pin',
    'workflow_id=chat',
  )
  expect(made.out).toMatch(/^weir_\S+\n$/)
  expect(made.err).not.toContain(made.out.trim())
  const id = /key_\w+/.exec(made.err)![0]
  const rotated = await desk.weir('keys', 'rotate', id, '--overlap', '60')
  expect(rotated.out).toMatch(/^weir_\S+\n$/)
  expect((await desk.weir('keys', 'list')).out).not.toContain(made.out.trim())
  expect(await desk.weir('keys', 'revoke', id)).toMatchObject({ code: 2 })
  expect(await desk.weir('keys', 'revoke', id, '--yes')).toMatchObject({ code: 0 })
  expect((await call(desk.server.url, 'GET', '/v1/me', { key: made.out.trim() })).status).toBe(410)
})

describe('prices', () => {
  const list = JSON.stringify({ house: { models: { 'house-9': { cost: { input: 3, output: 15 } } } } })

  test('are compared, imported and then the same', async () => {
    const file = desk.write('prices.json', list)
    const differs = await desk.weir('prices', 'diff', file)
    expect(differs.out).toMatch(/house-9\n {2}input.*: - → 3/)
    expect(differs.code).toBe(3)
    expect(await desk.weir('prices', 'import', file)).toMatchObject({ code: 2 })
    expect(await desk.weir('prices', 'import', file, '--yes')).toMatchObject({ code: 0 })
    expect(await desk.weir('prices', 'diff', file)).toMatchObject({ code: 0 })
  })
})

describe('doctor', () => {
  test('finds what is wrong, and ends with 1 where somebody is needed', async () => {
    const healthy = await desk.weir('doctor')
    expect(healthy.out).toMatch(/warning {2}alerts +budgets without a threshold: Chat/)
    expect(healthy.out).toMatch(/warning {2}alerts +no webhook hears/)
    expect(healthy.out).toMatch(/warning {2}keys +\d keys? without an end: First owner/)
    expect(healthy.code).toBe(0)
    await direct('/v1/runs', { model: 'never-heard-of', input_tokens: 1, max_output_tokens: 1 })
    await call(desk.server.url, 'GET', '/v1/forecast', { key: desk.tenant.key })
    await desk.api('POST', '/freeze', { reason: 'An exercise.' })
    const later = await desk.weir('doctor', '--json')
    const found = (JSON.parse(later.out) as { findings: { check: string; message: string }[] }).findings
    expect(found).toContainEqual(
      expect.objectContaining({ check: 'freezes', message: expect.stringContaining('An exercise.') }),
    )
    await desk.api('POST', '/thaw', {})
  })

  test('says what cannot be reached, and what a key cannot see', async () => {
    expect(await weir(['doctor', '--url', 'http://127.0.0.1:9'], { env: { HOME: desk.folder } })).toMatchObject({
      code: 4,
    })
    const { key } = await keyOf(desk.server, desk.tenant.id, { role: 'service', scopes: ['runs:write'] })
    const partly = await weir(['doctor'], { env: { ...desk.env, WEIR_API_KEY: key } })
    expect(partly.out).toMatch(/unknown {2}spend +could not be looked at/)
    expect(await weir(['doctor'], { env: { ...desk.env, WEIR_API_KEY: desk.operatorKey } })).toMatchObject({
      out: expect.stringContaining('processes'),
    })
  })
})

describe('exit codes', () => {
  test.each([
    ['0 for help', ['--help'], {}, 0],
    ['2 for a command that is not there', ['spend'], {}, 2],
    ['2 without a server', ['status'], { WEIR_BASE_URL: '' }, 2],
    ['4 without an answer', ['status', '--url', 'http://127.0.0.1:9'], {}, 4],
    ['5 with a wrong key', ['status'], { WEIR_API_KEY: 'wrong' }, 5],
    ['1 where the server refuses', ['decisions', 'explain', 'dec_nothing'], {}, 1],
  ])('%s', async (_, args, env, code) => {
    const ended = await startWeir(args, { env: { ...desk.env, ...env } }).ended
    expect(ended, ended.err).toMatchObject({ code })
  })
})

test('a head of the audit log that was kept must still be reached', async () => {
  const { keep } = JSON.parse((await desk.weir('audit', 'verify', '--json')).out) as { keep: string }
  const [seq, mac, day] = keep.split(':')
  await desk.api('PATCH', '/spend-cap', { cap_usd: '101' })
  expect(await desk.weir('audit', 'verify', '--head', keep)).toMatchObject({ code: 0 })
  const other = await desk.weir('audit', 'verify', '--head', `${seq}:${'0'.repeat(64)}:${day}`)
  expect(other).toMatchObject({ code: 1, out: expect.stringContaining('is another one now') })
  const future = await desk.weir('audit', 'verify', '--head', `999999:${mac}:${day}`)
  expect(future).toMatchObject({ code: 1, out: expect.stringContaining('the log ends before entry 999999') })
})

test('every shell gets a script that completes the commands', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { out, code } = await desk.weir('completion', shell)
    expect(code).toBe(0)
    for (const word of ['apply', 'doctor', '--json', 'tail']) expect(out).toMatch(word.replace('--', ''))
  }
  expect(await desk.weir('completion', 'cmd')).toMatchObject({ code: 2 })
})
