import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useBrowser } from '../support/browser.ts'
import { useServer } from '../support/harness.ts'
import { signIn } from '../support/sessions.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** The scripts of the pages, in a real browser: each makes something faster that also works without it. */
const server = useServer({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' } })
const chromium = useBrowser()
let tenant: Tenant
let cookie: { name: string; value: string; url: string }
const budgetIds: string[] = []

const ask = (method: string, path: string, body: object) => call(server.url, method, path, { key: tenant.key, body })
beforeAll(async () => {
  tenant = await tenantOf(server, (await operatorOf(server)).key, 'Northwind')
  for (const name of ['Customs', 'Research', 'Support']) {
    const body = { name, scope_kind: 'workflow', scope_id: name, limit_usd: '100', period: 'month' }
    budgetIds.push(String((await ask('POST', `/v1/orgs/${tenant.id}/budgets`, body)).json['id']))
  }
  const session = await signIn(server.url, tenant.key)
  const [name = '', value = ''] = session.cookie.split(/=(.*)/s)
  cookie = { name, value, url: server.url }
})

let context: BrowserContext
const faults: string[] = []
beforeEach(async () => {
  context = await chromium.browser.newContext({ viewport: { width: 1280, height: 900 } })
  await context.addCookies([cookie])
})
afterEach(async () => {
  await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })))
  await context.close()
  const found = faults.splice(0)
  if (found.length > 0) throw new Error(found.join('; '))
})

async function openPage(path: string): Promise<Page> {
  const page = await context.newPage()
  page.on('pageerror', ({ message }) => faults.push(message))
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  await page.goto(server.url + path)
  return page
}

const pathOf = (page: Page) => new URL(page.url()).pathname
const arrives = (page: Page, path: string) => page.waitForURL(server.url + path)

describe('the jump list', () => {
  test.each(['Control+k', 'Meta+k', '/'])(
    'opens by %s, finds a page as somebody types, and goes there',
    async (keys) => {
      const page = await openPage('/console')
      await page.keyboard.press(keys)
      await page.locator('#jump:popover-open').waitFor()
      await page.keyboard.type('audi')
      expect(await page.locator('#jump-list a').allInnerTexts()).toEqual([expect.stringContaining('Audit log')])
      await page.keyboard.press('Enter')
      await arrives(page, '/console/audit-log')
    },
  )

  test('takes an id to what it names, moves by arrows, and closes by Escape', async () => {
    const page = await openPage('/console')
    await page.keyboard.press('Control+k')
    await page.locator('#jump:popover-open').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const second = page.locator('#jump-list a').nth(1)
    await expect.poll(() => second.evaluate((link) => link === document.activeElement)).toBe(true)
    await page.keyboard.press('Escape')
    await page.locator('#jump:popover-open').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await page.locator('#jump:popover-open').waitFor()
    await page.keyboard.type(budgetIds[0]!)
    await page.keyboard.press('Enter')
    await arrives(page, `/console/budgets/${budgetIds[0]}`)
  })
})

describe('keys', () => {
  test('J and K walk over the rows, Enter opens one, and none of them works in a field', async () => {
    const page = await openPage('/console/budgets')
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    const names = await page.locator('main tbody th a').allTextContents()
    for (const [key, at] of [
      ['j', 0],
      ['j', 1],
      ['j', 2],
      ['j', 2],
      ['k', 1],
    ] as const) {
      await page.keyboard.press(key)
      expect(await focused()).toBe(names[at])
    }
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: names[1]! }).waitFor()
    await page.goto(`${server.url}/console/budgets/new`)
    await page.getByLabel('Name').pressSequentially('jk?gb/n')
    expect(await page.getByLabel('Name').inputValue()).toBe('jk?gb/n')
    expect(pathOf(page)).toBe('/console/budgets/new')
  })

  test('/ goes to the search of a list, N to its first action, G and a letter to a page, and ? shows all of them', async () => {
    const page = await openPage('/console/budgets')
    await page.keyboard.press('/')
    expect(await page.getByLabel('Covered name').evaluate((field) => field === document.activeElement)).toBe(true)
    await page.locator('h1').click()
    await page.keyboard.press('n')
    await arrives(page, '/console/budgets/new')
    await page.keyboard.press('g')
    await page.keyboard.press('b')
    await arrives(page, '/console/budgets')
    await page.keyboard.press('?')
    const help = page.locator('#keys:popover-open')
    await help.waitFor()
    expect(await help.innerText()).toMatch(/search and jump[^]*next and previous row[^]*G B[^]*Budgets/)
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })
  })
})

