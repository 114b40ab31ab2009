import { readFileSync } from 'node:fs'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expressionFunctions, expressionMethods, expressionVariables } from '../../src/console/rules/rule-vocabulary.ts'
import { useBrowser } from '../support/browser.ts'
import { useConsole } from '../support/console.ts'

/** The editor of expressions in a real browser, under the policy of the page. */
const { server, owner, ask } = useConsole()
const chromium = useBrowser()
const found: string[] = []
const contexts: { close: () => Promise<void> }[] = []

async function openEditor(path = '/console/rules/new', options: BrowserContextOptions = {}): Promise<Page> {
  const context = await chromium.browser.newContext({ viewport: { width: 1200, height: 900 }, ...options })
  contexts.push(context)
  const [name = '', value = ''] = owner.session.cookie.split(/=(.*)/s)
  await context.addCookies([{ name, value, url: server.url }])
  await context.exposeFunction('noteViolation', (what: string) => found.push(what))
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
      const { noteViolation } = window as unknown as { noteViolation: (what: string) => void }
      noteViolation(`${violatedDirective} ${blockedURI} ${sample}`)
    })
  })
  const page = await context.newPage()
  page.on('pageerror', (error) => found.push(error.message))
  await page.goto(server.url + path)
  return page
}

let page: Page
beforeAll(async () => {
  page = await openEditor()
  await page.locator('.editor .cm-content').waitFor()
})
afterAll(async () => {
  for (const context of contexts) await context.close()
})

const content = () => page.locator('.editor .cm-content')
const field = () => page.locator('#f-expression').inputValue()

async function write(text: string) {
  await content().click()
  await page.keyboard.press('ControlOrMeta+A')
  if (text === '') await page.keyboard.press('Delete')
  else await page.keyboard.insertText(text)
}

test('completes variables, and what can follow them', async () => {
  const options = page.locator('.editor .cm-tooltip-autocomplete li')
  // The list takes no key in its first moments, so that nobody chooses by accident: a key that came too early is a new line.
  await expect
    .poll(async () => {
      await write('')
      await page.keyboard.type('run.dep')
      await options.filter({ hasText: 'run.department_id' }).waitFor()
      await page.waitForTimeout(200)
      await page.keyboard.press('Enter')
      return await field()
    })
    .toBe('run.department_id')
  await write('run.model')
  await page.keyboard.type('.starts')
  await options.filter({ hasText: 'startsWith' }).waitFor()
  expect(await options.allTextContents()).not.toContain('run.model')
  await page.keyboard.press('Escape')
})

test('colours what it knows, and writes all of it into the field of the form', async () => {
  await write('// why\nrun.model == "o1" && size(run.tags) > 3')
  await expect.poll(field).toBe('// why\nrun.model == "o1" && size(run.tags) > 3')
  const colours = await page
    .locator('.editor .cm-line span')
    .evaluateAll((spans) => spans.map((span) => `${span.textContent} ${getComputedStyle(span).color}`))
  const colourOf = (text: string) => colours.find((one) => one.startsWith(`${text} `))?.slice(text.length + 1)
  const different = ['// why', 'run', '"o1"', 'size', '3'].map(colourOf)
  expect(different).not.toContain(undefined)
  expect(new Set(different).size).toBe(different.length)
})

test('what is typed over coloured text replaces it, and the policy blocks nothing', async () => {
  await write('run.model == "o1"')
  await expect.poll(() => page.locator('.editor .cm-line span').count()).toBeGreaterThan(2)
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('size(run.tags) > 3')
  await expect.poll(field).toBe('size(run.tags) > 3')
  await page.keyboard.press('Escape')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('(')
  await expect.poll(field).toBe('(size(run.tags) > 3)')
  await page.keyboard.press('ControlOrMeta+Z')
  await expect.poll(field).toBe('size(run.tags) > 3')
  expect(found).toEqual([])
})

