import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** A manner of going through the console: whether scripts run, and what somebody holds in their hand. */
export interface Manner {
  readonly name: string
  readonly hasScripts: boolean
  readonly isKeyboardOnly: boolean
}

export const manners: readonly Manner[] = [
  { name: 'with JavaScript', hasScripts: true, isKeyboardOnly: false },
  { name: 'without JavaScript', hasScripts: false, isKeyboardOnly: false },
  { name: 'by keyboard alone', hasScripts: true, isKeyboardOnly: true },
]

type Name = string | RegExp
type Role = 'link' | 'button'

/** Somebody who goes through the console in a real browser, and notes whatever is blocked or fails on the way. */
export interface Traveller {
  readonly page: Page
  readonly context: BrowserContext
  /** Opens an address by hand, as from a bookmark. */
  readonly open: (path: string) => Promise<void>
  /** Presses a link or a button of the page's main part. */
  readonly press: (role: Role, name: Name) => Promise<void>
  /** Goes to a page by the navigation. */
  readonly goTo: (name: string) => Promise<void>
  /** Writes into a field, in place of what stands there. */
  readonly write: (label: string, text: string) => Promise<void>
  /** Chooses an option of a list. */
  readonly choose: (label: string, option: string) => Promise<void>
  /** Waits until the main part says something. */
  readonly sees: (text: Name) => Promise<void>
  /** Waits for a link or button that comes by itself; where no scripts run, the page is loaded again and again. */
  readonly awaits: (role: Role, name: Name) => Promise<void>
  /** Number of presses of links and buttons so far. */
  readonly presses: () => number
  /** Lets one answer with this status pass, which would otherwise be a fault. */
  readonly expects: (status: number) => void
  /** Ends the visit; nothing must have been blocked, and nothing have failed. */
  readonly end: () => Promise<void>
}

/** A limit ends what hangs; a machine that pauses is no fault of a page. */
const waitMs = 100_000
const maxTabs = 250

/** Sets out for the console. `size` is that of the screen; a small one is touched. */
export async function setOut(
  browser: Browser,
  url: string,
  { hasScripts, isKeyboardOnly }: Manner,
  { width, height } = { width: 1280, height: 900 },
): Promise<Traveller> {
  const isPhone = width < 600
  const context = await browser.newContext({
    viewport: { width, height },
    javaScriptEnabled: hasScripts,
    hasTouch: isPhone,
    isMobile: isPhone,
    acceptDownloads: true,
  })
  const faults: string[] = []
  const expected: number[] = []
  let pressed = 0
  const page = await context.newPage()
  noteFaults(page, faults, expected)

  const main = page.locator('main')
  const within = (role: Role, name: Name) =>
    main.getByRole(role, { name, ...(typeof name === 'string' && { exact: true }) }).first()

  /** The field with a label, which may say that it is optional. */
  const labelled = (label: string) =>
    main
      .getByLabel(new RegExp(`^${label}(\\s*optional)?$`))
      .and(page.locator(':not([aria-hidden])'))
      .first()
  /** Fields of text over which a script puts an editor. */
  const editors = main.locator('textarea[data-words]')
  const shown = (text: Name) => main.getByText(text).filter({ visible: true }).first()

  /** Presses a part of the page: with the finger, the mouse, or Tab and Enter. */
  async function activate(target: Locator) {
    pressed += 1
    await target.waitFor({ timeout: waitMs })
    if (isKeyboardOnly) {
      await tabTo(page, target)
      await page.keyboard.press('Enter')
    } else await (isPhone ? target.tap() : target.click())
    await page.waitForLoadState()
  }

  return {
    page,
    context,
    open: async (path) => {
      await page.goto(url + path)
    },
    press: (role, name) => activate(within(role, name)),
    goTo: (name) => activate(page.locator('#nav').getByRole('link', { name, exact: true })),
    write: async (label, text) => {
      if (hasScripts && (await editors.count()) > 0) await page.locator('.cm-content').waitFor({ timeout: waitMs })
      const field = labelled(label)
      const isEditor = await field.evaluate((element) => element instanceof HTMLElement && element.isContentEditable)
      if (!isKeyboardOnly && !isEditor) return field.fill(text)
      await (isKeyboardOnly ? tabTo(page, field) : field.click())
      await page.keyboard.press('Control+a')
      await page.keyboard.type(text)
      expect(await (isEditor ? editors : field).inputValue()).toBe(text)
    },
    choose: async (label, option) => {
      const list = labelled(label)
      if (isKeyboardOnly) {
        await tabTo(page, list)
        await page.keyboard.type(option)
      } else await list.selectOption({ label: option })
      expect(await list.locator('option:checked').textContent()).toBe(option)
    },
    sees: (text) => shown(text).waitFor({ timeout: waitMs }),
    awaits: async (role, name) => {
      const target = within(role, name)
      if (hasScripts) return target.waitFor({ timeout: waitMs })
      await expect
        .poll(async () => (await page.reload(), target.isVisible()), { timeout: waitMs, interval: 500 })
        .toBe(true)
    },
    presses: () => pressed,
    expects: (status) => void expected.push(status),
    end: async () => {
      await context.close()
      expect({ faults, expected }).toEqual({ faults: [], expected: [] })
    },
  }
}

