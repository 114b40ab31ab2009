import { describe, expect, test } from 'vitest'
import {
  isSoundEndpoint,
  metadataFaults,
  readIdpMetadata,
  serviceProviderMetadata,
} from '../../../src/people/saml/saml.ts'
import { attacker, connection, idp } from '../../support/saml/answers.ts'
import { bareCertificate, ecIdentity, rsaIdentity } from '../../support/saml/certificates.ts'

const strict = { allowLoopbackHttp: false }
const redirect = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
const post = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'
const keyOf = (certificate: string, use = ' use="signing"') =>
  `<KeyDescriptor${use}><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></KeyDescriptor>`
const serviceAt = (location: string, binding = redirect) =>
  `<SingleSignOnService Binding="${binding}" Location="${location}"/>`

interface Pieces {
  readonly entityId: string
  readonly keys: string
  readonly services: string
  readonly protocols: string
  readonly role: string
  readonly attributes: string
}

const entity = (pieces: Partial<Pieces> = {}) => {
  const { entityId, keys, services, protocols, role, attributes } = {
    entityId: 'https://idp.example.com/metadata',
    keys: keyOf(bareCertificate(idp.certificate)),
    services: serviceAt('https://idp.example.com/post', post) + serviceAt('https://idp.example.com/sso?tenant=1'),
    protocols: 'urn:oasis:names:tc:SAML:2.0:protocol',
    role: 'IDPSSODescriptor',
    attributes: '',
    ...pieces,
  }
  return `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}"><${role} protocolSupportEnumeration="${protocols}"${attributes}>${keys}${services}</${role}></EntityDescriptor>`
}
const faultOf = (xml: string, options = strict) => {
  const read = readIdpMetadata(xml, options)
  return 'fault' in read ? read.fault : undefined
}

describe('metadata', () => {
  test('gives entity, endpoint of the redirect binding and certificate', () => {
    expect(readIdpMetadata(entity(), strict)).toEqual({
      entityId: 'https://idp.example.com/metadata',
      ssoUrl: 'https://idp.example.com/sso?tenant=1',
      certificates: [idp.certificate],
      wantsSignedRequests: false,
    })
  })

  test('gives all signing certificates of a rotation, each once, and none for encryption', () => {
    const wrapped = bareCertificate(attacker.certificate).replace(/.{76}/g, '$&\r\n            ')
    const keys = [
      keyOf(bareCertificate(idp.certificate)),
      keyOf(bareCertificate(idp.certificate), ''),
      keyOf(wrapped, ''),
      keyOf(bareCertificate(ecIdentity('encryption').certificate), ' use="encryption"'),
    ]
    expect(readIdpMetadata(entity({ keys: keys.join('') }), strict)).toMatchObject({
      certificates: [idp.certificate, attacker.certificate],
    })
  })

  test('may be commented, declared, wrapped in a list of one, and ask for signed requests', () => {
    const list = `\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n<!-- generated -->\n<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata">${entity({ attributes: ' WantAuthnRequestsSigned="true"' })}</EntitiesDescriptor>\n`
    expect(readIdpMetadata(list, strict)).toMatchObject({ wantsSignedRequests: true })
  })

  test('of this service is read by the same reader as that of no identity provider', () => {
    const xml = serviceProviderMetadata(connection)
    expect(xml).toContain(connection.acsUrl)
    expect(xml).toContain('WantAssertionsSigned="true"')
    expect(faultOf(xml)).toBe('no_identity_provider')
  })
})

