import { IdentityProvider, SamlLib, ServiceProvider, setSchemaValidator } from 'samlify'
import { readIdpMetadata, type SamlRequestSettings, serviceProviderMetadata } from '../../../src/people/saml/saml.ts'
import { connection, idp, timeAt } from './answers.ts'
import type { Identity } from './certificates.ts'

/** A real identity provider, samlify, which answers in the words of the large ones. */

const redirect = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'

/** The words of one provider: how it writes an answer. `{…}` are places for samlify's values. */
export interface Dialect {
  readonly template: string
  readonly entityId: string
}

const textAttribute = (prefix: string, name: string, values: readonly string[], attributes = '', inner = '') =>
  `<${prefix}Attribute Name="${name}"${attributes}>${values.map((value) => `<${prefix}AttributeValue${inner}>${value}</${prefix}AttributeValue>`).join('')}</${prefix}Attribute>`

const status = '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>'
const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'
const microsoft = 'http://schemas.microsoft.com/identity/claims'
const typed =
  ' xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string"'
const basic = ' NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:basic"'

/** The body of an assertion with one prefix for all of its elements, attributes before or after the statement of authentication. */
const body = (p: string, format: string, attributes: string, isStatementLast: boolean, quote = '/>') => {
  const statement = `<${p}AuthnStatement AuthnInstant="{Now}" SessionIndex="{SessionIndex}"><${p}AuthnContext><${p}AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</${p}AuthnContextClassRef></${p}AuthnContext></${p}AuthnStatement>`
  const all = `<${p}AttributeStatement>${attributes}</${p}AttributeStatement>`
  return `<${p}Issuer>{Issuer}</${p}Issuer><${p}Subject><${p}NameID Format="${format}">{NameID}</${p}NameID><${p}SubjectConfirmation Method="${bearer}"><${p}SubjectConfirmationData InResponseTo="{InResponseTo}" NotOnOrAfter="{End}" Recipient="{Acs}"${quote}</${p}SubjectConfirmation></${p}Subject><${p}Conditions NotBefore="{Start}" NotOnOrAfter="{End}"><${p}AudienceRestriction><${p}Audience>{Audience}</${p}Audience></${p}AudienceRestriction></${p}Conditions>${isStatementLast ? all + statement : statement + all}`
}

const head = 'Destination="{Acs}" ID="{ID}" InResponseTo="{InResponseTo}" IssueInstant="{Now}" Version="2.0"'
const email = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
const unspecified = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified'

