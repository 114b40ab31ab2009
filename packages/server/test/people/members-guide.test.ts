import { beforeAll, expect, test } from 'vitest'
import { readGuide, runCommands } from '../support/guide.ts'
import { useServer } from '../support/harness.ts'
import { signInAsMember } from '../support/sessions.ts'
import { keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** The guide to people, followed word by word. */
const server = useServer()
let acme: Tenant
beforeAll(async () => {
  acme = await tenantOf(server, (await operatorOf(server)).key)
})

const { blocks } = readGuide('people')

test('its commands invite somebody, lower them, remove them, and keep a key for another', async () => {
  const organization = { orgId: acme.id, key: acme.key }
  const other = await signInAsMember(server.url, organization, { email: 'grace@acme.example', role: 'admin' })
  const agent = await keyOf(server, acme.id, { role: 'service', scopes: ['runs:write'] })
  const printed = await runCommands(blocks.join('\n'), {
    WEIR: server.url,
    ORG: acme.id,
    KEY: acme.key,
    KEY_ID: agent.id,
    OTHER_MEMBER_ID: other.memberId,
  })
  expect(blocks).toHaveLength(3)
  expect(printed).toMatch(/\/console\/signin\?code=weirlink_/)
  expect(printed).toContain('"status": "invited"')
  expect(printed).toContain('"role":"viewer"')
  expect(printed.endsWith(other.memberId)).toBe(true)
})
