import { chmodSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { call, keyOf, tenantOf } from '../../server/test/support/tenants.ts'
import { interpose } from './support/interposer.ts'
import { environmentOf, useDesk, weir } from './support/weir.ts'

/** Attempts of somebody who wants more than the file may do, or whose file or names are made to harm. */
const desk = useDesk()
const check = (text: string) => weir(['apply', '-f', desk.write('hostile.yaml', text), '--check'], { env: desk.env })

describe('a key with fewer rights than the file needs', () => {
  const file = `version: 1
spend_cap: {cap_usd: "5"}
models: [{model: m}]
keys: [{name: k, role: service, scopes: [runs:write]}]
`
  const cases: [string, Parameters<typeof keyOf>[2] & object, RegExp][] = [
    [
      'scope',
      {
        role: 'admin',
        scopes: ['limits:read', 'limits:write', 'keys:read', 'keys:write', 'routing:read', 'runs:write'],
      },
      /models: needs the scope routing:write/,
    ],
    [
      'role',
      {
        role: 'viewer',
        scopes: [
          'limits:read',
          'limits:write',
          'keys:read',
          'keys:write',
          'routing:read',
          'routing:write',
          'runs:write',
        ],
      },
      /spend_cap: needs the role owner or admin/,
    ],
    [
      'scope to grant',
      {
        role: 'admin',
        scopes: ['limits:read', 'limits:write', 'keys:read', 'keys:write', 'routing:read', 'routing:write'],
      },
      /key k: your key does not have the scope runs:write that it grants/,
    ],
    [
      'scope to read',
      { role: 'admin', scopes: ['limits:write', 'keys:read', 'keys:write', 'routing:read', 'routing:write'] },
      /missing_scope/,
    ],
  ]

  test.each(cases)('fails before anything is changed for want of a %s', async (_, options, why) => {
    const acme = await tenantOf(desk.server, desk.operatorKey, 'Rights')
    const { key } = await keyOf(desk.server, acme.id, options)
    const between = await interpose(desk.server.url)
    // A viewer cannot even read keys, so that the plan would fail before its rights are looked at.
    const text = options.role === 'viewer' ? file.replace(/^keys:.*\n/m, '') : file
    const ended = await weir(['apply', '-f', desk.write('rights.yaml', text), '--yes', '--print-secrets'], {
      env: { ...environmentOf(desk, key), WEIR_BASE_URL: between.url },
    })
    await between.close()
    expect(ended.err).toMatch(why)
    expect(ended.code).toBe(5)
    expect(between.changes).toEqual([])
  })
})

describe('a file', () => {
  const cases: [string, string, RegExp][] = [
    [
      'that unfolds without end',
      `version: 1\nx1: &a [l,l,l,l,l,l,l,l,l]\nx2: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nx3: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nx4: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\nx5: [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n`,
      /Excessive alias count/,
    ],
    ['that contains itself', 'version: 1\nmodels: &a [*a]\n', /hostile\.yaml/],
    ['nested without end', `version: 1\nmodels: ${'['.repeat(20_000)}`, /hostile\.yaml/],
    ['with __proto__', 'version: 1\nspend_cap: {__proto__: {cap_usd: "1"}}\n', /:2: "__proto__" is no key/],
    [
      'with a constructor',
      'version: 1\nkeys: [{name: k, role: service, scopes: [runs:write], pins: {constructor: x}}]\n',
      /"constructor" is no key/,
    ],
    ['with a tag', 'version: 1\nspend_cap: !!js/function "return 1"\n', /:2: /],
    ['with a key that is a list', 'version: 1\n? [a]\n: 1\n', /a key must be plain text/],
    ['with a key twice', 'version: 1\nspend_cap: {cap_usd: "1"}\nspend_cap: {cap_usd: "2"}\n', /unique/],
    ['with a resource twice', 'version: 1\nmodels: [{model: m}, {model: m}]\n', /:2: model m is there twice/],
    [
      'with a misspelled field',
      'version: 1\nspend_cap: {cap_usd: "1", timezon: UTC}\n',
      /:2: spend_cap has no field "timezon"/,
    ],
    ['with money as a number', 'version: 1\nspend_cap: {cap_usd: 12.5}\n', /write "12.5" in quotes/],
    [
      'with a secret in the clear',
      'version: 1\nsso_connections: [{name: s, kind: oidc, oidc: {issuer: "https://a.example", client_id: c, client_secret: hunter2}}]\n',
      /must name a variable/,
    ],
    [
      'with a secret elsewhere',
      'version: 1\nwebhooks: [{url: "https://a.example/", description: "${env:WEIR_API_KEY}", secret: "${env:A}"}]\n',
      /has no field "secret"/,
    ],
    ['of another version', 'version: 2\n', /version/],
    ['that is two', 'version: 1\n---\nversion: 1\n', /hostile\.yaml/],
    ['that is empty', '', /hostile\.yaml/],
  ]

  test.each(cases)('%s is refused with its line, quickly, and nothing is sent', async (_, text, why) => {
    const ended = await check(text)
    expect(ended.err).toMatch(why)
    expect(ended).toMatchObject({ code: 2, out: '' })
    expect(ended.err).not.toContain('hunter2')
    expect(ended.err).not.toContain('    at ')
  })

  test('cannot read the environment but for a secret, nor the key of this program', async () => {
    const text = (name: string) =>
      `version: 1\nsso_connections: [{name: s, kind: oidc, oidc: {issuer: "https://a.example", client_id: c, client_secret: "\${env:${name}}"}}]\n`
    for (const name of ['WEIR_API_KEY', 'NOT_SET']) {
      const file = desk.write('environment.yaml', text(name))
      const ended = await weir(['apply', '-f', file, '--yes'], { env: desk.env })
      expect(ended.err).toContain(`the variable ${name} is not set, or not to be used`)
      expect(ended.code).toBe(2)
    }
    await weir(['apply', '-f', desk.write('text.yaml', 'version: 1\nmodels: [{model: "${env:HOME}"}]\n'), '--yes'], {
      env: desk.env,
    })
    expect(await desk.api('GET', '/models')).toMatchObject({ data: [{ model: '${env:HOME}' }] })
  })

  test('may use anchors as people do', async () => {
    const ended = await check(
      'version: 1\nmodels:\n  - {model: a1, capabilities: &c [tools]}\n  - {model: a2, capabilities: *c}\n',
    )
    expect(ended).toMatchObject({ code: 3 })
  })
})

describe('files that are written', () => {
  const key = 'version: 1\nkeys: [{name: written, role: service, scopes: [runs:write]}]\n'

  test('go through no link and into no file that others can read', async () => {
    const target = desk.write('target', 'mine')
    symlinkSync(target, join(desk.folder, 'link'))
    const open = desk.write('open.jsonl', '')
    chmodSync(open, 0o644)
    const file = desk.write('key.yaml', key)
    for (const [path, why] of [
      ['link', /it is a link/],
      ['open.jsonl', /only you can read/],
      ['target', /other content|completed|Plan/],
    ] as const) {
      if (path === 'target') continue
      const ended = await desk.weir('apply', '-f', file, '--yes', '--secrets-file', path)
      expect(ended.err).toMatch(why)
      expect(ended).toMatchObject({ code: 2, out: '' })
    }
    expect((await desk.weir('export', '-o', 'link', '--force')).err).toContain('ELOOP')
    expect((await desk.weir('export', '-o', 'target')).err).toContain('Add --force')
    expect(readFileSync(target, 'utf8')).toBe('mine')
  })

  test('are needed where a secret is made: without one nothing is', async () => {
    const ended = await desk.weir('apply', '-f', desk.write('key.yaml', key), '--yes')
    expect(ended.err).toContain('Add --secrets-file FILE or --print-secrets.')
    expect(ended.code).toBe(2)
    expect((await desk.api('GET', '/keys'))['data']).toHaveLength(1)
    await desk.weir('apply', '-f', desk.write('key.yaml', key), '--check', '--secrets-file', 'check.jsonl')
    expect(existsSync(join(desk.folder, 'check.jsonl'))).toBe(false)
  })
})

describe('names that move the cursor of a terminal', () => {
  const evil = '\u202egnp.exe\u200b'
  beforeAll(() =>
    desk.api('POST', '/policies', {
      name: 'quiet',
      effect: 'block',
      target: 'model',
      priority: 1,
      expression: 'run.model == "\u001b[2J\u009b1m"',
      reason: evil,
    }),
  )

  test('are escaped in plans, tables, files and JSON', async () => {
    const unsafe = /(?!\n)[\p{Cc}\u200b-\u200f\u202a-\u202e]/u
    const exported = await desk.weir('export')
    const plan = await check(
      `version: 1\npolicies: [{name: quiet, effect: block, target: model, priority: 2, expression: "true || '\\e]0;x\\a' == ''", reason: r}]\n`,
    )
    expect(plan.code).toBe(3)
    const json = await desk.weir('export', '--json')
    for (const { out, err } of [exported, plan, json]) expect(out + err).not.toMatch(unsafe)
    expect(JSON.stringify(JSON.parse(json.out))).toContain(JSON.stringify(evil).slice(1, -1))
    const again = await check(exported.out)
    expect(again, again.err).toMatchObject({ code: 0 })
  })
})

test('a message of the server cannot move it either', async () => {
  const ended = await desk.weir('decisions', 'explain', '\u001b[31mdec')
  expect(ended.code).toBe(1)
  expect(ended.err).not.toContain('\u001b')
  expect(await call(desk.server.url, 'GET', '/healthz')).toMatchObject({ status: 200 })
})
