import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { IdentityProvider, SamlLib, ServiceProvider, setSchemaValidator } from 'samlify'
import { afterAll, beforeAll } from 'vitest'
import { type Identity, rsaIdentity } from './certificates.ts'

/** The person whom a provider vouches for. */
export interface SamlPerson {
  readonly nameId: string
  readonly format?: string
  readonly attributes?: Readonly<Record<string, readonly string[]>>
}

/** Changes of an answer: values of its places, or another key to sign it with. */
export interface AnswerChanges {
  readonly values?: Readonly<Record<string, string>>
  readonly signer?: Identity
}

const redirect = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
const minutes = (count: number) => new Date(Date.now() + count * 60_000).toISOString()

const attributeText = ([name, values]: [string, readonly string[]]) =>
  `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`

const template = ({ format = persistent, attributes = {} }: SamlPerson) =>
  `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" Destination="{Acs}" ID="{ID}" InResponseTo="{InResponseTo}" IssueInstant="{Now}" Version="2.0"><saml:Issuer>{Issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status><saml:Assertion ID="{AssertionID}" IssueInstant="{Now}" Version="2.0"><saml:Issuer>{Issuer}</saml:Issuer><saml:Subject><saml:NameID Format="${format}">{NameID}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData InResponseTo="{InResponseTo}" NotOnOrAfter="{End}" Recipient="{Acs}"/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="{Start}" NotOnOrAfter="{End}"><saml:AudienceRestriction><saml:Audience>{Audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="{Now}" SessionIndex="_session"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${Object.entries(
    { none: ['none'], ...attributes },
  )
    .map(attributeText)
    .join('')}</saml:AttributeStatement></saml:Assertion></samlp:Response>`

/** A real provider of SAML over HTTP, by samlify: it reads our requests and our metadata, and answers with a form that sends itself. */
export class SamlProvider {
  readonly #server: Server = createServer((request, response) => {
    void this.#serve(request, response)
  })
  identity = rsaIdentity('idp.example.com')
  /** Whoever is signed in at the provider. */
  person: SamlPerson = { nameId: 'nobody' }
  readonly #answers = { count: 0 }

  get url() {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get entityId() {
    return `${this.url}/metadata`
  }

  #idp(identity = this.identity) {
    return IdentityProvider({
      entityID: this.entityId,
      privateKey: identity.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      signingCert: identity.certificate,
      requestSignatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
      singleSignOnService: [{ Binding: redirect, Location: `${this.url}/sso` }],
      singleLogoutService: [{ Binding: redirect, Location: `${this.url}/slo` }],
      isAssertionEncrypted: false,
    })
  }

  metadata(identity = this.identity): string {
    return this.#idp(identity).getMetadata()
  }

  /** Answers a request of ours, whose metadata it fetches first; returns the form's fields. */
  async answer(request: URL, { values = {}, signer = this.identity }: AnswerChanges = {}) {
    const parsed = new URL(request)
    const provider = this.#idp(signer)
    const query = Object.fromEntries(parsed.searchParams)
    const { extract } = await provider.parseLoginRequest(
      ServiceProvider({ entityID: 'x', assertionConsumerService: [] }),
      'redirect',
      { query },
    )
    const acs = String(extract.request?.['assertionConsumerServiceUrl'])
    const audience = String(extract.issuer)
    const service = ServiceProvider({ metadata: await (await fetch(audience)).text(), wantMessageSigned: false })
    const id = `_answer-${this.#answers.count++}`
    const context = SamlLib.replaceTagsByValue(template(this.person), {
      ID: id,
      AssertionID: `${id}-assertion`,
      InResponseTo: String(extract.request?.['id']),
      Issuer: this.entityId,
      Audience: audience,
      Acs: acs,
      NameID: this.person.nameId,
      Now: minutes(0),
      Start: minutes(-1),
      End: minutes(5),
      ...values,
    })
    const answer = await provider.createLoginResponse(service, { extract }, 'post', { email: '' }, () => ({
      id,
      context,
    }))
    return { acs, fields: { SAMLResponse: answer.context, RelayState: query['RelayState'] ?? '' } }
  }

  async #serve(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url ?? '/', this.url)
    if (url.pathname === '/metadata') {
      response.setHeader('content-type', 'application/samlmetadata+xml').end(this.metadata())
      return
    }
    const { acs, fields } = await this.answer(url)
    const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`)
    response
      .setHeader('content-type', 'text/html')
      .end(`<form method="post" action="${acs}">${inputs.join('')}</form><script>document.forms[0].submit()</script>`)
  }

  async start() {
    // Requests are validated by the schema of SAML only where somebody brings a validator.
    setSchemaValidator({ validate: () => Promise.resolve('not validated') })
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  stop() {
    this.#server.close()
  }
}

export function useSamlProvider(): SamlProvider {
  const provider = new SamlProvider()
  beforeAll(() => provider.start())
  afterAll(() => provider.stop())
  return provider
}
