import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { useServer } from '../support/harness.ts'
import { signInAsMember } from '../support/sessions.ts'
import { keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** The guide to people, followed word by word. */
const server = useServer()
let acme: Tenant
beforeAll(async () => {
  acme = await tenantOf(server, (await operatorOf(server)).key)
})

const guide = readFileSync(new URL('../../../../docs/people.md', import.meta.url), 'utf8')
const blocks = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block ?? '')

test('its commands invite somebody, lower them, remove them, and keep a key for another', async () => {
  const organization = { orgId: acme.id, key: acme.key }
  const other = await signInAsMember(server.url, organization, { email: 'grace@acme.example', role: 'admin' })
  const agent = await keyOf(server, acme.id, { role: 'service', scopes: ['runs:write'] })
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', blocks.join('\n')], {
    env: {
      PATH: process.env['PATH'] ?? '',
      WEIR: server.url,
      ORG: acme.id,
      KEY: acme.key,
      KEY_ID: agent.id,
      OTHER_MEMBER_ID: other.memberId,
    },
  })
  expect(blocks).toHaveLength(3)
  expect(stdout).toMatch(/\/console\/signin\?code=weirlink_/)
  expect(stdout).toContain('"status": "invited"')
  expect(stdout).toContain('"role":"viewer"')
  expect(stdout.trim().endsWith(other.memberId)).toBe(true)
})