describe('metadata is refused', () => {
  const many = (count: number) => Array.from({ length: count }, () => keyOf(bareCertificate(idp.certificate))).join('')
  test.each([
    ['for its size', `${entity()}${' '.repeat(1_048_577)}`, 'too_large'],
    ['for its many elements', entity({ services: '<X/>'.repeat(20_001) }), 'too_large'],
    ['for its depth', entity({ services: '<X>'.repeat(70) + '</X>'.repeat(70) }), 'too_large'],
    ['for a DTD', `<!DOCTYPE x>${entity()}`, 'not_plain_xml'],
    ['for an entity', entity({ entityId: '&x;' }), 'not_plain_xml'],
    [
      'for an external entity',
      `<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/hostname">]>${entity({ entityId: '&x;' })}`,
      'not_plain_xml',
    ],
    ['for a stylesheet', `<?xml-stylesheet href="x"?>${entity()}`, 'not_plain_xml'],
    ['for tags that do not match', entity().replace('</IDPSSODescriptor>', ''), 'not_plain_xml'],
    ['as HTML', '<!doctype html><html><body>Sign in</body></html>', 'not_plain_xml'],
    ['as nothing', '', 'not_plain_xml'],
    ['without a provider', entity({ role: 'SPSSODescriptor' }), 'no_identity_provider'],
    ['of SAML 1.1', entity({ protocols: 'urn:oasis:names:tc:SAML:1.1:protocol' }), 'no_identity_provider'],
    ['in another namespace', entity().replace('SAML:2.0:metadata', 'SAML:2.0:other'), 'no_identity_provider'],
    [
      'of several providers',
      `<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata">${entity()}${entity({ entityId: 'b' })}</EntitiesDescriptor>`,
      'several_identity_providers',
    ],
    ['without an entity', entity({ entityId: '' }), 'entity_id_unsound'],
    ['with an entity that is too long', entity({ entityId: 'e'.repeat(1_025) }), 'entity_id_unsound'],
    [
      'without the redirect binding',
      entity({ services: serviceAt('https://idp.example.com/', post) }),
      'no_redirect_endpoint',
    ],
    ['with plain HTTP', entity({ services: serviceAt('http://idp.example.com/') }), 'endpoint_unsound'],
    ['with a script for an address', entity({ services: serviceAt('javascript:alert(1)') }), 'endpoint_unsound'],
    ['without a certificate', entity({ keys: '' }), 'no_certificate'],
    [
      'with a certificate for encryption only',
      entity({ keys: keyOf(bareCertificate(idp.certificate), ' use="encryption"') }),
      'no_certificate',
    ],
    ['with eleven certificates', entity({ keys: many(11) }), 'too_many_certificates'],
    ['with a certificate that is none', entity({ keys: keyOf('AAAA') }), 'certificate_malformed'],
    [
      'with a certificate and a comment in it',
      entity({ keys: keyOf(`<!-- -->${bareCertificate(idp.certificate)}`) }),
      'certificate_malformed',
    ],
    [
      'with a short RSA key',
      entity({ keys: keyOf(bareCertificate(rsaIdentity('short', 1_024).certificate)) }),
      'certificate_weak',
    ],
    [
      'with an unusual curve',
      entity({ keys: keyOf(bareCertificate(ecIdentity('curve', 'secp256k1').certificate)) }),
      'certificate_weak',
    ],
  ] as const)('%s', (_, xml, fault) => {
    expect(faultOf(xml)).toBe(fault)
    expect(metadataFaults[fault]).toMatch(/\b(must|may)\b/)
  })
})

describe('an endpoint', () => {
  test.each([
    ['https://idp.example.com/sso', true, true],
    ['http://localhost:8080/sso', false, true],
    ['http://127.0.0.1/sso', false, true],
    ['http://[::1]:8080/sso', false, true],
    ['http://idp.example.com/sso', false, false],
    ['http://localhost.attacker.example/sso', false, false],
    ['http://127.0.0.1.attacker.example/sso', false, false],
    ['https://user:secret@idp.example.com/', false, false],
    ['https://idp.example.com/#x', false, false],
    ['ftp://localhost/', false, false],
    ['//idp.example.com', false, false],
    [`https://idp.example.com/${'x'.repeat(2_048)}`, false, false],
  ])('%s: %s, in development %s', (address, always, inDevelopment) => {
    expect(isSoundEndpoint(address, strict)).toBe(always)
    expect(isSoundEndpoint(address, { allowLoopbackHttp: true })).toBe(inDevelopment)
  })
})