test('a command is copied whole', async () => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await openPage('/console/refusals')
  await page.getByRole('button', { name: /^Copy/ }).click()
  await page.locator('copy-button .done').waitFor()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toBe(await page.locator('.code code').textContent())
  expect(copied).toContain('/v1/edge/decision')
})

describe('live numbers', () => {
  /** Lets a page ask many times a second: the pace is the server's, and of the server's own memory for it. */
  async function hurry(page: Page) {
    const { clock } = server.platform
    const startMs = clock.now().getTime()
    let asked = 0
    await page.route('**/console/live', async (route) => {
      asked += 1
      Object.assign(clock, { now: () => new Date(startMs + asked * 6_000) })
      const answer = await route.fetch()
      await route.fulfill({ response: answer, body: (await answer.text()).replace(/retry: \d+/, 'retry: 50') })
    })
    return { asked: () => asked }
  }
  const setLimit = (limit_usd: string) => ask('PATCH', `/v1/orgs/${tenant.id}/budgets/${budgetIds[0]}`, { limit_usd })

  async function openLive(path: string) {
    const page = await context.newPage()
    const pace = await hurry(page)
    await page.addInitScript(() => {
      let isHidden = false
      Object.defineProperty(document, 'hidden', { get: () => isHidden })
      Object.assign(window, {
        setHidden: (value: boolean) => {
          isHidden = value
          document.dispatchEvent(new Event('visibilitychange'))
        },
      })
    })
    await page.goto(server.url + path)
    await expect.poll(pace.asked).toBeGreaterThan(1)
    return { page, ...pace }
  }
  const hide = (page: Page, isHidden: boolean) =>
    page.evaluate((value) => (window as unknown as { setHidden: (is: boolean) => void }).setHidden(value), isHidden)

  test('arrive by themselves, and are offered where somebody is at work', async () => {
    const { page } = await openLive('/console/budgets')
    await setLimit('111')
    await page.getByText('$111').first().waitFor()
    await page.goto(`${server.url}/console/budgets`)
    await page.keyboard.press('j')
    await setLimit('222')
    const offer = page.getByRole('button', { name: 'Numbers have changed: show them' })
    await offer.waitFor()
    expect(await page.getByText('$222').count()).toBe(0)
    await offer.click()
    await page.getByText('$222').first().waitFor()
  })

  test('of the overview arrive with the first call, and then with each', async () => {
    const { page } = await openLive('/console')
    await page.getByText('Three steps to the first limit').waitFor()
    await ask('POST', '/v1/runs', { model: 'gpt-4o', estimated_cost_usd: '300', workflow_id: 'Customs' })
    await page.getByRole('heading', { name: 'Refused today, by reason' }).waitFor()
    expect(await page.getByText('Three steps to the first limit').count()).toBe(0)
  })

  test('rest while nobody sees the page, and are there when somebody looks again', async () => {
    const { page, asked } = await openLive('/console/budgets')
    const control = await context.newPage()
    await hide(page, true)
    const before = asked()
    let asksOfControl = 0
    control.on('request', (request) => void (asksOfControl += request.url().endsWith('/console/live') ? 1 : 0))
    await setLimit('333')
    await hurry(control)
    await control.goto(`${server.url}/console/budgets`)
    await expect.poll(() => asksOfControl).toBeGreaterThan(5)
    // One may have been on its way when the page was hidden.
    expect(asked() - before).toBeLessThanOrEqual(1)
    expect(await page.getByText('$333').count()).toBe(0)
    await hide(page, false)
    await page.getByText('$333').first().waitFor()
  })
})
