import { readdirSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { guides } from '../src/docs/pages.ts'
import { useBrowser } from './browser.ts'
import { useServer } from './harness.ts'

const server = useServer()
const chromium = useBrowser()

/** Opens a page and keeps what it asked for and complained about. */
async function open(path: string) {
  const page = await chromium.browser.newPage()
  const foreign: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(`${server.url}/`) && !/^(data|blob):/.test(request.url())) foreign.push(request.url())
  })
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(server.url + path, { waitUntil: 'networkidle' })
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
      const pictures = await picturesOf(page)
      expect(pictures.filter(({ isShown, alt }) => !isShown || alt.length < 20)).toEqual([])
      const links = await page
        .locator('a')
        .evaluateAll((anchors) => anchors.map((anchor) => (anchor as unknown as { href: string }).href))
      const broken: string[] = []
      for (const link of new Set(
        links.map((href) => href.split('#')[0]!).filter((href) => href.startsWith(server.url)),
      )) {
        if (!(await fetch(link)).ok) broken.push(link)
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
    readdirSync(new URL('../../../docs/images', import.meta.url))
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

test('the deprecation of every surface can be found where its documentation link points', async () => {
  const { page } = await open('/docs/deprecations')
  for (const entry of server.registry) expect(await page.locator(`#${entry.id}`).count(), entry.id).toBe(1)
  await page.close()
})

test('the API reference shows every operation and asks nobody else for anything', async () => {
  const { page, foreign, complaints } = await open('/docs/reference/')
  await page.getByText('List error codes').first().waitFor()
  const summaries = server.routes.map(({ schema }) => (schema as { summary: string }).summary)
  for (const summary of summaries)
    expect(await page.getByText(summary, { exact: true }).count(), summary).toBeGreaterThan(0)
  expect(foreign).toEqual([])
  expect(complaints).toEqual([])
  await page.close()
})

test('a page that does not exist is the envelope, like everything else', async () => {
  const response = await fetch(`${server.url}/docs/nope`)
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ error: { code: 'not_found' } })
})
