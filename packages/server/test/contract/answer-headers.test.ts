import { beforeAll, expect, test } from 'vitest'
import { guides } from '../../src/tenants/docs/pages.ts'
import { newUuid } from '../../src/values/id.ts'
import { useServer } from '../support/harness.ts'
import { exchange, request } from '../support/raw-http.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const server = useServer({
  environment: { SVC_WEBHOOK_ALLOWED_CIDRS: '203.0.113.0/24', SVC_SSO_ALLOWED_CIDRS: '203.0.113.0/24' },
})
let operator: string
let tenant: Tenant

beforeAll(async () => {
  operator = (await operatorOf(server)).key
  tenant = await tenantOf(server, operator)
})

const headersOf = ({ headers }: { headers: Headers }) => ({
  cache: headers.get('cache-control'),
  sniffing: headers.get('x-content-type-options'),
  referrer: headers.get('referrer-policy'),
})
const neverStored = { cache: 'no-store', sniffing: 'nosniff', referrer: 'no-referrer' }

/** A path of the caller's own organization; the rest of its ids exist nowhere. */
const pathOf = (template: string) =>
  template.replace(/\{(id|org_id)\}/g, tenant.id).replace(/\{\w+\}/g, `x${newUuid().replaceAll('-', '')}`)

test('no answer of any route of the contract is stored, sniffed or told to others, whoever asks', async () => {
  for (const { method, template } of server.routes) {
    for (const key of [undefined, tenant.key, operator]) {
      const answer = await call(server.url, method, pathOf(template), {
        ...(key !== undefined && { key }),
        ...(method !== 'GET' && { body: {} }),
      })
      expect(headersOf(answer), `${method} ${template} ${answer.status}`).toEqual(neverStored)
    }
  }
})

test('an answer with a secret is never stored, nor is its replay', async () => {
  const at = `/v1/orgs/${tenant.id}`
  const subscription = await call(server.url, 'POST', `${at}/webhooks`, {
    key: tenant.key,
    body: { url: 'https://203.0.113.7/' },
  })
  const minted = await call(server.url, 'POST', `${at}/keys`, {
    key: tenant.key,
    body: { name: 'k', role: 'viewer', scopes: ['orgs:read'] },
  })
  const secretive: [string, string, unknown, string?][] = [
    [`${at}/keys`, tenant.key, { name: 'k', role: 'viewer', scopes: ['orgs:read'] }],
    [`${at}/keys/${String(minted.json['id'])}/rotate`, tenant.key, {}],
    [`${at}/webhooks/${String(subscription.json['id'])}/signing/rotate`, tenant.key, {}],
    [`/v1/admin/orgs/${tenant.id}/webhook-secret/rotate`, operator, {}],
    ['/v1/admin/orgs', operator, { name: 'Another' }],
    [
      '/v1/admin/support-grants',
      operator,
      { org_id: tenant.id, scope: 'read', reason: 'a question', duration_seconds: 600 },
    ],
  ]
  for (const [path, key, body] of secretive) {
    const headers = { 'idempotency-key': newUuid() }
    const first = await call(server.url, 'POST', path, { key, body, headers })
    expect(first.status, `${path} ${first.text}`).toBeLessThan(300)
    expect(first.text).toMatch(/"(secret|token)":"/)
    const again = await call(server.url, 'POST', path, { key, body, headers })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.text).toBe(first.text)
    for (const answer of [first, again]) expect(headersOf(answer), path).toEqual(neverStored)
  }
})

test('neither is an answer outside every route, or to what is not HTTP', async () => {
  for (const path of ['/nope', '/v1/nope', '/%zz', '/v1/test/%c0%af', '/docs/nope'])
    expect(headersOf(await call(server.url, 'GET', path)), path).toEqual(neverStored)
  for (const bytes of [
    'garbage\r\n\r\n',
    'GET /v1/me HTTP/1.1\r\n\r\n',
    request('GET', '/v1/me', { expect: 'miracles' }),
  ]) {
    const { status, headers } = await exchange(server.port, [bytes])
    expect(status).toBe(400)
    expect(headers, bytes).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
  }
})

test('probes are not stored; pages of the documentation are not sniffed and tell nobody where a reader came from', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics'])
    expect(headersOf(await call(server.url, 'GET', path)), path).toEqual(neverStored)
  const pages = guides.map(({ slug }) => (slug === '' ? '/docs' : `/docs/${slug}`))
  for (const path of [...pages, '/docs/style.css', '/docs/icon.svg', '/docs/reference/']) {
    const answer = await call(server.url, 'GET', path)
    expect(answer.status, path).toBe(200)
    expect(headersOf(answer), path).toEqual({ cache: 'no-cache', sniffing: 'nosniff', referrer: 'no-referrer' })
  }
})

test('no page may run a script that stands in it, except the very ones it was sent with', async () => {
  for (const path of ['/docs', '/docs/reference/']) {
    const policy = (await call(server.url, 'GET', path)).headers.get('content-security-policy')!
    const scripts = /script-src ([^;]*)/.exec(policy)?.[1] ?? "'none'"
    expect(scripts, path).not.toContain('unsafe-inline')
    expect(policy).toMatch(/^default-src 'none'/)
  }
})
