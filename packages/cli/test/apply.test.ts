import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { call, tenantOf } from '../../server/test/support/tenants.ts'
import { readConfiguration } from '../src/configuration/document.ts'
import { kinds } from '../src/configuration/kinds.ts'
import { interpose } from './support/interposer.ts'
import { environmentOf, useDesk, weir } from './support/weir.ts'

/** A file with every section, applied to a real organization. */
const desk = useDesk()
const whole = readFileSync(new URL('support/weir.yaml', import.meta.url), 'utf8')
const providerSecret = 'the-secret-of-the-provider'
const apply = (text: string, ...more: string[]) =>
  weir(['apply', '-f', desk.write('weir.yaml', text), ...more], {
    env: { ...desk.env, SSO_SECRET: providerSecret },
  })
const nothing = (count: number) => `Plan: 0 to make, 0 to change, 0 to remove, ${count} as they should be.\n`

describe('a file with every section', () => {
  let first: Awaited<ReturnType<typeof apply>>
  beforeAll(async () => {
    first = await apply(whole, '--yes', '--secrets-file', 'secrets.jsonl')
  })

  test('has every kind there is', () => {
    expect(Object.keys(readConfiguration(whole, 'weir.yaml').sections).toSorted()).toEqual(
      kinds.map(({ section }) => section).toSorted(),
    )
  })

  test('is applied, and applied again changes nothing', async () => {
    expect(first, first.err + first.out).toMatchObject({ code: 0 })
    const before = await desk.api('GET', '/audit-log?limit=1')
    expect(await apply(whole)).toMatchObject({ code: 0, out: nothing(29), err: '' })
    expect(await desk.api('GET', '/audit-log?limit=1')).toEqual(before)
  })

  test('leaves the secrets of what it made in a file for its owner alone, and nowhere else', () => {
    const path = join(desk.folder, 'secrets.jsonl')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const text = readFileSync(path, 'utf8')
    const secrets = [...text.matchAll(/"secret":"([^"]+)"/g)].map(([, secret]) => secret!)
    expect(secrets).toEqual([expect.stringMatching(/^whsec_/), expect.stringMatching(/^weir_/)])
    for (const secret of [...secrets, providerSecret]) expect(first.out + first.err).not.toContain(secret)
  })

  test('is found to differ when somebody has changed something by hand, in every section', async () => {
    const changes: [string, string, string, object][] = [
      ['organization', 'PATCH', '', { timezone: 'UTC' }],
      ['spend_cap', 'PATCH', '/spend-cap', { cap_usd: '99' }],
      ['customer_limits', 'PATCH', '/customers/big%20corp/limit', { limit_usd: '1' }],
      ['trust', 'PATCH', '/trust', { reported_cost: 'accept' }],
      ['chain_limits', 'PATCH', '/chain-limits', { workflows: [] }],
      ['content_safety', 'PATCH', '/content-safety', { patterns: [] }],
      ['session_policy', 'PATCH', '/session-policy', { idle_seconds: null }],
      ['price_settings', 'PATCH', '/prices', { unpriced: 'refuse' }],
    ]
    for (const [, method, path, body] of changes) await desk.api(method, path, body)
    for (const list of [
      'budgets',
      'policies',
      'routes',
      'models',
      'webhooks',
      'sso-connections',
      'concurrency-limits',
    ]) {
      const { data } = (await desk.api('GET', `/${list}`)) as { data: { id: string }[] }
      const body = {
        policies: { priority: 7 },
        routes: { strategy: 'fastest' },
        models: { context_tokens: 5 },
        webhooks: { description: 'By hand' },
      }
      const change = {
        budgets: { name: 'Renamed' },
        'sso-connections': { default_role: 'member' },
        'concurrency-limits': { max_runs: 3 },
        ...body,
      }
      await desk.api('PATCH', `/${list}/${data[0]!.id}`, change[list as keyof typeof change])
    }
    const found = await apply(whole, '--check', '--json')
    expect(found.code).toBe(3)
    const { changes: listed } = JSON.parse(found.out) as { changes: { section: string; operation: string }[] }
    expect(listed.every(({ operation }) => operation === 'update')).toBe(true)
    expect([...new Set(listed.map(({ section }) => section))].toSorted()).toEqual(
      [
        ...changes.map(([section]) => section),
        'budgets',
        'policies',
        'routes',
        'models',
        'webhooks',
        'sso_connections',
        'concurrency_limits',
      ].toSorted(),
    )
    expect(await apply(whole, '--yes')).toMatchObject({ code: 0 })
    expect(await apply(whole, '--check')).toMatchObject({ code: 0, out: nothing(29) })
  })

  test('is what an export says: applied it changes nothing, and an empty organization becomes the same by it', async () => {
    const exported = await desk.weir('export', '-o', 'exported.yaml', '--force')
    expect(exported, exported.err).toMatchObject({ code: 0, out: '' })
    const text = readFileSync(join(desk.folder, 'exported.yaml'), 'utf8')
    expect(await apply(text, '--check')).toMatchObject({ code: 0, out: nothing(30) })
    const other = await tenantOf(desk.server, desk.operatorKey, 'Other')
    const env = environmentOf(desk, other.key)
    const file = desk.write('exported-again.yaml', text.replaceAll('First owner', 'Second owner'))
    const made = await weir(['apply', '-f', file, '--yes', '--print-secrets'], { env })
    // Secrets are in no export: the connection waits for its own.
    expect(made.code, made.err).toBe(0)
    expect(await weir(['apply', '-f', file, '--check'], { env })).toMatchObject({ code: 0 })
  })
})

const budgets = (count: number) =>
  `version: 1\nbudgets:\n${Array.from({ length: count }, (_, i) => `  - {name: B${i}, scope_kind: workflow, scope_id: w${i}, period: month, limit_usd: "10"}\n`).join('')}`

