import {
  type AnswerPieces,
  attributeOf,
  bearer,
  conditionsOf,
  confirmationData,
  connection,
  encoded,
  honest,
  nameIdOf,
  restrictedTo,
  sessionUntil,
  signedAnswer,
  timeAt,
} from './answers.ts'
import type { Forgery } from './forgery.ts'

/** Answers that the identity provider has really signed, but that were not meant for us, or not now, or not for this request. */

const signed = (
  name: string,
  pieces: Partial<AnswerPieces>,
  caughtBy: Forgery['caughtBy'],
  as: string = honest,
): Forgery => ({
  name,
  message: encoded(signedAnswer(pieces)),
  caughtBy,
  as,
})

const confirmed = (changes: Readonly<Record<string, string | undefined>>) => ({
  confirmation: bearer(confirmationData(changes)),
})
const lasting = (notBefore: string, notOnOrAfter: string) => ({
  conditions: conditionsOf(restrictedTo(connection.spEntityId), notBefore, notOnOrAfter),
})
const own = restrictedTo(connection.spEntityId)
const statusOf = (codes: string) => ({ status: `<samlp:Status>${codes}</samlp:Status>` })
const code = (value: string, inner = '') =>
  `<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${value}">${inner}</samlp:StatusCode>`
const statement = (...attributes: readonly string[]) => ({
  attributes: `<saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement>`,
})
const other = 'https://other.example.com/'
const subjectOf = (inner: string) => ({ subject: `<saml:Subject>${inner}${bearer(confirmationData())}</saml:Subject>` })
const named = (inner: string) => ({ nameId: nameIdOf(inner) })

