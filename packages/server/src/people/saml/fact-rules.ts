import { rulesNamed } from '../answer-rules/answer-rules.ts'
import { samlTime } from './characters.ts'
import { attributeOf, childrenNamed, childrenOf, firstNamed, namespaces, textOf } from './elements.ts'
import type { SignedParts } from './signed-parts.ts'
import { attributesAreBounded, isSoundNameId, nameIdsOf } from './subject.ts'

/** Settings of a connection by which an answer is judged. */
export interface SamlConnection {
  readonly idpEntityId: string
  /** Certificates as PEM. All of them hold at once, so that a new one can be entered before the old one goes. */
  readonly certificates: readonly string[]
  readonly spEntityId: string
  readonly acsUrl: string
  readonly clockSkewSeconds: number
}

/** Everything that the rules about the content of an answer read. */
export interface Facts extends SignedParts {
  readonly connection: SamlConnection
  readonly nowMs: number
}

const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
const success = 'urn:oasis:names:tc:SAML:2.0:status:Success'
const entityFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:entity'
const maxSessionIndexCharacters = 1_024
const knownConditions = new Set(['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'])

const only = (elements: readonly Element[]) => (elements.length === 1 ? elements[0] : undefined)
const skewMs = ({ connection }: Facts) => connection.clockSkewSeconds * 1_000
const conditionsOf = ({ assertion }: Facts) => firstNamed(assertion, 'assertion', 'Conditions')
const confirmationOf = ({ assertion }: Facts) =>
  firstNamed(firstNamed(assertion, 'assertion', 'Subject'), 'assertion', 'SubjectConfirmation')
const confirmationDataOf = (facts: Facts) => firstNamed(confirmationOf(facts), 'assertion', 'SubjectConfirmationData')

/** Returns the request that the signed assertion says it answers. */
export const requestOf = (facts: Facts) => attributeOf(confirmationDataOf(facts), 'InResponseTo')

/** An end that is missing or cannot be read has passed. */
function hasNotEnded(facts: Facts, text: string | undefined): boolean {
  const end = samlTime(text)
  return end !== undefined && facts.nowMs < end + skewMs(facts)
}

/** A beginning may be missing; one that cannot be read has not come. */
function hasBegun(facts: Facts, text: string | undefined): boolean {
  const start = samlTime(text)
  return text === undefined || (start !== undefined && facts.nowMs >= start - skewMs(facts))
}

function isIssuedBy(element: Element | undefined, entityId: string): boolean {
  const issuers = childrenNamed(element, 'assertion', 'Issuer')
  const format = attributeOf(issuers[0], 'Format')
  return textOf(only(issuers)) === entityId && (format === undefined || format === entityFormat)
}

/** Rules about what an answer says. Of the response outside the signed assertion they read only what can refuse it. */
export const factRules = rulesNamed({
  status: ({ response }: Facts) => {
    const status = only(childrenNamed(response, 'protocol', 'Status'))
    return attributeOf(only(childrenNamed(status, 'protocol', 'StatusCode')), 'Value') === success
  },
  destination: ({ response, connection }: Facts) => attributeOf(response, 'Destination') === connection.acsUrl,
  response_issuer: ({ response, connection }: Facts) =>
    childrenNamed(response, 'assertion', 'Issuer').length === 0 || isIssuedBy(response, connection.idpEntityId),
  issuer: ({ assertion, connection }: Facts) => isIssuedBy(assertion, connection.idpEntityId),
  version: ({ assertion }: Facts) => attributeOf(assertion, 'Version') === '2.0',
  issued_in_future: (facts: Facts) => {
    const issued = attributeOf(facts.assertion, 'IssueInstant')
    return issued !== undefined && hasBegun(facts, issued)
  },
  subject: ({ assertion }: Facts) => childrenNamed(assertion, 'assertion', 'Subject').length === 1,
  name_id: ({ assertion }: Facts) => nameIdsOf(assertion).length === 1 && nameIdsOf(assertion).every(isSoundNameId),
  confirmation: (facts: Facts) => {
    const subject = firstNamed(facts.assertion, 'assertion', 'Subject')
    const confirmation = only(childrenNamed(subject, 'assertion', 'SubjectConfirmation'))
    const data = childrenNamed(confirmation, 'assertion', 'SubjectConfirmationData')
    return attributeOf(confirmation, 'Method') === bearer && data.length === 1
  },
  recipient: (facts: Facts) => attributeOf(confirmationDataOf(facts), 'Recipient') === facts.connection.acsUrl,
  confirmation_expired: (facts: Facts) => hasNotEnded(facts, attributeOf(confirmationDataOf(facts), 'NotOnOrAfter')),
  confirmation_not_yet_valid: (facts: Facts) => hasBegun(facts, attributeOf(confirmationDataOf(facts), 'NotBefore')),
  conditions: (facts: Facts) => {
    const conditions = only(childrenNamed(facts.assertion, 'assertion', 'Conditions'))
    // A condition that is not understood is not met.
    const isKnown = ({ localName, namespaceURI }: Element) =>
      namespaceURI === namespaces.assertion && knownConditions.has(localName)
    return conditions !== undefined && childrenOf(conditions).every(isKnown)
  },
  not_yet_valid: (facts: Facts) => hasBegun(facts, attributeOf(conditionsOf(facts), 'NotBefore')),
  expired: (facts: Facts) => hasNotEnded(facts, attributeOf(conditionsOf(facts), 'NotOnOrAfter')),
  audience: (facts: Facts) => {
    const restrictions = childrenNamed(conditionsOf(facts), 'assertion', 'AudienceRestriction')
    const names = (restriction: Element) => childrenNamed(restriction, 'assertion', 'Audience').map(textOf)
    return restrictions.length > 0 && restrictions.every((it) => names(it).includes(facts.connection.spEntityId))
  },
  authentication: (facts: Facts) => {
    const statements = childrenNamed(facts.assertion, 'assertion', 'AuthnStatement')
    const ends = statements.map((statement) => attributeOf(statement, 'SessionNotOnOrAfter'))
    const indexes = statements.map((statement) => attributeOf(statement, 'SessionIndex') ?? '')
    return (
      statements.length === 1 &&
      ends.every((end) => end === undefined || hasNotEnded(facts, end)) &&
      indexes.every(({ length }) => length <= maxSessionIndexCharacters)
    )
  },
  attributes: ({ assertion }: Facts) => attributesAreBounded(assertion),
  unsolicited: (facts: Facts) => (requestOf(facts) ?? '') !== '',
  request_mismatch: (facts: Facts) => attributeOf(facts.response, 'InResponseTo') === requestOf(facts),
})
