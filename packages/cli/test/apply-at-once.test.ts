import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { call, keyOf, type Tenant, tenantOf } from '../../server/test/support/tenants.ts'
import { interpose } from './support/interposer.ts'
import { environmentOf, startWeir, useDesk, weir } from './support/weir.ts'

/** Applies that meet each other, or that end in the middle. */
const desk = useDesk()
const text = `version: 1
budgets:
  - {name: A, scope_kind: workflow, scope_id: a, period: month, limit_usd: "10"}
  - {name: B, scope_kind: workflow, scope_id: b, period: month, limit_usd: "10"}
policies:
  - {name: p1, effect: block, target: model, priority: 1, expression: "false", reason: none}
  - {name: p2, effect: block, target: model, priority: 2, expression: "false", reason: none}
concurrency_limits: [{name: all, scope_kind: org, max_runs: 9}]
models: [{model: m1}, {model: m2}]
routes: [{name: r1, strategy: cheapest, bar: null, candidates: [{model: m1}]}]
webhooks: [{url: "https://hooks.example.com/a", signing: subscription}]
keys: [{name: agent, role: service, scopes: [runs:write]}]
`
const lists = ['budgets', 'policies', 'concurrency-limits', 'models', 'routes', 'webhooks']

const tenant = (name: string) => tenantOf(desk.server, desk.operatorKey, name)
const namesIn = async ({ id, key }: Tenant) => {
  const counts = lists.map(
    async (list) => (await call(desk.server.url, 'GET', `/v1/orgs/${id}/${list}`, { key })).json['data'],
  )
  return (await Promise.all(counts)).map((rows) => (rows as unknown[]).length)
}
const one = [2, 2, 1, 2, 1, 1]
const args = (file: string, secrets: string) => ['apply', '-f', file, '--yes', '--secrets-file', secrets]

describe('two applies at once', () => {
  test('with one key end in one state, and both know the secrets of what was made once', async () => {
    const acme = await tenant('one key')
    const file = desk.write('one.yaml', text)
    const env = environmentOf(desk, acme.key)
    const run = (name: string) => startWeir(args(file, `${name}.jsonl`), { env, cwd: desk.folder }).ended
    await Promise.all([run('left'), run('right')])
    // Whoever was too late stops; the next apply finds nothing, or completes it.
    expect(await run('left')).toMatchObject({ code: 0 })
    expect(await namesIn(acme)).toEqual(one)
    expect(await weir(['apply', '-f', file, '--check'], { env })).toMatchObject({ code: 0 })
  })

  test('with two keys, which have no idempotency key in common, end in one state', async () => {
    const acme = await tenant('two keys')
    const other = await keyOf(desk.server, acme.id)
    const rules = desk.write('rules.yaml', text.replace(/^keys:.*\n/m, '').replace(/^webhooks:.*\n/m, ''))
    // Both plan before either changes anything.
    const meeting = await interpose(desk.server.url)
    let arrived = 0
    let open = () => undefined as void
    const both = new Promise<void>((resolve) => (open = resolve))
    meeting.hooks = {
      before: async ({ path }) => {
        if (!path.endsWith('/policies')) return
        arrived += 1
        if (arrived === 2) open()
        await both
      },
    }
    const env = (key: string) => ({ ...environmentOf(desk, key), WEIR_BASE_URL: meeting.url })
    const only = desk.write(
      'only.yaml',
      'version: 1\npolicies: [{name: p1, effect: block, target: model, priority: 1, expression: "false", reason: none}]\n',
    )
    const ended = await Promise.all(
      [acme.key, other.key].map((key) => startWeir(['apply', '-f', only, '--yes'], { env: env(key) }).ended),
    )
    expect(
      ended.map(({ code }) => code),
      ended.map(({ err }) => err).join(),
    ).toEqual([0, 0])
    expect(arrived).toBeGreaterThanOrEqual(2)
    await meeting.close()
    await weir(['apply', '-f', rules, '--yes'], { env: environmentOf(desk, acme.key) })
    expect((await namesIn(acme)).slice(0, 5)).toEqual(one.slice(0, 5))
  })
})

describe('an apply that is killed', () => {
  test('in the middle of any of its changes is completed by the next, which makes nothing twice', async () => {
    const file = desk.write('killed.yaml', text)
    for (const stop of [0, 3, 5, 8]) {
      const acme = await tenant(`killed at ${stop}`)
      const between = await interpose(desk.server.url)
      const env = { ...environmentOf(desk, acme.key), WEIR_BASE_URL: between.url }
      const started = startWeir(args(file, `killed-${stop}.jsonl`), { env, cwd: desk.folder })
      between.hooks = { after: ({ index }) => void (index === stop && started.process.kill('SIGKILL')) }
      expect((await started.ended).code).toBeNull()
      between.hooks = {}
      const next = await weir(args(file, `killed-${stop}.jsonl`), { env })
      expect(next, next.err).toMatchObject({ code: 0 })
      expect(await namesIn(acme)).toEqual(one)
      expect(await weir(['apply', '-f', file, '--check'], { env })).toMatchObject({ code: 0 })
      await between.close()
    }
  })

  test('before it could write down the secret of a key does not lose it', async () => {
    const acme = await tenant('killed with a secret')
    const between = await interpose(desk.server.url)
    const env = { ...environmentOf(desk, acme.key), WEIR_BASE_URL: between.url }
    const file = desk.write('key.yaml', 'version: 1\nkeys: [{name: agent, role: service, scopes: [runs:write]}]\n')
    const started = startWeir(args(file, 'lost.jsonl'), { env, cwd: desk.folder })
    between.hooks = { after: () => void started.process.kill('SIGKILL') }
    await started.ended
    between.hooks = {}
    expect(readFileSync(join(desk.folder, 'lost.jsonl'), 'utf8')).not.toContain('"secret"')
    const next = await weir(args(file, 'lost.jsonl'), { env })
    await between.close()
    expect(next.err).toBe('key agent: completed what an apply had begun\n')
    expect(next.out).toBe('Plan: 0 to make, 0 to change, 0 to remove, 1 as they should be.\n')
    const secret = /"secret":"([^"]+)"/.exec(readFileSync(join(desk.folder, 'lost.jsonl'), 'utf8'))![1]!
    expect((await call(desk.server.url, 'GET', '/v1/me', { key: secret })).json).toMatchObject({ role: 'service' })
  })
})
