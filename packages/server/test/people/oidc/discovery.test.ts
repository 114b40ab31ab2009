import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { authorizationUrl, discoverProvider, type Provider, secretsOf } from '../../../src/people/oidc/oidc.ts'
import { createOutbound } from '../../../src/platform/infra/outbound.ts'
import { useOidcProvider } from '../../support/oidc/provider.ts'

const ports = [{ first: 1, last: 65_535 }]
const options = { allowedPorts: ports, dnsServers: undefined, timeoutSeconds: 1 }
const outbound = createOutbound({ ...options, allowedCidrs: ['127.0.0.1/32'] })
const walled = createOutbound({ ...options, allowedCidrs: [] })
afterAll(() => Promise.all([outbound.close(), walled.close()]))

const provider = useOidcProvider('/realms/acme')
beforeEach(provider.reset)
const client = (issuer = provider.issuer) => ({ issuer, clientId: 'weir-client', clientSecret: 'x' })
const document = `/realms/acme/.well-known/openid-configuration`

describe('a provider is not found', () => {
  test('at a private address that is not allowed; it is not even asked', async () => {
    expect(await discoverProvider(walled, client())).toBe('refused_address')
    expect(provider.requests).toEqual([])
  })

  test('where its document names another issuer', async () => {
    provider.metadata = { issuer: 'https://login.example.com' }
    expect(await discoverProvider(outbound, client())).toBe('issuer_mismatch')
  })

  test('where there is no document', async () => {
    expect(await discoverProvider(outbound, client(`${provider.url}/elsewhere`))).toBe('not_found')
  })

  test.each([301, 302, 307])('by following a redirect: %i', async (status) => {
    provider.answers.set(document, () => ({ status, body: '' }))
    expect(await discoverProvider(outbound, client())).toBe('not_found')
  })

  test('in a document that is larger than any provider’s', async () => {
    provider.answers.set(document, () => ({ status: 200, body: `{"a":"${'x'.repeat(300_000)}"}` }))
    expect(await discoverProvider(outbound, client())).toBe('unreachable')
  })

  test('in a document that is not JSON', async () => {
    provider.answers.set(document, () => ({ status: 200, type: 'text/html', body: '<html>' }))
    expect(await discoverProvider(outbound, client())).toBe('not_found')
  })

  test.each(['authorization_endpoint', 'token_endpoint', 'jwks_uri'])(
    'without %s, or with one that is neither HTTPS nor on this machine',
    async (endpoint) => {
      provider.metadata = { [endpoint]: undefined }
      expect(await discoverProvider(outbound, client())).toBe('incomplete')
      provider.metadata = { [endpoint]: 'http://login.example.com/x' }
      expect(await discoverProvider(outbound, client())).toBe('incomplete')
      provider.metadata = { [endpoint]: 'javascript:alert(1)' }
      expect(await discoverProvider(outbound, client())).toBe('incomplete')
    },
  )

  test('where nobody answers', async () => {
    expect(await discoverProvider(outbound, client('http://127.0.0.1:1'))).toBe('unreachable')
  })
})

describe('a person is sent to a provider', () => {
  const sentTo = async (metadata = {}) => {
    provider.metadata = metadata
    const found = (await discoverProvider(outbound, client())) as Provider
    const redirectUri = 'https://weir.example.com/sso/callback/sso_1'
    return authorizationUrl(found, secretsOf('of-the-browser'), { redirectUri })
  }

  test('by the code flow, with state, nonce and PKCE, to one address of ours', async () => {
    const { origin, pathname, searchParams } = await sentTo()
    expect(origin + pathname).toBe(`${provider.issuer}/authorize`)
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'weir-client',
      response_type: 'code',
      response_mode: 'query',
      scope: 'openid email profile',
      redirect_uri: 'https://weir.example.com/sso/callback/sso_1',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
  })

  test.each([[['plain']], [[]], [undefined]])(
    'with PKCE by S256 even where a provider announces %j',
    async (methods) => {
      const { searchParams } = await sentTo({ code_challenge_methods_supported: methods })
      expect(searchParams.get('code_challenge_method')).toBe('S256')
      expect(searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/)
    },
  )
})

test('the secrets of a sign-in follow from the browser’s, and differ from each other', () => {
  const all = [secretsOf('a'), secretsOf('b')]
  expect(secretsOf('a')).toEqual(all[0])
  const values = all.flatMap(({ state, nonce, codeVerifier }) => [state, nonce, codeVerifier])
  expect(new Set(values).size).toBe(6)
})