test('marks a mistake where the API finds it, and no longer once it is mended', async () => {
  await write('run.model == "a"\n  && run.departmnt_id != "b"')
  const mark = page.locator('.editor .cm-lintRange-error')
  await mark.waitFor()
  expect(await mark.textContent()).toMatch(/^\.?departmnt_id$|^run$/)
  const said = page.locator('.editor + p[role=status]')
  await expect.poll(() => said.textContent()).toMatch(/^Line 2, column \d+: /)
  await write('run.model == "a"\n  && run.department_id != "b"')
  await expect.poll(() => mark.count()).toBe(0)
  await expect.poll(() => said.textContent()).toBe('')
})

test('keys of the page do nothing while somebody types, and Tab goes on', async () => {
  await write('')
  const before = page.url()
  await page.keyboard.type('n ? / j')
  expect(page.url()).toBe(before)
  expect(await page.locator('#keys:popover-open, #jump:popover-open').count()).toBe(0)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('effect')
  await page.getByText('It is about runs where').click()
  expect(await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.className)).toContain(
    'cm-content',
  )
})

test('what it shows is what the form sends, and the field works without script', async () => {
  await write('run.workflow_id == "edited"')
  await page.locator('#f-name').fill('From the editor')
  await page.locator('#f-reason').fill('Because.')
  await page.getByRole('button', { name: /^Create|^Save/ }).click()
  await page.waitForURL(/\/console\/rules\/rul_/)
  const { json } = await ask('GET', '/policies')
  expect(json['data']).toMatchObject([{ name: 'From the editor', expression: 'run.workflow_id == "edited"' }])
  const plain = await openEditor('/console/rules/new', { javaScriptEnabled: false })
  await plain.locator('#f-expression').fill('true')
  expect(await plain.locator('#f-expression').isVisible()).toBe(true)
})

test('is loaded where a rule is written only, and nothing of it from elsewhere', async () => {
  const other = await openEditor('/console')
  const requested: string[] = []
  other.on('request', (request) => requested.push(request.url()))
  await other.goto(`${server.url}/console/rules`, { waitUntil: 'load' })
  expect(requested.filter((url) => /editor/.test(url))).toEqual([])
  await other.goto(`${server.url}/console/rules/new`)
  await other.locator('.editor .cm-content').waitFor()
  expect(requested.some((url) => url.endsWith('/console/editor/codemirror-view.js'))).toBe(true)
  expect(requested.filter((url) => !url.startsWith(`${server.url}/`))).toEqual([])
  expect((await owner.openConsole('/console/editor/package.js')).status).toBe(404)
  const { status } = await fetch(`${server.url}/console/editor/codemirror-view.js`, {
    headers: { 'if-none-match': (await fetch(`${server.url}/console/editor/codemirror-view.js`)).headers.get('etag')! },
  })
  expect(status).toBe(304)
})

test('nothing that it does is blocked by the policy of the page', async () => {
  expect(found).toEqual([])
  // What is blocked would have been noticed.
  await page.evaluate(() => document.body.setAttribute('style', 'color: red'))
  await expect.poll(() => found.join()).toContain('style-src')
})

test('the words that it completes are those of the guide', () => {
  const guide = readFileSync(new URL('../../../../docs/policy-expressions.md', import.meta.url), 'utf8')
  const [, asked = '', written = ''] =
    /## What you can ask about(.*)## What you can write(.*)## What is refused/s.exec(guide) ?? []
  const documented = [...asked.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([\w.]+)`/g)].map(([, name]) => name),
  )
  expect(expressionVariables.map(({ name }) => name)).toEqual(documented)
  const called = [...written.matchAll(/^\| (`(?:\\\||[^|])*) \|/gm)].map(([, cell]) => cell).join(' ')
  const methods = new Set([...called.matchAll(/\.(\w+)\(/g)].map(([, name]) => name))
  const functions = new Set([...called.matchAll(/(?<![.\w])(\w+)\(/g)].map(([, name]) => name))
  expect(new Set(expressionMethods.map(({ name }) => name))).toEqual(methods)
  expect(new Set(expressionFunctions.map(({ name }) => name))).toEqual(functions)
})