export const contentForgeries: readonly Forgery[] = [
  signed('another audience', { audience: restrictedTo(other) }, ['audience']),
  signed('no audience', { audience: ' ' }, ['audience']),
  signed(
    'an audience that only begins like ours',
    { audience: restrictedTo(`${connection.spEntityId}.attacker.example`) },
    ['audience'],
  ),
  signed('our audience and, in a second restriction, only another one', { audience: own + restrictedTo(other) }, [
    'audience',
  ]),
  signed('another recipient', confirmed({ Recipient: other }), ['recipient']),
  signed('no recipient', confirmed({ Recipient: undefined }), ['recipient']),
  signed(
    'a recipient in an attribute with a prefix',
    confirmed({ Recipient: undefined, 'saml:Recipient': connection.acsUrl }),
    ['recipient'],
  ),
  signed('another destination', { destination: ` Destination="${other}"` }, ['destination']),
  signed('no destination', { destination: '' }, ['destination']),
  signed('another issuer of the assertion', { issuer: `<saml:Issuer>${other}</saml:Issuer>` }, ['issuer']),
  signed('an issuer with space around it', { issuer: `<saml:Issuer> ${connection.idpEntityId}</saml:Issuer>` }, [
    'issuer',
  ]),
  signed(
    'an issuer that is no entity',
    { issuer: `<saml:Issuer Format="urn:x">${connection.idpEntityId}</saml:Issuer>` },
    ['issuer'],
  ),
  signed('another issuer of the response', { responseIssuer: `<saml:Issuer>${other}</saml:Issuer>` }, [
    'response_issuer',
  ]),
  {
    ...signed('an answer of another connection’s provider', {}, ['response_issuer', 'issuer']),
    connection: { idpEntityId: other },
  },
  { ...signed('a request that we never made, or that was answered before', {}, ['request_unknown']), isClaimed: false },
  signed(
    'no request at all: the provider began',
    { ...confirmed({ InResponseTo: undefined }), responseInResponseTo: '' },
    ['unsolicited'],
  ),
  signed('an empty request', { ...confirmed({ InResponseTo: '' }), responseInResponseTo: ' InResponseTo=""' }, [
    'unsolicited',
  ]),
  signed('a request that only the unsigned response names', confirmed({ InResponseTo: undefined }), [
    'unsolicited',
    'request_mismatch',
  ]),
  signed('a request that the response does not name', { responseInResponseTo: '' }, ['request_mismatch']),
  signed('another request in the response than in the assertion', { responseInResponseTo: ' InResponseTo="_other"' }, [
    'request_mismatch',
  ]),
  signed('conditions that have expired', lasting(timeAt(-600), timeAt(-60)), ['expired']),
  signed('conditions that begin in the future', lasting(timeAt(61), timeAt(300)), ['not_yet_valid']),
  signed('conditions without an end', { conditions: `<saml:Conditions>${own}</saml:Conditions>` }, ['expired']),
  signed('an end that is not a time', lasting(timeAt(-60), 'tomorrow'), ['expired']),
  signed('an end in local time', lasting(timeAt(-60), '2026-06-01T13:00:00'), ['expired']),
  signed('an end on a day that does not exist', lasting(timeAt(-60), '2027-02-30T00:00:00Z'), ['expired']),
  signed('a beginning that is not a time', lasting('yesterday', timeAt(300)), ['not_yet_valid']),
  signed('a confirmation that has expired', confirmed({ NotOnOrAfter: timeAt(-60) }), ['confirmation_expired']),
  signed('a confirmation without an end', confirmed({ NotOnOrAfter: undefined }), ['confirmation_expired']),
  signed('a confirmation that begins in the future', confirmed({ NotBefore: timeAt(61) }), [
    'confirmation_not_yet_valid',
  ]),
  signed('an assertion issued in the future', { issueInstant: timeAt(61) }, ['issued_in_future']),
  signed('an assertion of another version', { assertionVersion: '1.1' }, ['version']),
  signed('a sign-in that failed', statusOf(code('Responder')), ['status']),
  signed('a sign-in that failed, with success inside', statusOf(code('Requester', code('Success'))), ['status']),
  signed('success beside a failure', statusOf(code('Success') + code('Requester')), ['status']),
  signed('no status', { status: '' }, ['status']),
  signed(
    'a holder of a key',
    { confirmation: bearer(confirmationData(), 'urn:oasis:names:tc:SAML:2.0:cm:holder-of-key') },
    ['confirmation'],
  ),
  signed(
    'a sender who vouches',
    { confirmation: bearer(confirmationData(), 'urn:oasis:names:tc:SAML:2.0:cm:sender-vouches') },
    ['confirmation'],
  ),
  signed('two confirmations', { confirmation: bearer(confirmationData()).repeat(2) }, ['confirmation']),
  signed('no confirmation', { confirmation: '' }, [
    'confirmation',
    'recipient',
    'confirmation_expired',
    'unsolicited',
    'request_mismatch',
  ]),
  signed(
    'two subjects',
    { subject: `<saml:Subject>${nameIdOf(honest)}${bearer(confirmationData())}</saml:Subject>`.repeat(2) },
    ['subject'],
  ),
  signed('no name', subjectOf(''), ['name_id'], ''),
  signed('two names', subjectOf(nameIdOf(honest) + nameIdOf('other')), ['name_id']),
  signed('an empty name', named(''), ['name_id'], ''),
  signed('a name with space at its end', named(`${honest} `), ['name_id'], `${honest} `),
  signed('a name with a line break in it', named('a\nb'), ['name_id'], 'a\nb'),
  signed('a name with a character that nobody sees', named('ali\u200bce'), ['name_id'], 'ali\u200bce'),
  signed('a name that is too long', named('a'.repeat(257)), ['name_id'], 'a'.repeat(257)),
  signed('no conditions', { conditions: ' ' }, ['conditions', 'expired', 'audience']),
  signed('conditions twice', { conditions: conditionsOf(own).repeat(2) }, ['conditions']),
  signed('a condition that nobody knows', { audience: `${own}<saml:Condition></saml:Condition>` }, ['conditions']),
  signed('nobody who signed in', { statement: '' }, ['authentication']),
  signed('a session that is over', { statement: sessionUntil(-60) }, ['authentication']),
  signed('a session whose name is too long', { statement: sessionUntil(60).replace('_session', 's'.repeat(1_025)) }, [
    'authentication',
  ]),
  signed('a form of names that is too long', { nameId: nameIdOf(honest).replace('urn:', 'u'.repeat(257)) }, [
    'name_id',
  ]),
  signed(
    'an attribute without a name',
    statement('<saml:Attribute><saml:AttributeValue>x</saml:AttributeValue></saml:Attribute>'),
    ['attributes'],
  ),
  signed('too many attribute values', statement(attributeOf('groups', ...Array<string>(2_001).fill('x'))), [
    'attributes',
  ]),
  signed('an attribute value that is too long', statement(attributeOf('groups', 'x'.repeat(4_097))), ['attributes']),
]
