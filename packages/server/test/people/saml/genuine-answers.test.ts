import { SAML, ValidateInResponseTo } from '@node-saml/node-saml'
import { describe, expect, test } from 'vitest'
import { makeAuthnRequest, type SamlConnection, verifyAnswer } from '../../../src/people/saml/saml.ts'
import {
  attacker,
  attributeOf,
  connection,
  encoded,
  honest,
  idp,
  now,
  requestId,
  signedAnswer,
  timeAt,
  unsignedAnswer,
} from '../../support/saml/answers.ts'
import { ecIdentity, type Identity, rsaIdentity } from '../../support/saml/certificates.ts'
import { dialects, startIdentityProvider } from '../../support/saml/identity-providers.ts'
import { type SigningOptions, sign, uris } from '../../support/saml/signer.ts'

const claimRequest = async (id: string) => id === requestId
const verify = (xml: string, changes: Partial<SamlConnection> = {}, at = now) =>
  verifyAnswer(encoded(xml), { ...connection, ...changes }, { now: at, claimRequest })
const subject = { nameId: honest, sessionIndex: '_session' }

const expected = {
  Entra: {
    'http://schemas.microsoft.com/identity/claims/tenantid': ['11111111-2222-3333-4444-555555555555'],
    'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups': [
      'aaaaaaaa-0000-0000-0000-000000000001',
      'aaaaaaaa-0000-0000-0000-000000000002',
    ],
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress': ['alice@example.com'],
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname': ['Alice'],
  },
  Okta: { groups: ['Everyone', 'R&D'], email: ['alice@example.com'] },
  Keycloak: { Role: ['offline_access', 'uma_authorization', 'admin'], email: ['alice@example.com'] },
  Google: { Department: [''], Groups: ['Größe & Co'] },
}

describe.each(['Entra', 'Okta', 'Keycloak', 'Google'] as const)('a real provider in the words of %s', (name) => {
  test.each([false, true])('is understood; it signs the response too: %s', async (signsResponse) => {
    const provider = startIdentityProvider(dialects[name].entityId, { signsResponse })
    const url = await makeAuthnRequest(provider.settings, requestId, 'opaque-token')
    const open = new Set([requestId])
    const message = await provider.answer(url, dialects[name], honest)
    const context = { now, claimRequest: async (id: string) => open.delete(id) }
    const outcome = await verifyAnswer(message, provider.settings, context)
    expect(outcome).toMatchObject({
      subject: {
        nameId: honest,
        sessionIndex: '_session-of-samlify',
        format: expect.stringContaining('nameid-format'),
      },
      requestId,
    })
    if (!('subject' in outcome)) throw new Error('refused')
    expect(Object.fromEntries(outcome.subject.attributes)).toEqual(expected[name])
    expect(await verifyAnswer(message, provider.settings, context)).toEqual({ refusal: 'request_unknown' })
    const signatures = Buffer.from(message, 'base64')
      .toString()
      .match(/<ds:Signature /g)
    expect(signatures).toHaveLength(signsResponse ? 2 : 1)
  })
})

test('another reader of SAML takes the answers of our forge too, and reads the same name', async () => {
  const reader = new SAML({
    callbackUrl: connection.acsUrl,
    issuer: connection.spEntityId,
    idpCert: idp.certificate,
    wantAuthnResponseSigned: false,
    validateInResponseTo: ValidateInResponseTo.never,
    acceptedClockSkewMs: -1, // it has a clock of its own
  })
  const { profile } = await reader.validatePostResponseAsync({ SAMLResponse: encoded(signedAnswer()) })
  expect(profile?.nameID).toBe(honest)
  expect(await verify(signedAnswer())).toMatchObject({ subject, requestId })
})

describe('algorithms', () => {
  const p256 = ecIdentity('p256.example.com')
  const p384 = ecIdentity('p384.example.com', 'secp384r1')
  const cases: readonly [string, Identity, Partial<SigningOptions>][] = [
    ['RSA with SHA-256', idp, {}],
    ['RSA with SHA-384', idp, { algorithm: uris.rsaSha384, digest: uris.sha384 }],
    ['RSA with SHA-512', idp, { algorithm: uris.rsaSha512, digest: uris.sha512 }],
    ['RSA-PSS with SHA-256', idp, { algorithm: uris.rsaPss }],
    ['ECDSA on P-256', p256, { algorithm: uris.ecdsaSha256 }],
    ['ECDSA on P-384', p384, { algorithm: uris.ecdsaSha384, digest: uris.sha384 }],
  ]

  test.each(cases)('%s is taken, and only from its own key', async (_, { privateKey, certificate }, options) => {
    const xml = sign(unsignedAnswer(), { key: privateKey, ...options })
    expect(await verify(xml, { certificates: [certificate] })).toMatchObject({ subject })
    const others = [idp, p256, p384, attacker].map((it) => it.certificate).filter((it) => it !== certificate)
    expect(await verify(xml, { certificates: others })).toEqual({ refusal: 'signature_invalid' })
  })

  test('a key for one algorithm is not used for another', async () => {
    const xml = sign(unsignedAnswer(), { key: p256.privateKey, algorithm: uris.rsaSha256 })
    expect(await verify(xml, { certificates: [p256.certificate] })).toEqual({ refusal: 'signature_invalid' })
  })
})

