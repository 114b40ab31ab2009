import { inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { makeAuthnRequest } from '../../../src/people/saml/saml.ts'
import { connection } from '../../support/saml/answers.ts'

const settings = { ...connection, ssoUrl: 'https://idp.example.com/sso?tenant=1' }

test('a request names us, its destination and where the answer goes, and asks for nothing that a provider could lack', async () => {
  const requestId = '_key-1.YWJj.ZGVm'
  const url = await makeAuthnRequest(settings, requestId, 'token-1')
  const { origin, pathname, searchParams } = new URL(url)
  expect(origin + pathname).toBe('https://idp.example.com/sso')
  expect([...searchParams.keys()]).toEqual(['tenant', 'SAMLRequest', 'RelayState'])
  expect(searchParams.get('RelayState')).toBe('token-1')
  const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString()
  expect(xml).toContain(`ID="${requestId}"`)
  expect(xml).toContain(`Destination="${settings.ssoUrl}"`)
  expect(xml).toContain(`AssertionConsumerServiceURL="${connection.acsUrl}"`)
  expect(xml).toContain(`>${connection.spEntityId}</saml:Issuer>`)
  expect(xml).not.toContain('RequestedAuthnContext')
  expect(xml).not.toContain('Format=')
})

test.each(['', '1', 'a b', '_"', `_${'x'.repeat(255)}`])(
  '%j is no id that XML and providers take',
  async (requestId) => {
    await expect(makeAuthnRequest(settings, requestId, 'x')).rejects.toThrow('XML')
  },
)

test('a name with markup in it stays a name', async () => {
  const named = { ...settings, spEntityId: 'https://weir.example.com/?a=1&b="<x/>' }
  const url = await makeAuthnRequest(named, '_1', 'x')
  const xml = inflateRawSync(Buffer.from(new URL(url).searchParams.get('SAMLRequest') ?? '', 'base64')).toString()
  expect(xml).not.toContain('<x/>')
})

test.each(['', 'a b', 'https://attacker.example.com/', 'x'.repeat(81)])(
  '%j is no token to send along',
  async (relayState) => {
    await expect(makeAuthnRequest(settings, '_1', relayState)).rejects.toThrow('relay state')
  },
)
