import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { samlRefusals } from '../../../src/people/saml/saml.ts'
import { useServer } from '../../support/harness.ts'
import { useSamlProvider } from '../../support/saml/provider.ts'
import { operatorOf, type Tenant, tenantOf } from '../../support/tenants.ts'

/** The guide to SAML, followed word by word. */
const provider = useSamlProvider()
const server = useServer({
  environment: { SVC_SSO_ALLOWED_CIDRS: '127.0.0.1/32', SVC_SSO_ALLOWED_PORTS: '1-65535' },
})
let acme: Tenant
beforeAll(async () => {
  acme = await tenantOf(server, (await operatorOf(server)).key)
})

const guide = readFileSync(new URL('../../../../../docs/sso-saml.md', import.meta.url), 'utf8')
const blocks = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block ?? '')

test('its commands connect a provider, test it, and take a new certificate over', async () => {
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', blocks.join('\n')], {
    env: {
      PATH: process.env['PATH'] ?? '',
      WEIR: server.url,
      ORG: acme.id,
      KEY: acme.key,
      METADATA_URL: provider.entityId,
    },
  })
  expect(blocks).toHaveLength(3)
  expect(stdout).toMatch(/"acs_url": ".*\/saml\/acs\/sso_\w+"/)
  expect(stdout).toContain('"ok": true')
  expect(stdout.trim().endsWith('1')).toBe(true)
})

test('it names reasons that there are', () => {
  const table = guide.slice(guide.indexOf('| reason | what to do |'))
  const named = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, names]) => [
    ...(names ?? '').matchAll(/`(\w+)`/g),
  ])
  const known = new Set<string>([...Object.keys(samlRefusals), 'subject_unsound', 'request_unknown'])
  expect(named.map(([, name]) => name).filter((name) => !known.has(name ?? ''))).toEqual([])
  expect(named.length).toBeGreaterThan(5)
})
