import { existsSync, mkdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Browser, chromium, type Page } from 'playwright-core'
import { fillOrganization } from '../test/support/console-organization.ts'
import { signIn } from '../test/support/sessions.ts'
import { call } from '../test/support/tenants.ts'

const usage = `Usage: node packages/server/scripts/console-pictures.ts --url URL --operator-key KEY --to FOLDER [--guide]

Makes a new organization with everything in it on a running installation, such as that of \`SVC_SSO_ALLOWED_CIDRS=127.0.0.0/8 pnpm dev\`, and pictures of all pages that its
navigation names, at 360, 768 and 1440 px, light and dark; with --guide those of the documentation, under the names that they have in docs/images.`

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    'operator-key': { type: 'string' },
    to: { type: 'string' },
    guide: { type: 'boolean' },
  },
})
const { url, 'operator-key': operator, to, guide } = values
if (url === undefined || operator === undefined || to === undefined) {
  console.error(usage)
  process.exit(2)
}

const { json } = await call(url, 'POST', '/v1/admin/orgs', { key: operator, body: { name: 'Northwind Logistics' } })
const { id, owner_key: owner } = json as unknown as { id: string; owner_key: { id: string; secret: string } }
const tenant = { id, key: owner.secret, keyId: owner.id }
const { ids } = await fillOrganization(url, { operator, tenant, nowMs: Date.now() }, (plain) => plain)
const { cookie } = await signIn(url, tenant.key)
mkdirSync(to, { recursive: true })

type Scheme = 'light' | 'dark'

/** Opens a browser window that is signed in. */
async function windowAt(browser: Browser, width: number, height: number, colorScheme: Scheme): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme })
  const [name = '', value = ''] = cookie.split(/=(.*)/s)
  await context.addCookies([{ name, value, url: url! }])
  return context.newPage()
}

/** Pictures of the documentation: name, path, and the size of the window. */
const pictures: readonly (readonly [string, string, number, number, Scheme])[] = [
  ['overview-light', '/console', 1440, 1080, 'light'],
  ['overview-dark', '/console', 1440, 1080, 'dark'],
  ['budgets-light', '/console/budgets', 1440, 760, 'light'],
  ['refusals-light', '/console/refusals?error_code=budget_exceeded', 1440, 900, 'light'],
  ['usage-light', '/console/usage', 1440, 900, 'light'],
  ['rule-test-dark', `/console/rules/${ids['shadow-rule']}/switch-on`, 1440, 900, 'dark'],
  ['run-light', `/console/runs/${ids['run']}`, 1440, 900, 'light'],
  ['approvals-phone-dark', '/console/approvals', 360, 780, 'dark'],
]

async function takeGuidePictures(browser: Browser) {
  for (const [name, path, width, height, scheme] of pictures) {
    const page = await windowAt(browser, width, height, scheme)
    await page.goto(url + path)
    // What a page did not wait for is there when it is loaded again.
    await page.waitForTimeout(4_000)
    await page.reload()
    await page.screenshot({ path: `${to}/console-${name}.png` })
    console.log(`console-${name}.png`)
    await page.context().close()
  }
}

async function takeAllPictures(browser: Browser) {
  for (const width of [360, 768, 1440])
    for (const scheme of ['light', 'dark'] as const) {
      const page = await windowAt(browser, width, 900, scheme)
      await page.goto(`${url}/console`)
      const links = await page
        .locator('#nav a.item')
        .evaluateAll((list) => list.map((link) => link.getAttribute('href')))
      for (const path of links) {
        await page.goto(`${url}${path}`)
        const file = `${path?.replace(/^\/console\/?/, '').replaceAll('/', '-') || 'overview'}-${width}-${scheme}.png`
        await page.screenshot({ path: `${to}/${file}`, fullPage: true })
        console.log(file)
      }
      await page.context().close()
    }
}

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] })
await (guide ? takeGuidePictures : takeAllPictures)(browser)
await browser.close()
