import { request } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openProfile, useBrowser } from '../support/browser.ts'
import { certificate, certificateKey } from '../support/certificate.ts'
import { useServer } from '../support/harness.ts'
import { signInForm } from '../support/sessions.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** The proxy that speaks TLS in front of the service, and a sibling host behind it that belongs to somebody else. */
let proxy: Server
let home: string
let sibling: string
const planted = `weirsession_${'0'.repeat(26)}_${'a'.repeat(49)}`
beforeAll(async () => {
  proxy = createServer({ cert: certificate, key: certificateKey }, (incoming, response) => {
    if (incoming.headers.host?.startsWith('evil.')) {
      const cookies = ['__Host-weir', '__host-weir', 'weir'].flatMap((name) => [
        `${name}=${planted}; Domain=weir.localhost; Path=/; Secure`,
        `${name}=${planted}; Domain=weir.localhost; Path=/console; Secure`,
      ])
      return response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': cookies }).end('planted')
    }
    const { method, url, headers } = incoming
    const outgoing = request({ port: server.port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    return incoming.pipe(outgoing)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  home = `https://weir.localhost:${port}`
  sibling = `https://evil.weir.localhost:${port}`
})
afterAll(() => {
  proxy.close()
  proxy.closeAllConnections()
})

const server = useServer({ environment: () => ({ SVC_PUBLIC_URL: home, SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' }) })
const chromium = useBrowser()
let tenant: Tenant
beforeAll(async () => {
  tenant = await tenantOf(server, (await operatorOf(server)).key)
})

test('under HTTPS the cookie is bound to its host and sent over TLS only', async () => {
  const response = await signInForm(server.url, { key: tenant.key }, { origin: home })
  expect(response.headers.get('set-cookie')).toMatch(
    /^__Host-weir=weirsession_\w+; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
  const value = /weirsession_\w+/.exec(response.headers.get('set-cookie')!)![0]
  const statusWith = async (cookie: string) => (await call(server.url, 'GET', '/v1/me', { headers: { cookie } })).status
  expect(await statusWith(`__Host-weir=${value}`)).toBe(200)
  expect(await statusWith(`weir=${value}`)).toBe(401)
  expect(await statusWith(`weir=${planted}; __Host-weir=${value}`)).toBe(200)
})

test('a change must come from the public origin, whatever the host that a proxy passes on', async () => {
  const response = await signInForm(server.url, { key: tenant.key })
  const cookie = response.headers.get('set-cookie')!.split(';')[0]!
  const { json } = await call(server.url, 'GET', '/v1/me', { headers: { cookie } })
  const csrf = { cookie, 'x-csrf-token': (json['session'] as { csrf_token: string }).csrf_token }
  const end = (origin: string) => call(server.url, 'POST', '/v1/me/sessions/revoke', { headers: { ...csrf, origin } })
  for (const origin of [server.url, sibling, home.replace('https', 'http'), `${home}.evil.example`])
    expect((await end(origin)).json.error?.code).toBe('forbidden')
  expect((await end(home)).status).toBe(200)
})

test('a sibling host cannot plant a session, nor push one out', async () => {
  const context = await chromium.browser.newContext({ ignoreHTTPSErrors: true })
  const page = await context.newPage()
  await page.goto(sibling)
  await page.goto(`${home}/console`)
  await page.getByLabel('Key').fill(tenant.key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await openProfile(page)
  await page.goto(sibling)
  await page.goto(`${home}/console`)
  await openProfile(page)
  const own = (await context.cookies(home)).filter(({ name }) => name === '__Host-weir')
  expect(own).toHaveLength(1)
  expect(own[0]).toMatchObject({ domain: 'weir.localhost', httpOnly: true, secure: true, sameSite: 'Lax', path: '/' })
  // The planted cookie of the other name was there, and counted for nothing.
  expect((await context.cookies(home)).some(({ value }) => value === planted)).toBe(true)
})
