import axe from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { useBrowser } from '../support/browser.ts'
import { visitAsMember, visitWithKey } from '../support/console.ts'
import { consoleRoutes, crawl } from '../support/console-crawl.ts'
import { canary, fillOrganization } from '../support/console-organization.ts'
import { useServer } from '../support/harness.ts'
import { operatorOf, tenantOf } from '../support/tenants.ts'

/** Every page in a real browser, of an organization in which every name, id, note and reason is an attack. */
const server = useServer({
  environment: {
    SVC_AUTH_BACKOFF_PER_MINUTE: '1000000',
    SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    SVC_SSO_ALLOWED_CIDRS: '127.0.0.0/8',
  },
})
const chromium = useBrowser()
let addresses: readonly Address[]
const cookies: Record<Reader, string> = { owner: '', operator: '' }
beforeAll(async () => {
  const operator = (await operatorOf(server)).key
  const tenant = await tenantOf(server, operator)
  await fillOrganization(server.url, { operator, tenant, nowMs: Date.now() }, canary)
  const routes = await consoleRoutes(server)
  const readers = {
    owner: await visitAsMember(server.url, tenant, 'owner'),
    operator: await visitWithKey(server.url, operator),
  }
  addresses = (
    await Promise.all(
      (['owner', 'operator'] as const).map(async (reader) => {
        cookies[reader] = readers[reader].session.cookie
        const { pages } = await crawl(readers[reader], routes)
        const profile = { reader, template: '/console/profile', address: '/console/profile' }
        const found = [...pages]
          .filter(([, { shown }]) => shown.headers.get('content-type')?.startsWith('text/html') && shown.status === 200)
          .map(([template, { address }]) => ({ reader, template, address }))
        return [...found, profile]
      }),
    )
  ).flat()
}, 300_000)

type Reader = 'owner' | 'operator'

/** A page by its address, and who reads it. */
interface Address {
  readonly reader: Reader
  readonly template: string
  readonly address: string
}

interface Found {
  readonly what: string
  readonly page: string
}

/** A browser that is signed in, and notes whatever runs or is blocked. */
async function browserAt(reader: Reader, width: number, colorScheme: 'light' | 'dark', found: Found[]) {
  const context: BrowserContext = await chromium.browser.newContext({
    viewport: { width, height: 900 },
    colorScheme,
    bypassCSP: false,
  })
  const [name = '', value = ''] = cookies[reader].split(/=(.*)/s)
  await context.addCookies([{ name, value, url: server.url }])
  await context.exposeFunction('pwned', (what: unknown) => found.push({ what: `canary ran ${String(what)}`, page: '' }))
  await context.exposeFunction('noteViolation', (what: string, page: string) => found.push({ what, page }))
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
      const { noteViolation } = window as unknown as { noteViolation: (what: string, page: string) => void }
      noteViolation(`${violatedDirective} ${blockedURI} ${sample}`, location.pathname)
    })
  })
  const page = await context.newPage()
  page.on('dialog', (dialog) => void dialog.dismiss())
  page.on('pageerror', (error) => found.push({ what: error.message, page: page.url() }))
  return { context, page }
}

/** Returns by how much a page is wider than its window, and the innermost element that is; undefined where none is. */
const overflowOf = (page: Page) =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return undefined
    const wide = [...document.querySelectorAll('main *')].filter(
      (element) => element.getBoundingClientRect().right > clientWidth + 1,
    )
    return `${scrollWidth - clientWidth} px: ${wide.at(-1)?.outerHTML.slice(0, 120)}`
  })

