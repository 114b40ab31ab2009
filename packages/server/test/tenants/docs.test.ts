import { readdirSync, readFileSync } from 'node:fs'
import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { guides } from '../../src/tenants/docs/pages.ts'
import { useBrowser } from '../support/browser.ts'
import { useServer } from '../support/harness.ts'
import { eventually } from '../support/programs.ts'

const server = useServer()
const chromium = useBrowser()

/** One window for all pages: what they have in common is loaded once. */
let opened: Promise<BrowserContext> | undefined

/** Opens a page and keeps what it asked for and complained about. */
async function open(path: string) {
  opened ??= chromium.browser.newContext()
  const page = await (await opened).newPage()
  const foreign: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(`${server.url}/`) && !/^(data|blob):/.test(request.url())) foreign.push(request.url())
  })
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(server.url + path)
  return { page, foreign, complaints }
}

/** The pictures of a page: whether each is really there, and what is said to those who do not see it. */
const picturesOf = (page: Page) =>
  page.locator('main img').evaluateAll((images) =>
    (images as unknown as { src: string; alt: string; complete: boolean; naturalWidth: number }[]).map((image) => ({
      src: image.src,
      alt: image.alt,
      isShown: image.complete && image.naturalWidth > 0,
    })),
  )

/** Links that were tried: every page has those of the menu. */
const tried = new Map<string, Promise<boolean>>()
function isThere(link: string): Promise<boolean> {
  const known = tried.get(link) ?? fetch(link).then(({ ok }) => ok)
  tried.set(link, known)
  return known
}

describe.each(guides.map(({ slug, title }) => ({ path: slug === '' ? '/docs' : `/docs/${slug}`, title })))(
  'the guide at $path',
  ({ path, title }) => {
    test('is readable in a browser that asks nobody else for anything', async () => {
      const { page, foreign, complaints } = await open(path)
      expect(await page.title()).toBe(`${title} · Weir`)
      expect((await page.locator('main h1').first().textContent())!.length).toBeGreaterThan(0)
      expect(await page.locator('nav a[aria-current="page"]').textContent()).toBe(title)
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      expect(foreign).toEqual([])
      expect(complaints).toEqual([])
      // On a phone nothing is wider than the screen, and the menu does not stand before the page.
      await page.setViewportSize({ width: 390, height: 844 })
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      expect(await page.locator('#menu').isVisible()).toBe(false)
      const pictures = await picturesOf(page)
      expect(pictures.filter(({ isShown, alt }) => !isShown || alt.length < 20)).toEqual([])
      const links = await page
        .locator('a')
        .evaluateAll((anchors) => anchors.map((anchor) => (anchor as unknown as { href: string }).href))
      const broken: string[] = []
      for (const link of new Set(
        links.map((href) => href.split('#')[0]!).filter((href) => href.startsWith(server.url)),
      )) {
        if (!(await isThere(link))) broken.push(link)
      }
      expect(broken).toEqual([])
      await page.close()
    })
  },
)

test('the pictures of forecasts are shown, each once, and can neither run nor ask for anything', async () => {
  const { page, complaints } = await open('/docs/forecasts')
  const pictures = await picturesOf(page)
  await page.close()
  expect(pictures.map(({ src }) => src.slice(server.url.length)).sort()).toEqual(
    readdirSync(new URL('../../../../docs/images', import.meta.url))
      .filter((name) => name.startsWith('forecast-'))
      .map((name) => `/docs/images/${name}`)
      .sort(),
  )
  expect(pictures.length).toBeGreaterThanOrEqual(4)
  for (const { src } of pictures) {
    const { headers } = await fetch(src)
    expect(headers.get('content-type')).toBe('image/svg+xml; charset=utf-8')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'.*; sandbox$/)
  }
  // By itself, too, one is drawn without a complaint.
  const alone = await open(pictures[0]!.src.slice(server.url.length))
  expect(alone.foreign).toEqual([])
  expect(alone.complaints).toEqual([])
  await alone.page.close()
  expect(complaints).toEqual([])
})

