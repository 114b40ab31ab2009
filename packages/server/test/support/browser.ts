import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'

/** A real browser for a test file, that asks nobody for anything by itself. */
export function useBrowser() {
  const handle = { browser: undefined as unknown as Browser }
  beforeAll(async () => {
    const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
    if (!executablePath) throw new Error('Chromium is missing: scripts/debian-packages chromium')
    handle.browser = await chromium.launch({
      executablePath,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    })
    handle.browser.newContext = withPatience(handle.browser.newContext.bind(handle.browser))
  })
  afterAll(() => handle.browser?.close())
  return handle
}

/** A machine that pauses is no fault of a page. */
const patienceMs = 150_000

const withPatience =
  (open: Browser['newContext']): Browser['newContext'] =>
  async (options) => {
    const context = await open(options)
    context.setDefaultTimeout(patienceMs)
    return context
  }

/** Waits until somebody has signed in to the console, and opens their own page. */
export async function openProfile(page: Page) {
  await page.locator('#nav').waitFor({ state: 'attached' })
  await page.goto(new URL('/console/profile', page.url()).href)
  await page.getByRole('heading', { name: 'Your session', exact: true }).waitFor()
}