test('200 resources are one plan, applied once and then unchanged', async () => {
  const first = await apply(budgets(200), '--yes')
  expect(first.out).toMatch(/Plan: 200 to make, 0 to change/)
  expect(first.out).toMatch(/Done: 200 to make, 0 to change/)
  expect(await apply(budgets(200), '--check')).toMatchObject({ code: 0, out: nothing(200) })
  const changed = await apply(budgets(200).replace(/(name: B7.*)"10"/g, '$1"11"'), '--yes')
  expect(changed.out).toContain('Done: 0 to make, 11 to change, 0 to remove')
})

test('a change by hand between plan and apply is not overwritten: the apply stops and says so', async () => {
  await apply('version: 1\nspend_cap: {cap_usd: "100"}\n', '--yes')
  const between = await interpose(desk.server.url)
  between.hooks = {
    before: async ({ index }) => {
      if (index === 0) await desk.api('PATCH', '/spend-cap', { cap_usd: '77' })
    },
  }
  const file = desk.write('cap.yaml', 'version: 1\nspend_cap: {cap_usd: "120"}\n')
  const stopped = await weir(['apply', '-f', file, '--yes'], { env: { ...desk.env, WEIR_BASE_URL: between.url } })
  await between.close()
  expect(stopped.code).toBe(6)
  expect(stopped.err).toContain('stopped at "update spend cap" after 0 of 1 changes')
  expect(stopped.err).toContain('Somebody else changed it in between')
  expect(await desk.api('GET', '/spend-cap')).toMatchObject({ cap_usd: '77' })
})

test('a change of the period is settled at once, though it begins with the next one', async () => {
  const budget = (zone: string) =>
    `version: 1\nbudgets: [{name: Z, scope_kind: workflow, scope_id: zone, period: month, limit_usd: "5", timezone: ${zone}}]\n`
  await apply(budget('UTC'), '--yes')
  expect(await apply(budget('Asia/Tokyo'), '--yes')).toMatchObject({ code: 0 })
  expect(await apply(budget('Asia/Tokyo'), '--check')).toMatchObject({ code: 0 })
  expect((await apply(budget('Asia/Tokyo').replace('"5"', '"6"'), '--yes')).out).toMatch(/limit_usd: 5 → 6\nPlan/)
  expect(await apply(budget('Asia/Tokyo').replace('"5"', '"6"'), '--check')).toMatchObject({ code: 0 })
})

describe('--prune', () => {
  const two =
    'version: 1\nmodels: [{model: one}, {model: two}]\nroutes: [{name: r, strategy: cheapest, bar: null, candidates: [{model: two}]}]\n'

  test('removes only what its sections have more than the file, and a route before its models', async () => {
    const tenant = await tenantOf(desk.server, desk.operatorKey, 'Pruned')
    const run = (text: string, ...more: string[]) =>
      weir(['apply', '-f', desk.write('prune.yaml', text), ...more], { env: environmentOf(desk, tenant.key) })
    const list = (path: string) => call(desk.server.url, 'GET', `/v1/orgs/${tenant.id}${path}`, { key: tenant.key })
    await run(
      `${two}policies: [{name: p, effect: block, target: model, priority: 1, expression: "false", reason: r}]\n`,
      '--yes',
    )
    const less = 'version: 1\nmodels: [{model: one}]\nroutes: []\n'
    expect((await run(less, '--check')).code).toBe(0)
    const unconfirmed = await run(less, '--prune')
    expect(unconfirmed).toMatchObject({ code: 2 })
    expect(unconfirmed.out).toBe(
      '- route r\n- model two\nPlan: 0 to make, 0 to change, 2 to remove, 1 as they should be.\n',
    )
    expect(await run(less, '--prune', '--yes')).toMatchObject({ code: 0 })
    expect((await list('/models')).json['data']).toHaveLength(1)
    expect((await list('/policies')).json['data']).toHaveLength(1)
    expect(await run(less, '--prune', '--check')).toMatchObject({ code: 0 })
  })

  test('never revokes the key that calls, nor that of an owner', async () => {
    const tenant = await tenantOf(desk.server, desk.operatorKey, 'Keys')
    const env = environmentOf(desk, tenant.key)
    const run = (text: string, ...more: string[]) =>
      weir(['apply', '-f', desk.write('keys.yaml', text), '--yes', ...more], { env })
    await run('version: 1\nkeys: [{name: old, role: service, scopes: [runs:write]}]\n', '--print-secrets')
    const pruned = await run('version: 1\nkeys: []\n', '--prune')
    expect(pruned.out).toBe(
      '- key old\nPlan: 0 to make, 0 to change, 1 to remove, 0 as they should be.\nDone: 0 to make, 0 to change, 1 to remove, 0 as they should be.\n',
    )
    // The same name may be taken again, and gets a key of its own.
    const again = await run('version: 1\nkeys: [{name: old, role: service, scopes: [runs:write]}]\n', '--print-secrets')
    const secret = /secret of key old: (\S+)/.exec(again.out)?.[1]
    expect((await call(desk.server.url, 'GET', '/v1/me', { key: secret! })).status).toBe(200)
  })

  test('null removes a single one that the file names', async () => {
    await apply('version: 1\nspend_cap: {cap_usd: "5"}\n', '--yes')
    expect((await apply('version: 1\nspend_cap: null\n', '--yes')).out).toContain('- spend cap\n')
    expect(await desk.api('GET', '/spend-cap')).toMatchObject({ cap_usd: null })
    expect(await apply('version: 1\nspend_cap: null\n', '--check')).toMatchObject({ code: 0 })
  })
})