export const dialects = {
  Entra: {
    entityId: 'https://sts.windows.net/11111111-2222-3333-4444-555555555555/',
    template: `<samlp:Response ${head} xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"><Issuer xmlns="urn:oasis:names:tc:SAML:2.0:assertion">{Issuer}</Issuer>${status}<Assertion ID="{AssertionID}" IssueInstant="{Now}" Version="2.0" xmlns="urn:oasis:names:tc:SAML:2.0:assertion">${body('', email, textAttribute('', `${microsoft}/tenantid`, ['11111111-2222-3333-4444-555555555555']) + textAttribute('', 'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups', ['aaaaaaaa-0000-0000-0000-000000000001', 'aaaaaaaa-0000-0000-0000-000000000002']) + textAttribute('', `${claims}/emailaddress`, ['alice@example.com']) + textAttribute('', `${claims}/givenname`, ['Alice']), true)}</Assertion></samlp:Response>`,
  },
  Okta: {
    entityId: 'http://www.okta.com/exk1234567890',
    template: `<?xml version="1.0" encoding="UTF-8"?><saml2p:Response ${head} xmlns:saml2p="urn:oasis:names:tc:SAML:2.0:protocol"><saml2:Issuer xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" Format="urn:oasis:names:tc:SAML:2.0:nameid-format:entity">{Issuer}</saml2:Issuer><saml2p:Status xmlns:saml2p="urn:oasis:names:tc:SAML:2.0:protocol"><saml2p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></saml2p:Status><saml2:Assertion xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" ID="{AssertionID}" IssueInstant="{Now}" Version="2.0">${body('saml2:', unspecified, textAttribute('saml2:', 'groups', ['Everyone', 'R&amp;D'], basic, typed) + textAttribute('saml2:', 'email', ['alice@example.com'], ' NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:unspecified"', typed), false)}</saml2:Assertion></saml2p:Response>`,
  },
  Keycloak: {
    entityId: 'https://keycloak.example.com/realms/main',
    template: `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ${head}><saml:Issuer>{Issuer}</saml:Issuer>${status}<saml:Assertion xmlns="urn:oasis:names:tc:SAML:2.0:assertion" ID="{AssertionID}" IssueInstant="{Now}" Version="2.0">${body('saml:', persistent, ['offline_access', 'uma_authorization', 'admin'].map((role) => textAttribute('saml:', 'Role', [role], basic, typed)).join('') + textAttribute('saml:', 'email', ['alice@example.com'], ' FriendlyName="email" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:basic"', typed), false)}</saml:Assertion></samlp:Response>`,
  },
  Google: {
    entityId: 'https://accounts.google.com/o/saml2?idpid=C01abcdef',
    template: `<?xml version="1.0" encoding="UTF-8" standalone="no"?><saml2p:Response xmlns:saml2p="urn:oasis:names:tc:SAML:2.0:protocol" ${head}><saml2:Issuer xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion">{Issuer}</saml2:Issuer><saml2p:Status><saml2p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></saml2p:Status><saml2:Assertion xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" ID="{AssertionID}" IssueInstant="{Now}" Version="2.0">${body('saml2:', email, textAttribute('saml2:', 'Department', [''], '', ' xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:anyType"') + textAttribute('saml2:', 'Groups', ['Größe &amp; Co'], '', typed), true)}</saml2:Assertion></saml2p:Response>`,
  },
} as const satisfies Readonly<Record<string, Dialect>>

const pem = ({ privateKey }: Identity) => privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** An identity provider that knows our metadata, and whose own metadata we have read. */
export function startIdentityProvider(entityId: string, { signsResponse }: { readonly signsResponse: boolean }) {
  // Requests are validated by the schema of SAML only where somebody brings a validator.
  setSchemaValidator({ validate: () => Promise.resolve('not validated') })
  const provider = IdentityProvider({
    entityID: entityId,
    privateKey: pem(idp),
    signingCert: idp.certificate,
    requestSignatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    singleSignOnService: [{ Binding: redirect, Location: 'https://idp.example.com/sso' }],
    singleLogoutService: [{ Binding: redirect, Location: 'https://idp.example.com/slo' }],
    isAssertionEncrypted: false,
  })
  const service = ServiceProvider({ metadata: serviceProviderMetadata(connection), wantMessageSigned: signsResponse })
  const metadata = readIdpMetadata(provider.getMetadata(), { allowLoopbackHttp: false })
  if ('fault' in metadata) throw new Error(`metadata of samlify: ${metadata.fault}`)
  const settings: SamlRequestSettings = {
    ...connection,
    idpEntityId: metadata.entityId,
    certificates: metadata.certificates,
    ssoUrl: metadata.ssoUrl,
  }
  return {
    settings,
    /** Reads a request as the provider does, and answers it in a dialect. */
    answer: async (url: string, { template }: Dialect, nameId: string): Promise<string> => {
      const query = Object.fromEntries(new URL(url).searchParams)
      const { extract } = await provider.parseLoginRequest(service, 'redirect', { query })
      const id = String(extract.request?.['id'])
      const context = SamlLib.replaceTagsByValue(template, {
        ID: '_response-of-samlify',
        AssertionID: '_assertion-of-samlify',
        InResponseTo: id,
        Issuer: entityId,
        Audience: connection.spEntityId,
        Acs: String(extract.request?.['assertionConsumerServiceUrl']),
        NameID: nameId,
        SessionIndex: '_session-of-samlify',
        Now: timeAt(-1),
        Start: timeAt(-60),
        End: timeAt(300),
      })
      const answer = await provider.createLoginResponse(service, { extract }, 'post', { email: nameId }, () => ({
        id: '_response-of-samlify',
        context,
      }))
      return answer.context
    },
  }
}
