import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { openProfile, useBrowser } from '../../support/browser.ts'
import { useServer } from '../../support/harness.ts'
import { addAuthenticator } from '../../support/passkeys/virtual-authenticator.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../../support/tenants.ts'

// Other tests fail from the same address at the same time.
const server = useServer({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' } })
const chromium = useBrowser()
let acme: Tenant
let globex: Tenant
let home: string
beforeAll(async () => {
  const { key } = await operatorOf(server)
  acme = await tenantOf(server, key)
  globex = await tenantOf(server, key, 'Globex')
  home = `http://localhost:${server.port}`
})

let count = 0
const newEmail = () => `ada${(count += 1)}@acme.example`

/** Invites somebody; returns the link to hand to them. */
async function invited({ id, key }: Tenant, email: string): Promise<{ link: string; memberId: string }> {
  const { json } = await call(server.url, 'POST', `/v1/orgs/${id}/members`, { key, body: { email, role: 'member' } })
  const { url } = json['invitation'] as { url: string }
  return { link: home + new URL(url).pathname + new URL(url).search, memberId: String(json['id']) }
}

/** A browser with a device that keeps passkeys, and a person in front of it. */
async function personAt(): Promise<{
  context: BrowserContext
  page: Page
  verify: (isRight: boolean) => Promise<void>
}> {
  const context = await chromium.browser.newContext()
  const page = await context.newPage()
  const verify = await addAuthenticator(context, page)
  return { context, page, verify }
}

const shot = async (page: Page, name: string) => {
  const folder = process.env['WEIR_SHOTS']
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

async function openLink(page: Page, link: string) {
  await page.goto(link)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Your session', exact: true }).waitFor()
}

/** Adds a passkey on the profile; returns the recovery codes that are offered after the first. */
async function enrolled(page: Page, name = 'Laptop'): Promise<string[]> {
  await page.getByLabel('Name of the passkey').fill(name)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
  await shot(page, 'codes-offer')
  await page.getByRole('button', { name: 'Show my recovery codes' }).click()
  await page.getByText('These are shown once').waitFor()
  const codes = await page.locator('.codes code').allTextContents()
  await shot(page, 'codes')
  await page.getByRole('link', { name: 'I have kept them' }).click()
  await page.getByRole('heading', { name: 'Passkeys' }).waitFor()
  return codes
}

async function signOut(page: Page) {
  await page.goto(`${home}/console/profile`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
}

test('somebody is invited, adds a passkey, joins a second organization, and chooses between them when they sign in', async () => {
  const email = newEmail()
  const { context, page } = await personAt()
  await openLink(page, (await invited(acme, email)).link)
  await shot(page, 'profile-without-passkeys')
  const [before] = await context.cookies()
  const codes = await enrolled(page)
  expect(codes).toHaveLength(10)
  expect(await page.getByRole('rowheader', { name: 'Laptop' }).count()).toBe(1)
  expect(await page.getByText('Recovery codes left: 10').count()).toBe(1)
  await shot(page, 'profile')
  const after = (await context.cookies()).find(({ name }) => name === 'weir')
  expect(after?.value, 'a new session, for it can do more').not.toBe(before?.value)

  await signOut(page)
  await shot(page, 'signin')
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await openProfile(page)
  expect(await page.getByText(acme.id).count(), 'one organization needs no choice').toBe(1)

  // The link of another organization, for the same address, in the same browser: the same person.
  await openLink(page, (await invited(globex, email)).link)
  expect(await page.getByText(globex.id).count()).toBe(1)
  expect(await page.getByText('Laptop').count(), 'a link shows no passkeys: its organization has made it').toBe(0)
  await shot(page, 'profile-unproved')
  await page.getByRole('button', { name: 'Confirm with a passkey' }).click()
  await page.getByRole('rowheader', { name: 'Laptop' }).waitFor()

  await signOut(page)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('heading', { name: 'Choose an organization' }).waitFor()
  await shot(page, 'choose')
  expect(
    (await context.cookies()).map(({ name }) => name),
    'no session yet',
  ).toEqual(['weir-passkey'])
  const names = await page.locator('.choice').count()
  expect(names).toBe(2)
  await page.locator('.choice').nth(1).click()
  await openProfile(page)
  expect((await context.cookies()).map(({ name }) => name)).toEqual(['weir'])
  await context.close()
})

test('a recovery code signs in once, and what is left is shown', async () => {
  const { context, page } = await personAt()
  await openLink(page, (await invited(acme, newEmail())).link)
  const [code = ''] = await enrolled(page)
  const spoken = code.toUpperCase().replaceAll('-', ' ')
  await signOut(page)
  await page.getByRole('link', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill(spoken)
  await shot(page, 'recovery')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await openProfile(page)
  await page.getByText('Recovery codes left: 9').waitFor()
  await signOut(page)
  await page.goto(`${home}/console/signin/recovery`)
  await page.getByLabel('Recovery code').fill(spoken)
  await page.getByRole('button', { name: 'Sign in' }).click()
  expect(await page.getByRole('alert').textContent()).toContain('not valid, or was used')
  await shot(page, 'recovery-refused')
  await context.close()
})

test('nobody signs in whom their device does not recognize, and the page says so', async () => {
  const { context, page, verify } = await personAt()
  await openLink(page, (await invited(acme, newEmail())).link)
  await enrolled(page)
  await signOut(page)
  await verify(false)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByText('Nothing was chosen, or it took too long').waitFor()
  await shot(page, 'signin-refused')
  expect(await page.getByRole('button', { name: 'Use a passkey' }).isEnabled()).toBe(true)
  await context.close()
})

test('a passkey is removed, but not the last one without recovery codes', async () => {
  const { context, page } = await personAt()
  await openLink(page, (await invited(acme, newEmail())).link)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('link', { name: 'Not now' }).click()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('This is your last passkey').waitFor()
  await shot(page, 'last-passkey')
  await page.goto(`${home}/console/recovery-codes`)
  await page.getByRole('button', { name: 'Show my recovery codes' }).click()
  await page.getByRole('link', { name: 'I have kept them' }).click()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Recovery codes left: 10').waitFor()
  expect(await page.getByRole('button', { name: 'Remove' }).count()).toBe(0)
  await context.close()
})

test('somebody who was removed everywhere is known, and let in nowhere', async () => {
  const { context, page } = await personAt()
  const { link, memberId } = await invited(acme, newEmail())
  await openLink(page, link)
  await enrolled(page)
  await signOut(page)
  await call(server.url, 'DELETE', `/v1/orgs/${acme.id}/members/${memberId}`, { key: acme.key })
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('heading', { name: 'No organization lets you in' }).waitFor()
  await shot(page, 'no-organization')
  expect((await context.cookies()).map(({ name }) => name)).toEqual([])
  await context.close()
})

test('a page of somebody else frames none of these pages, and none of its forms adds, removes or takes anything', async () => {
  const { context, page } = await personAt()
  await openLink(page, (await invited(acme, newEmail())).link)
  const [code = ''] = await enrolled(page)
  // The attacker even knows the token, which no page of another origin can read.
  const token = await page.locator('form[action="/console/signout"] [name=csrf_token]').getAttribute('value')
  const form = (path: string, field: string, value: string) =>
    `<form method="post" action="${home}${path}"><input name="csrf_token" value="${token}"><input name="${field}" value="${value}"></form>`
  const evil = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end(
      `<!doctype html>${form('/console/recovery-codes', 'x', 'y')}${form('/console/passkeys', 'answer', '{}')}
${form('/console/passkeys/options', 'x', 'y')}${form('/console/signin/recovery', 'recovery_code', code)}
${form('/console/signin/passkey', 'answer', '{}')}${form('/console/choose', 'member_id', 'mbr_x')}
<iframe src="${home}/console/recovery-codes"></iframe><iframe src="${home}/console/signin"></iframe>`,
    ),
  )
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve))
  const evilUrl = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`
  const foreign = await context.newPage()
  await foreign.goto(evilUrl)
  for (const frame of foreign.frames().slice(1))
    expect(await frame.content()).not.toMatch(/Recovery codes|Use a passkey/)
  const ends: string[] = []
  for (let i = 0; i < 6; i += 1) {
    await foreign.goto(evilUrl)
    const [response] = await Promise.all([
      foreign.waitForNavigation(),
      foreign.evaluate((n) => document.forms[n]!.submit(), i),
    ])
    ends.push(`${response?.status()} ${new URL(foreign.url()).pathname}`)
  }
  // The browser sends no session along with a form of another site: it is sent to sign in, where the person is signed in already.
  expect(ends).toEqual([
    '200 /console',
    '200 /console',
    '200 /console',
    '403 /console/signin/recovery',
    '403 /console/signin/passkey',
    '403 /console/choose',
  ])
  evil.close()
  evil.closeAllConnections()
  await page.reload()
  await page.getByText('Recovery codes left: 10').waitFor()
  expect(await page.getByRole('button', { name: 'Remove' }).count()).toBe(1)
  await context.close()
})

test('pages that ask for a passkey run the one script of ours, and stand in no frame', async () => {
  for (const path of ['/console/signin', '/console/signin/recovery', '/console/choose']) {
    const response = await fetch(home + path, { redirect: 'manual' })
    const policy = response.headers.get('content-security-policy') ?? "frame-ancestors 'none'"
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
  }
  const { headers } = await fetch(`${home}/console/signin`)
  expect(headers.get('content-security-policy')).toContain("script-src 'self'")
  const recovery = await fetch(`${home}/console/signin/recovery`)
  expect(recovery.headers.get('content-security-policy')).not.toContain('script-src')
  const script = await fetch(`${home}/console/passkeys.js`)
  expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
})
