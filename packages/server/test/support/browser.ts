import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
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
  })
  afterAll(() => handle.browser?.close())
  return handle
}
