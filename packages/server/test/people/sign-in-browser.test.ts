import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openProfile, useBrowser } from '../support/browser.ts'
import { useServer } from '../support/harness.ts'
import { operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

// Other tests fail from the same address at the same time.
const server = useServer({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' } })
const chromium = useBrowser()
let tenant: Tenant
/** The address as a person types it: another name of this machine than that of the attacker. */
let home: string
beforeAll(async () => {
  const { key } = await operatorOf(server)
  tenant = await tenantOf(server, key)
  home = `http://localhost:${server.port}`
})

/** A site of somebody else: whatever page it is asked for is the one that a test gives it. */
let evil: Server
let evilPage = ''
const evilUrl = () => `http://127.0.0.1:${(evil.address() as AddressInfo).port}`
beforeAll(async () => {
  evil = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(evilPage))
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  evil.close()
})

/** A browser of somebody who has signed in with the form. */
async function signedIn() {
  const context = await chromium.browser.newContext()
  const page = await context.newPage()
  await page.goto(`${home}/console`)
  expect(new URL(page.url()).pathname).toBe('/console/signin')
  await page.getByLabel('Key').fill(tenant.key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await openProfile(page)
  return { context, page }
}

test('a person signs in with a key, sees the session, ends another one and signs out', async () => {
  const other = await signedIn()
  const { context, page } = await signedIn()
  const shots = process.env['WEIR_SHOTS']
  if (shots) await page.screenshot({ path: `${shots}/profile.png` })
  expect(await page.getByText(tenant.keyId).count()).toBe(1)
  expect(await page.getByText('this one').count()).toBe(1)
  await page.getByRole('button', { name: 'End' }).first().click()
  await page.getByRole('heading', { name: 'Your session' }).waitFor()
  await other.page.reload()
  await other.page.getByRole('heading', { name: 'You were signed out' }).waitFor()
  if (shots) await other.page.screenshot({ path: `${shots}/ended.png` })
  expect(await other.context.cookies()).toEqual([])
  await other.page.getByRole('link', { name: 'Sign in again' }).click()
  await other.page.getByLabel('Key').waitFor()
  if (shots) await other.page.screenshot({ path: `${shots}/signin.png` })
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Key').waitFor()
  expect(await context.cookies()).toEqual([])
})

test('a wrong key is told beside the field, and what was typed before is gone', async () => {
  const page = await chromium.browser.newPage()
  await page.goto(`${home}/console/signin`)
  await page.getByLabel('Key').fill('weir_wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  expect(await page.getByRole('alert').textContent()).toContain('not valid')
  expect(await page.getByLabel('Key').inputValue()).toBe('')
})

test('a page of our own changes things by script with its token; one of another origin cannot, with whatever it tries', async () => {
  const { context, page } = await signedIn()
  // The documentation is of the same origin, and may call it.
  await page.goto(`${home}/docs`)
  const mine = await page.evaluate(async () => {
    const me = (await (await fetch('/v1/me')).json()) as { session: { csrf_token: string } }
    const answer = await fetch('/v1/me/sessions/revoke', { method: 'POST', headers: { 'x-csrf-token': 'wrong' } })
    return { status: answer.status, token: me.session.csrf_token, cookie: document.cookie }
  })
  expect(mine).toMatchObject({ status: 403, cookie: '' })

  // The attacker even knows the token, which no page of another origin can read.
  evilPage = `<!doctype html><form method="post" action="${home}/console/signout"><input name="csrf_token" value="${mine.token}"></form>
<form method="post" enctype="text/plain" action="${home}/v1/me/sessions/revoke"></form><iframe src="${home}/console/profile"></iframe>`
  const foreign = await context.newPage()
  const seen: string[] = []
  foreign.on('response', (response) =>
    seen.push(`${response.request().method()} ${new URL(response.url()).pathname} ${response.status()}`),
  )
  await foreign.goto(evilUrl())
  const read = await foreign.evaluate(async (url) => {
    const results: string[] = []
    for (const init of [
      { credentials: 'include' },
      { credentials: 'include', method: 'POST', headers: { 'x-csrf-token': 'x' } },
    ] as RequestInit[])
      results.push(
        await fetch(`${url}/v1/me`, init).then(
          (answer) => String(answer.status),
          () => 'blocked',
        ),
      )
    return results
  }, home)
  expect(read).toEqual(['blocked', 'blocked'])
  for (const i of [0, 1]) {
    await foreign.goto(evilUrl())
    await Promise.all([foreign.waitForNavigation(), foreign.evaluate((n) => document.forms[n]!.submit(), i)])
    expect(await foreign.content()).not.toContain('"revoked"')
  }
  expect(seen.filter((line) => line.startsWith('POST') && / 2\d\d$/.test(line))).toEqual([])
  await page.goto(`${home}/console`)
  await openProfile(page)
})

test('a page is shown in no frame, not even of its own origin', async () => {
  const { context } = await signedIn()
  evilPage = `<!doctype html><iframe src="${home}/console/profile"></iframe>`
  const page = await context.newPage()
  const blocked = page.waitForEvent('console', {
    predicate: (message) => /frame-ancestors|refused to connect|Framing/.test(message.text()),
  })
  await page.goto(evilUrl())
  await blocked
  expect(await page.frames()[1]!.content()).not.toContain('Your session')
})

test('a visitor is not signed in by a form of somebody else', async () => {
  const context = await chromium.browser.newContext()
  const page = await context.newPage()
  evilPage = `<!doctype html><form method="post" action="${home}/console/signin"><input name="key" value="${tenant.key}"></form>`
  await page.goto(evilUrl())
  await Promise.all([page.waitForNavigation(), page.evaluate(() => document.forms[0]!.submit())])
  expect(await page.content()).toContain('was not sent by a page of this service')
  expect(await context.cookies()).toEqual([])
})

test('a cookie that somebody planted before signing in is worth nothing afterwards', async () => {
  const context = await chromium.browser.newContext()
  const planted = `weirsession_${'0'.repeat(26)}_${'a'.repeat(49)}`
  await context.addCookies([{ name: 'weir', value: planted, url: home }])
  const page = await context.newPage()
  await page.goto(`${home}/console/signin`)
  await page.getByLabel('Key').fill(tenant.key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await openProfile(page)
  const cookies = await context.cookies()
  expect(cookies.map(({ name }) => name)).toEqual(['weir'])
  expect(cookies[0]!.value).not.toBe(planted)
  // No address that was visited had a secret in it.
  expect(page.url()).toBe(`${home}/console/profile`)
})
