import { beforeAll, expect, test } from 'vitest'
import { useBrowser } from '../support/browser.ts'
import { useServer } from '../support/harness.ts'
import { eventually } from '../support/processes.ts'
import { signIn, signInAsMember, type TestSession } from '../support/sessions.ts'
import { botToken, interact, pressBody, signed, signingSecret, slackEnvironment, useSlack } from '../support/slack.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** The pages about Slack in a real browser: an owner sets the app up, a member links themselves. */

const slack = useSlack()
const server = useServer({ environment: slackEnvironment })
const chromium = useBrowser()
let tenant: Tenant
beforeAll(async () => {
  Object.assign(server.platform.config, { slackApiUrl: `${slack.url}/api` })
  tenant = await tenantOf(server, (await operatorOf(server)).key)
})

async function browserOf({ cookie }: TestSession) {
  const context = await chromium.browser.newContext({ viewport: { width: 1280, height: 1100 } })
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url: server.url }])
  return context.newPage()
}

const shots = process.env['WEIR_SHOTS']

test('an owner copies the manifest, enters the secrets, tries the app; a member links themselves and ends it', async () => {
  const page = await browserOf(await signIn(server.url, tenant.key))
  await page.goto(`${server.url}/console/settings/slack`)
  await page.getByRole('heading', { name: 'First make the app in Slack' }).waitFor()
  if (shots) await page.screenshot({ path: `${shots}/slack-new.png`, fullPage: true })
  const manifest = JSON.parse((await page.getByRole('region', { name: 'the manifest' }).textContent()) ?? '') as {
    settings: { interactivity: { request_url: string } }
  }
  expect(manifest.settings.interactivity.request_url).toContain(`/slack/${tenant.id}/interactions`)
  await page.getByLabel('Signing secret').fill(signingSecret)
  await page.getByLabel('Bot token').fill('xoxp-wrong')
  await page.getByLabel('Channel').fill('C0123456789')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#f-bot_token[aria-invalid]').waitFor()
  await page.getByLabel('Signing secret').fill(signingSecret)
  await page.getByLabel('Bot token').fill(botToken)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. Try it').waitFor()
  expect(await page.content()).not.toContain(signingSecret)
  await page.getByRole('button', { name: 'Send a test message' }).click()
  await page.getByText('A message is in the channel of Acme').waitFor()
  expect(slack.messages).toHaveLength(1)

  const email = 'ada@acme.example'
  const ada = await signInAsMember(server.url, { orgId: tenant.id, key: tenant.key }, { email, role: 'admin' })
  const user = slack.join(email)
  const body = pressBody({ user, action: 'link', value: 'link', responseUrl: `${slack.url}/respond/1` })
  expect((await interact(server.url, tenant.id, body, signed(body))).status).toBe(200)
  await eventually(() => slack.answersAt('/respond/1').length > 0)
  const link = /<([^|>]+code=[^|>]+)\|/.exec(String(slack.answersAt('/respond/1')[0]?.['text']))?.[1] ?? ''
  const path = new URL(link).pathname + new URL(link).search
  const hers = await browserOf(ada)
  await hers.goto(server.url + path)
  await hers.getByRole('heading', { name: 'Link this Slack user to you?' }).waitFor()
  expect(await hers.getByText(user).count()).toBe(1)
  if (shots) await hers.screenshot({ path: `${shots}/slack-link.png`, fullPage: true })
  await hers.getByRole('button', { name: 'Link to me' }).click()
  await hers.getByText('Linked. Go back to Slack').waitFor()
  if (shots) await hers.screenshot({ path: `${shots}/slack-linked.png`, fullPage: true })
  // The link of before says that it was used.
  await hers.goto(server.url + path)
  await hers.getByText('This link was used').waitFor()

  await page.goto(`${server.url}/console/settings/slack`)
  await page.getByText(user).waitFor()
  if (shots) await page.screenshot({ path: `${shots}/slack-set.png`, fullPage: true })
  await page.getByRole('button', { name: 'End the link' }).click()
  await page.getByText('decides nothing any more').waitFor()
  await hers.goto(`${server.url}/console/slack-link`)
  await hers.getByText('You are not linked').waitFor()
  await page.getByRole('link', { name: 'Remove the app' }).click()
  await page.getByRole('button', { name: 'Remove the app' }).click()
  await page.getByRole('heading', { name: 'First make the app in Slack' }).waitFor()
  const { json } = await call(server.url, 'GET', `/v1/orgs/${tenant.id}/slack-app`, { key: tenant.key })
  expect(json['channel']).toBeNull()
})