/** Faults that axe-core finds; it is run as a debugger's script, which the policy of the page does not concern. */
async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate(async () => {
    const { axe: run } = window as unknown as {
      axe: { run: (options: object) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    }
    const { violations } = await run.run({ resultTypes: ['violations'], preload: false })
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`)
  })
  return found
}

const readersAtOnce = 3

/** Opens pages in a few tabs at once, and returns whatever `look` and the browser find on them. */
async function lookAt(
  list: readonly Address[],
  [width, scheme]: readonly [number, 'light' | 'dark'],
  look: (page: Page, note: (what: string) => void) => Promise<void>,
): Promise<string[]> {
  const found: Found[] = []
  const shorten = (text: string) => text.replaceAll(/_[0-9a-z]{26}/g, '_…')
  for (const [reader, own] of Map.groupBy(list, ({ reader: who }) => who)) {
    const waiting = own.map(({ address }) => address)
    await Promise.all(
      Array.from({ length: readersAtOnce }, async () => {
        const { context, page } = await browserAt(reader, width, scheme, found)
        for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
          const path = address
          await page.setViewportSize({ width, height: 900 })
          await page.goto(server.url + path)
          await look(page, (what) => found.push({ what, page: path }))
        }
        await context.close()
      }),
    )
  }
  return found.map(({ what, page }) => `${shorten(page)} ${shorten(what)}`)
}

const noteOverflow = async (page: Page, note: (what: string) => void) => {
  const overflow = await overflowOf(page)
  if (overflow !== undefined) note(`overflows by ${overflow}`)
}

const sizes = ([360, 768, 1440] as const).flatMap((width) => [[width, 'light'] as const, [width, 'dark'] as const])

/** Pages that together have every part of which pages are made: each is looked at in both forms of its layout, and both themes. */
const representative = new Set([
  '/console',
  '/console/budgets',
  '/console/budgets/:budget_id/edit',
  '/console/refusals',
  '/console/usage',
  '/console/runs/:run_id',
  '/console/rules/:rule_id',
  '/console/approvals',
  '/console/keys/:key_id',
  '/console/audit-log',
  '/console/orgs/:org_id',
  '/console/profile',
])

// A skipped test would count as failed: without the variable there are none.
test.each(process.env['CONSOLE_ALL_SIZES'] === undefined ? [] : sizes)(
  'no page runs what somebody wrote into it, overflows or has a fault of accessibility: %i px, %s',
  async (width, scheme) => {
    const found = await lookAt(addresses, [width, scheme], async (page, note) => {
      await noteOverflow(page, note)
      for (const what of await faultsOf(page)) note(what)
    })
    expect(found).toEqual([])
  },
  900_000,
)

test('no page runs what somebody wrote into it, is wider than a screen or a phone, or has a fault of accessibility', async () => {
  expect(addresses.filter(({ reader }) => reader === 'owner').length).toBeGreaterThan(60)
  expect(addresses.filter(({ reader }) => reader === 'operator').length).toBeGreaterThan(10)
  const found = await lookAt(addresses, [1440, 'light'], async (page, note) => {
    await noteOverflow(page, note)
    for (const what of await faultsOf(page)) note(what)
    await page.setViewportSize({ width: 360, height: 900 })
    await noteOverflow(page, note)
  })
  expect(found).toEqual([])
}, 600_000)

test('parts of all kinds are legible in the dark and on a phone', async () => {
  const list = addresses.filter(({ template }) => representative.has(template))
  expect(list.map(({ template }) => template)).toEqual(expect.arrayContaining([...representative]))
  const found = await lookAt(list, [360, 'dark'], async (page, note) => {
    for (const what of await faultsOf(page)) note(what)
  })
  expect(found).toEqual([])
}, 300_000)

test('the difference of an import of prices is legible in every size and theme, and runs nothing', async () => {
  const price = { input_cost_per_token: 3e-6, output_cost_per_token: 15e-6, mode: 'chat' }
  const file = JSON.stringify({
    'gpt-4o': { ...price, litellm_provider: 'openai' },
    [canary('model')]: { ...price, litellm_provider: 'openai' },
    'claude-next-9': { ...price, litellm_provider: 'anthropic', input_cost_per_token: -1 },
  })
  const found: Found[] = []
  for (const [width, scheme] of sizes) {
    const { context, page } = await browserAt('owner', width, scheme, found)
    await page.goto(`${server.url}/console/prices/import`)
    await page.getByLabel('Or its text').fill(file)
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('Nothing is changed yet.').waitFor()
    const note = (what: string) => found.push({ what, page: `${width} px, ${scheme}` })
    await noteOverflow(page, note)
    for (const what of await faultsOf(page)) note(what)
    await context.close()
  }
  expect(found).toEqual([])
}, 300_000)

test('the canary would be found: a page that trusted it runs it', async () => {
  const found: Found[] = []
  const { context, page } = await browserAt('owner', 800, 'light', found)
  await page.route('**/console/planted', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<title>x</title><p>${canary('name')}</p>` }),
  )
  await page.goto(`${server.url}/console/planted`)
  await expect.poll(() => found.length).toBeGreaterThan(0)
  await context.close()
})
