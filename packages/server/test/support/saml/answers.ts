import type { SamlConnection } from '../../../src/people/saml/saml.ts'
import { rsaIdentity } from './certificates.ts'
import { sign } from './signer.ts'

/** Answers of an identity provider, written as text so that a test can change any character of them. */

export const idp = rsaIdentity('idp.example.com')
export const attacker = rsaIdentity('attacker.example.com')

export const now = new Date('2026-06-01T12:00:00Z')
const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000).toISOString()

export const connection: SamlConnection = {
  idpEntityId: 'https://idp.example.com/metadata',
  certificates: [idp.certificate],
  spEntityId: 'https://weir.example.com/saml/metadata',
  acsUrl: 'https://weir.example.com/saml/acs',
  clockSkewSeconds: 60,
}

export const honest = 'alice@example.com'
export const coveted = 'admin@example.com'
export const requestId = '_a-request-of-ours'

/** Pieces of an answer, each as XML; what is left out is as it should be. */
export interface AnswerPieces {
  readonly root: string
  readonly responseId: string
  readonly responseAttributes: string
  readonly destination: string
  readonly responseInResponseTo: string
  readonly responseIssuer: string
  readonly extensions: string
  readonly status: string
  readonly assertionId: string
  readonly assertionVersion: string
  readonly issueInstant: string
  readonly issuer: string
  readonly nameId: string
  readonly confirmation: string
  readonly subject: string
  readonly audience: string
  readonly conditions: string
  readonly statement: string
  readonly attributes: string
  readonly afterAssertion: string
}

export const confirmationData = (changes: Readonly<Record<string, string | undefined>> = {}) => {
  const all = { NotOnOrAfter: at(300), Recipient: connection.acsUrl, InResponseTo: requestId, ...changes }
  const attributes = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}="${value}"`],
  )
  return `<saml:SubjectConfirmationData${attributes.join('')}></saml:SubjectConfirmationData>`
}

export const bearer = (data: string, method = 'urn:oasis:names:tc:SAML:2.0:cm:bearer') =>
  `<saml:SubjectConfirmation Method="${method}">${data}</saml:SubjectConfirmation>`

export const nameIdOf = (inner: string) =>
  `<saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">${inner}</saml:NameID>`

export const restrictedTo = (audience: string) =>
  `<saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction>`

export const conditionsOf = (inner: string, notBefore = at(-60), notOnOrAfter = at(300)) =>
  `<saml:Conditions NotBefore="${notBefore}" NotOnOrAfter="${notOnOrAfter}">${inner}</saml:Conditions>`

export const attributeOf = (name: string, ...values: readonly string[]) =>
  `<saml:Attribute Name="${name}">${values.map((it) => `<saml:AttributeValue>${it}</saml:AttributeValue>`).join('')}</saml:Attribute>`

const statementOf = (attributes: string) =>
  `<saml:AuthnStatement AuthnInstant="${at(-5)}" SessionIndex="_session"${attributes}><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`

export const sessionUntil = (seconds: number) => statementOf(` SessionNotOnOrAfter="${at(seconds)}"`)
export const timeAt = at

/** Returns the text of an answer without a signature. */
export function unsignedAnswer(pieces: Partial<AnswerPieces> = {}): string {
  const it: AnswerPieces = {
    root: 'samlp:Response',
    responseId: 'ID="_response"',
    responseAttributes: '',
    destination: ` Destination="${connection.acsUrl}"`,
    responseInResponseTo: ` InResponseTo="${requestId}"`,
    responseIssuer: `<saml:Issuer>${connection.idpEntityId}</saml:Issuer>`,
    extensions: '',
    status:
      '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"></samlp:StatusCode></samlp:Status>',
    assertionId: 'ID="_assertion"',
    assertionVersion: '2.0',
    issueInstant: at(-5),
    issuer: `<saml:Issuer>${connection.idpEntityId}</saml:Issuer>`,
    nameId: nameIdOf(honest),
    confirmation: bearer(confirmationData()),
    subject: '',
    audience: restrictedTo(connection.spEntityId),
    conditions: '',
    statement: statementOf(''),
    attributes: `<saml:AttributeStatement>${attributeOf('groups', 'staff')}</saml:AttributeStatement>`,
    afterAssertion: '',
    ...pieces,
  }
  const subject = it.subject || `<saml:Subject>${it.nameId}${it.confirmation}</saml:Subject>`
  const conditions = it.conditions || conditionsOf(it.audience)
  const assertion = `<saml:Assertion ${it.assertionId} IssueInstant="${it.issueInstant}" Version="${it.assertionVersion}">${it.issuer}${subject}${conditions}${it.statement}${it.attributes}</saml:Assertion>`
  return `<${it.root} xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"${it.responseAttributes}${it.destination} ${it.responseId}${it.responseInResponseTo} IssueInstant="${at(-5)}" Version="2.0">${it.responseIssuer}${it.extensions}${it.status}${assertion}${it.afterAssertion}</${it.root}>`
}

/** Returns an answer whose assertion the identity provider has signed. */
export const signedAnswer = (pieces: Partial<AnswerPieces> = {}) =>
  sign(unsignedAnswer(pieces), { key: idp.privateKey })

export const encoded = (xml: string) => Buffer.from(xml, 'utf8').toString('base64')
