import { expect, test } from 'vitest'
import { useConsole, visitAsMember, visitWithKey } from '../support/console.ts'
import { call, keyOf, tenantOf } from '../support/tenants.ts'

const { server, operator, tenant, owner, ask } = useConsole({
  environment: { SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' },
})

const path = '/console/deprecations'
const forecast = (key: string) => call(server.url, 'GET', '/v1/forecast', { key })

test('says of everything that is deprecated what it is, until when, what to use, and that nobody does', async () => {
  const { text, html } = await owner.openConsole(path)
  expect(text).toContain('Nobody here uses anything that is deprecated.')
  expect(text.match(/Nobody has called it in the last 30 days/g)).toHaveLength(3)
  expect(text).toContain('No webhook is signed in this way.')
  expect(text).toMatch(/GET \/v1\/forecast .*Use instead GET \/v1\/capacity\/forecasts/)
  expect(text).toContain('31 Dec 2036, 23:59, in ')
  expect(html).toContain(`$WEIR/v1/orgs/${tenant.id}/webhooks/$SUB_ID/signing/rotate`)
})

test('names the keys, members and webhooks of the organization that still use it, and leads to them', async () => {
  const made = await ask('POST', '/keys', { name: 'Report <b>bot</b>', role: 'viewer', scopes: ['forecasts:read'] })
  const { id, secret } = made.json as { id: string; secret: string }
  for (let i = 0; i < 3; i++) await forecast(secret)
  const mei = await visitAsMember(server.url, tenant, 'viewer', 'mei@example.com')
  await fetch(`${server.url}/v1/forecast`, { headers: { cookie: mei.session.cookie } })
  const { json } = await ask('POST', '/webhooks', { url: 'https://127.0.0.1/hook' })
  const neighbour = await tenantOf(server, operator.key, 'Neighbour')
  const foreign = await keyOf(server, neighbour.id)
  await forecast(foreign.key)

  const shown = async () => (await owner.openConsole(path)).text
  await expect.poll(shown).toMatch(/Report <b>bot<\/b> key_\S+ 3 /)
  await expect.poll(shown).toContain('mei@example.com')
  const page = await owner.openConsole(path)
  expect(page.text).toContain('2 callers of deprecated routes, 1 webhook signed with the old scheme.')
  expect(page.html).not.toContain('<b>bot')
  expect(page.html).not.toContain(foreign.id)
  const targets = page.links.map(({ href }) => href)
  const own = [`/console/keys/${id}`, `/console/members/${mei.memberId}`, `/console/webhooks/${String(json['id'])}`]
  expect(targets).toEqual(expect.arrayContaining([...own, `${own[2]}/rotate`]))
})

test('shows a viewer what is deprecated, and no caller', async () => {
  const viewer = await visitAsMember(server.url, tenant, 'viewer')
  const { status, text, links } = await viewer.openConsole(path)
  expect([status, text.includes('3 routes are deprecated.'), text.includes('those who may see keys')]).toEqual([
    200,
    true,
    true,
  ])
  expect(text).toContain('GET /v1/forecast')
  expect(links.filter(({ href }) => /\/console\/(keys|webhooks)\//.test(href))).toEqual([])
})

test('shows an operator the list alone, and carries no sign of a deprecated API itself', async () => {
  const page = await (await visitWithKey(server.url, operator.key)).openConsole(path)
  expect(page.text).toMatch(/GET \/v1\/forecast \/v1\/capacity\/forecasts/)
  expect(page.text).not.toContain('Report')
  expect([page.headers.get('deprecation'), page.headers.get('sunset')]).toEqual([null, null])
})
