import { beforeAll, expect, test } from 'vitest'
import { samlRefusals } from '../../../src/people/saml/saml.ts'
import { readGuide, runCommands } from '../../support/guide.ts'
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

const { text: guide, blocks } = readGuide('sso-saml')

test('its commands connect a provider, test it, and take a new certificate over', async () => {
  const printed = await runCommands(blocks.join('\n'), {
    WEIR: server.url,
    ORG: acme.id,
    KEY: acme.key,
    METADATA_URL: provider.entityId,
  })
  expect(blocks).toHaveLength(3)
  expect(printed).toMatch(/"acs_url": ".*\/saml\/acs\/sso_\w+"/)
  expect(printed).toContain('"ok": true')
  expect(printed.endsWith('1')).toBe(true)
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