describe('every page of the guides', () => {
  test('allows scripts and styles from this server only, none of them inline', async () => {
    const policy = (await fetch(`${server.url}/docs/quickstart`)).headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'; style-src 'self'")
    expect(policy).not.toContain('unsafe')
  })

  test('has a menu that is closed on a phone, opens by a button, and leads to another page', async () => {
    const { page, complaints } = await open('/docs/quickstart')
    expect(await page.locator('#menu').isVisible()).toBe(true)
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.locator('#menu').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.locator('#menu').getByText('Limits', { exact: true }).click()
    await page.waitForURL('**/docs/limits')
    expect(await page.locator('#menu').isVisible()).toBe(false)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('lists its headings, and leads to the pages before and after it', async () => {
    const { page } = await open('/docs/quickstart')
    const contents = page.locator('aside.contents a')
    expect(await contents.allTextContents()).toEqual(
      (await page.locator('article h2, article h3').allTextContents()).map((text) => text.trim()),
    )
    await contents.getByText('Why was it refused?').click()
    await page.waitForURL('**/docs/quickstart#why-was-it-refused')
    await page.locator('a[rel=next]').click()
    await page.waitForURL(`**/docs/${guides[guides.findIndex(({ slug }) => slug === 'quickstart') + 1]!.slug}`)
    await page.locator('a[rel=prev]').click()
    await page.waitForURL('**/docs/quickstart')
    await page.close()
  })

  test('copies code as it stands in the source', async () => {
    const context = await chromium.browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await context.newPage()
    await page.goto(`${server.url}/docs/quickstart`)
    const block = page.locator('.code', { hasText: 'function limited' })
    await block.getByRole('button', { name: 'Copy' }).click()
    await block.getByText('Copied').waitFor()
    const source = readFileSync(new URL('../../../../docs/quickstart.md', import.meta.url), 'utf8')
    const [, code] = /```js\n([\s\S]*?)```/.exec(source)!
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(code)
    await context.close()
  })
})

describe('search', () => {
  const resultsFor = async (page: Page, question: string) => {
    const input = page.locator('#search input')
    // The key does nothing before the page has loaded what listens to it.
    await eventually(async () => {
      await page.keyboard.press('/')
      return input.isVisible()
    })
    await input.fill(question)
    await page.locator('#found li').first().waitFor()
    return page
      .locator('#found a')
      .evaluateAll((links) =>
        links.map((link) => (link as unknown as { getAttribute(name: string): string }).getAttribute('href')),
      )
  }

  test('finds sections of guides by their words, with the keyboard alone', async () => {
    const { page, foreign, complaints } = await open('/docs')
    expect(await resultsFor(page, 'spend ca')).toContain('/docs/limits#spend-cap')
    const [first, second] = await resultsFor(page, 'overrun')
    await page.keyboard.press('ArrowDown')
    expect(await page.locator('#found li[aria-selected=true] a').getAttribute('href')).toBe(second)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.href.endsWith(first!), { waitUntil: 'commit' })
    expect(foreign).toEqual([])
    expect(complaints).toEqual([])
    await page.close()
  })

  test('finds operations, and says so where there is nothing to find', async () => {
    const { page } = await open('/docs/limits')
    expect(await resultsFor(page, 'finish a run')).toContain('/docs/reference/#tag/runs/POST/v1/runs/{run_id}/finish')
    await page.locator('#search input').fill('zzzzqqqq')
    await page.getByText('Nothing found for “zzzzqqqq”.').waitFor()
    await page.close()
  })

  test('leads to places that exist', async () => {
    const index = (await (await fetch(`${server.url}/docs/search.json`)).json()) as {
      documentIds: Record<string, string>
    }
    const places = Object.values(index.documentIds).filter((address) => !address.startsWith('/docs/reference/'))
    expect(places.length).toBeGreaterThan(200)
    const pages = new Map<string, string>()
    for (const path of new Set(places.map((address) => address.split('#')[0]!)))
      pages.set(path, await (await fetch(server.url + path)).text())
    expect(
      places.filter((address) => {
        const [path, anchor] = address.split('#')
        return anchor !== undefined && !pages.get(path!)!.includes(`id="${anchor}"`)
      }),
    ).toEqual([])
  })
})

test('the deprecation of every surface can be found where its documentation link points', async () => {
  const { page } = await open('/docs/deprecations')
  for (const entry of server.registry) expect(await page.locator(`#${entry.id}`).count(), entry.id).toBe(1)
  await page.close()
})

test('the API reference shows every operation and asks nobody else for anything', async () => {
  const { page, foreign, complaints } = await open('/docs/reference/')
  // The bundle draws every operation at once, which a busy machine takes its time for.
  await page.getByText('List error codes').first().waitFor({ timeout: 120_000 })
  // It has the bar of the guides, and their search.
  expect(await page.locator('.bar a[aria-current]').textContent()).toBe('API reference')
  expect(await page.getByRole('button', { name: 'Search' }).isVisible()).toBe(true)
  const summaries = server.routes.map(({ schema }) => (schema as { summary: string }).summary)
  // One look at the whole page, which is too large for one look per operation.
  const missing = () =>
    page.evaluate((wanted) => {
      const texts = [...document.querySelectorAll('*')].map(({ textContent }) => textContent ?? '')
      const shown = new Set(texts.filter(({ length }) => length < 200).map((text) => text.trim().replace(/\s+/g, ' ')))
      return wanted.filter((text) => !shown.has(text))
    }, summaries)
  await expect.poll(missing, { timeout: 120_000 }).toEqual([])
  expect(foreign).toEqual([])
  expect(complaints).toEqual([])
  await page.close()
})

test('the root leads to the documentation', async () => {
  const response = await fetch(server.url, { redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([302, '/docs'])
  expect((await fetch(server.url, { method: 'POST' })).status).toBe(404)
})

test('a page that does not exist is the envelope, like everything else', async () => {
  const response = await fetch(`${server.url}/docs/nope`)
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ error: { code: 'not_found' } })
})
