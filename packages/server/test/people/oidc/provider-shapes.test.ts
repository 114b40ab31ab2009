import { afterAll, describe, expect, test } from 'vitest'
import { authorizationUrl, discoverProvider, secretsOf, verifyCallback } from '../../../src/people/oidc/oidc.ts'
import { roleOf } from '../../../src/people/role-rules/role-rules.ts'
import { createOutbound } from '../../../src/platform/infra/outbound.ts'
import { useOidcProvider } from '../../support/oidc/provider.ts'
import { providerShapes } from '../../support/oidc/shapes.ts'

const outbound = createOutbound({
  allowedCidrs: ['127.0.0.1/32'],
  allowedPorts: [{ first: 1, last: 65_535 }],
  dnsServers: undefined,
  timeoutSeconds: 5,
})
afterAll(() => outbound.close())

describe.each(Object.entries(providerShapes))('a provider shaped as %s', (_, shape) => {
  const provider = useOidcProvider(shape.path)
  const redirectUri = 'https://weir.example.com/sso/callback/sso_1'

  test('is found, and signs somebody in', async () => {
    provider.metadata = shape.metadata(provider.url)
    const { issuer, clientId, clientSecret } = provider
    const found = await discoverProvider(outbound, { issuer, clientId, clientSecret })
    if (typeof found === 'string') throw new Error(found)
    const secrets = secretsOf('of-the-browser')
    const { searchParams } = provider.answerTo(authorizationUrl(found, secrets, { redirectUri }), shape.claims)
    const callback = { parameters: searchParams, redirectUri, provider: found, secrets, now: new Date() }
    const outcome = await verifyCallback(callback)
    const { email, isEmailVerified, claims } = shape
    expect(outcome).toMatchObject({ subject: { subject: claims['sub'], email, isEmailVerified, name: 'Ada Lovelace' } })
    const signed = 'subject' in outcome ? outcome.subject.claims : {}
    expect(roleOf([shape.rule], null, signed)).toBe('admin')
    expect(roleOf([{ ...shape.rule, values: ['another'] }], null, signed)).toBe(null)
  })
})

describe('Entra ID', () => {
  const provider = useOidcProvider('/common/v2.0')
  test('is not found under its shared issuer, which any tenant of anybody could use', async () => {
    provider.metadata = { issuer: `${provider.url}/{tenantid}/v2.0` }
    const { issuer, clientId, clientSecret } = provider
    expect(await discoverProvider(outbound, { issuer, clientId, clientSecret })).toBe('issuer_mismatch')
  })
})