const isQuestion = (url: string) => url.endsWith('/policies/evaluate')

/** Notes violations of the content security policy, errors of scripts, refused answers and requests that fail. */
function noteFaults(page: Page, faults: string[], expected: number[]) {
  page.on('pageerror', ({ message }) => faults.push(`error: ${message}`))
  page.on('response', (response) => {
    const status = response.status()
    // The editor of rules asks the API what is wrong with a draft.
    if (status < 400 || isQuestion(response.url())) return
    const place = expected.indexOf(status)
    if (place < 0) faults.push(`${status} ${response.url()}`)
    else expected.splice(place, 1)
  })
  page.on('console', (message) => {
    // The browser repeats refused answers there, which are noted above.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(`console: ${message.text()}`)
  })
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? ''
    // The page is left while it listens or loads its icon, or the answer is a file that is kept.
    const isLeft =
      reason === 'net::ERR_ABORTED' &&
      (/\/console\/live$|\.csv|\/icon\.svg$/.test(request.url()) || isQuestion(request.url()))
    if (!isLeft) faults.push(`failed: ${request.url()} ${reason}`)
  })
}

/** Presses Tab until a part of the page has the focus, which must be seen on it. */
async function tabTo(page: Page, target: Locator) {
  const state = () =>
    target.evaluate((element) => {
      const isRadio = element instanceof HTMLInputElement && element.type === 'radio'
      const root = element.getRootNode()
      const active = root instanceof ShadowRoot ? root.activeElement : document.activeElement
      const isHere =
        element === active || (isRadio && active instanceof HTMLInputElement && active.name === element.name)
      if (!isHere || active === null) return 'elsewhere'
      const host = root instanceof ShadowRoot ? root.host.parentElement : active.parentElement
      const looks = [active, host].flatMap((one) => (one ? [getComputedStyle(one)] : []))
      const isMarked = looks.some(({ outlineStyle, boxShadow }) => outlineStyle !== 'none' || boxShadow !== 'none')
      return isMarked ? 'here' : 'unmarked'
    })
  const isInMain = (await target.and(page.locator('#nav *')).count()) === 0
  for (let tabs = 0; tabs < maxTabs; tabs++) {
    const now = await state()
    // Whoever has just come to a page skips its navigation.
    const isAtSkip = isInMain && (await page.locator('a.skip:focus').count()) > 0
    if (isAtSkip) await page.keyboard.press('Enter')
    if (now === 'here') return
    if (now === 'unmarked') throw new Error(`Nobody sees that ${await target.innerText()} has the focus`)
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never comes to ${await target.innerText()} on ${page.url()}`)
}
