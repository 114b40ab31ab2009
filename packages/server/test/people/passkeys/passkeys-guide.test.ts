import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openProfile, useBrowser } from '../../support/browser.ts'
import { useServer } from '../../support/harness.ts'
import { addAuthenticator } from '../../support/passkeys/virtual-authenticator.ts'
import { operatorOf, tenantOf } from '../../support/tenants.ts'

/** The guide to passkeys, followed word by word: its command is run, and the buttons that it names are pressed in their order. */
const guide = readFileSync(new URL('../../../../../docs/passkeys.md', import.meta.url), 'utf8')
const server = useServer({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' } })
const chromium = useBrowser()

test('somebody who was invited gets in by the guide, and comes back with a passkey', async () => {
  const { id, key } = await tenantOf(server, (await operatorOf(server)).key)
  const [, command = ''] = /```sh\n([\s\S]*?)```/.exec(guide) ?? []
  const env = { ...process.env, WEIR: server.url, ORG: id, OWNER_KEY: key }
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { env })
  const { invitation } = JSON.parse(stdout) as { invitation: { url: string } }

  const context = await chromium.browser.newContext()
  const page = await context.newPage()
  await addAuthenticator(context, page)
  await page.goto(invitation.url)
  const [, join = ''] = /Whoever was invited\n([\s\S]*?)\n## /.exec(guide) ?? []
  const named = [...join.matchAll(/\*\*(.+?)\*\*/g)].map(([, name]) => name ?? '')
  expect(named).toEqual(['Sign in', 'Add a passkey', 'Show my recovery codes', 'I have kept them', 'Use a passkey'])
  for (const name of named.slice(0, -1))
    await page
      .getByRole('button', { name, exact: true })
      .or(page.getByRole('link', { name, exact: true }))
      .click()
  await page.getByText('Recovery codes left: 10').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: named.at(-1)!, exact: true }).click()
  await openProfile(page)
  await page.getByText('You are signed in as ada@acme.example').waitFor()
  await context.close()
})