describe('certificates', () => {
  const next = rsaIdentity('next.idp.example.com')

  test('overlap: while both are entered, answers of the old and of the new key are taken', async () => {
    const both = { certificates: [idp.certificate, next.certificate] }
    for (const { privateKey } of [idp, next])
      expect(await verify(sign(unsignedAnswer(), { key: privateKey }), both)).toMatchObject({ subject })
  })

  test('end: once the old one is gone, its answers are refused', async () => {
    expect(await verify(signedAnswer(), { certificates: [next.certificate] })).toEqual({ refusal: 'signature_invalid' })
    expect(await verify(signedAnswer(), { certificates: [] })).toEqual({ refusal: 'signature_invalid' })
  })

  test('that are weak or broken verify nothing', async () => {
    const weak = rsaIdentity('weak.example.com', 1_024)
    const xml = sign(unsignedAnswer(), { key: weak.privateKey })
    expect(await verify(xml, { certificates: [weak.certificate] })).toEqual({ refusal: 'signature_invalid' })
    expect(await verify(xml, { certificates: ['nonsense'] })).toEqual({ refusal: 'signature_invalid' })
  })
})

describe('the clock', () => {
  // Conditions and confirmation hold from 60 seconds before to 300 seconds after; clocks may differ by 60 seconds.
  test.each([
    [-120, undefined],
    [-121, 'issued_in_future'],
    [359, undefined],
    [360, 'confirmation_expired'],
  ] as const)('%s seconds later: %s', async (seconds, refusal) => {
    const xml = signedAnswer({ issueInstant: timeAt(refusal === 'issued_in_future' ? 0 : -120) })
    const outcome = await verify(xml, {}, new Date(now.getTime() + seconds * 1_000))
    expect(outcome).toMatchObject(refusal === undefined ? { subject } : { refusal })
  })

  test('without any skew an end is an end', async () => {
    const at = (seconds: number) =>
      verify(signedAnswer(), { clockSkewSeconds: 0 }, new Date(now.getTime() + seconds * 1_000))
    expect(await at(299)).toMatchObject({ subject })
    expect(await at(300)).toEqual({ refusal: 'confirmation_expired' })
  })
})

describe('what an honest provider may do', () => {
  test('wrap base64, write line breaks of Windows, and begin with a byte order mark', async () => {
    const wrapped = (xml: string) => (encoded(xml).match(/.{1,76}/g) ?? []).join('\r\n')
    const xml = `\uFEFF<?xml version="1.0" encoding="utf-8"?>\r\n${signedAnswer()}\r\n`
    expect(await verifyAnswer(wrapped(xml), connection, { now, claimRequest })).toMatchObject({ subject })
  })

  test('declare prefixes in the canonical form, as Okta does', async () => {
    const inside = {
      [uris.exclusive]: `<ec:InclusiveNamespaces xmlns:ec="${uris.exclusive}" PrefixList="xs"></ec:InclusiveNamespaces>`,
    }
    const value = `<saml:AttributeStatement><saml:Attribute Name="a"><saml:AttributeValue xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">v</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>`
    const xml = sign(unsignedAnswer({ attributes: value }), {
      key: idp.privateKey,
      insideTransform: inside,
      prefixes: ['xs'],
    })
    expect(await verify(xml)).toMatchObject({ subject })
  })

  test('send attributes named like properties of objects, values that are no text, and people in many groups', async () => {
    const nested =
      '<saml:Attribute Name="nested"><saml:AttributeValue><saml:NameID>x</saml:NameID></saml:AttributeValue></saml:Attribute>'
    const groups = Array.from({ length: 1_000 }, (_, i) => `group-${i}-0000-0000-0000-000000000000`)
    const attributes = `<saml:AttributeStatement>${attributeOf('__proto__', 'owner')}${nested}${attributeOf('groups', ...groups)}</saml:AttributeStatement>`
    const outcome = await verify(signedAnswer({ attributes }))
    if (!('subject' in outcome)) throw new Error(outcome.refusal)
    expect([...outcome.subject.attributes.keys()]).toEqual(['__proto__', 'nested', 'groups'])
    expect(outcome.subject.attributes.get('nested')).toEqual([])
    expect(outcome.subject.attributes.get('groups')).toHaveLength(1_000)
  })

  test('leave the issuer of the response out', async () => {
    expect(await verify(signedAnswer({ responseIssuer: '' }))).toMatchObject({ subject })
  })
})
