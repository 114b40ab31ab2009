import { rulesNamed } from '../answer-rules/answer-rules.ts'
import {
  attributeOf,
  attributesOf,
  childrenNamed,
  childrenOf,
  elementsOf,
  isNamed,
  type NamespaceName,
  namespaces,
} from './elements.ts'

/** A parsed answer, and all of its elements. */
export interface AnswerDocument {
  readonly text: string
  readonly response: Element
  readonly elements: readonly Element[]
}

export const answerDocument = (text: string, document: Document): AnswerDocument => ({
  text,
  response: document.documentElement,
  elements: elementsOf(document.documentElement),
})

/** Names that mean something to a reader, and the one namespace that each may be in. */
const homes: Readonly<Record<string, NamespaceName>> = {
  Response: 'protocol',
  Status: 'protocol',
  StatusCode: 'protocol',
  Assertion: 'assertion',
  Issuer: 'assertion',
  Subject: 'assertion',
  NameID: 'assertion',
  SubjectConfirmation: 'assertion',
  SubjectConfirmationData: 'assertion',
  Conditions: 'assertion',
  AudienceRestriction: 'assertion',
  Audience: 'assertion',
  AuthnStatement: 'assertion',
  AttributeStatement: 'assertion',
  Attribute: 'assertion',
  AttributeValue: 'assertion',
  Signature: 'signature',
  SignedInfo: 'signature',
  SignatureValue: 'signature',
  SignatureMethod: 'signature',
  CanonicalizationMethod: 'signature',
  Reference: 'signature',
  Transforms: 'signature',
  Transform: 'signature',
  DigestMethod: 'signature',
  DigestValue: 'signature',
  KeyInfo: 'signature',
}

const children: Readonly<Record<'Response' | 'Assertion', readonly string[]>> = {
  Response: ['Issuer', 'Signature', 'Extensions', 'Status', 'Assertion'],
  Assertion: ['Issuer', 'Signature', 'Subject', 'Conditions', 'Advice', 'AuthnStatement', 'AttributeStatement'],
}

const withLocalName = ({ elements }: AnswerDocument, name: string) =>
  elements.filter(({ localName }) => localName === name)

const assertionsOf = (answer: AnswerDocument) => withLocalName(answer, 'Assertion')

/** Attributes that some reader takes for an identifier, in any spelling and with any prefix. */
const idsOf = (element: Element) => attributesOf(element).filter((it) => it.localName?.toLowerCase() === 'id')

const hasOneId = (element: Element) => {
  const [id, ...others] = idsOf(element)
  return others.length === 0 && id?.nodeName === 'ID' && /^[A-Za-z_][\w.-]{0,255}$/.test(id.value)
}

const hasEncryption = (element: Element) =>
  element.namespaceURI === namespaces.encryption || /^Encrypted(Assertion|ID|Attribute)$/.test(element.localName)

const namespaceDeclarations = (element: Element) =>
  attributesOf(element).filter(({ nodeName }) => nodeName === 'xmlns' || nodeName.startsWith('xmlns:'))

/** Absolute, and no other meaning for the two prefixes that XML itself defines. Undeclaring the default namespace is fine. */
const isSoundNamespace = ({ nodeName, value }: Attr) =>
  nodeName !== 'xmlns:xml' &&
  nodeName !== 'xmlns:xmlns' &&
  !/^http:\/\/www\.w3\.org\/(XML\/1998\/namespace|2000\/xmlns\/)$/.test(value) &&
  (/^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$/.test(value) || (value === '' && nodeName === 'xmlns'))

const isAtHome = (element: Element) => {
  const home = Object.hasOwn(homes, element.localName) ? homes[element.localName] : undefined
  return home === undefined || element.namespaceURI === namespaces[home]
}

const signaturesIn = (parent: Element) => childrenNamed(parent, 'signature', 'Signature')

/** Rules about the shape of the whole document. They leave one place for an assertion and one for its signature. */
export const documentRules = rulesNamed({
  not_response: ({ response }: AnswerDocument) =>
    isNamed(response, 'protocol', 'Response') && attributeOf(response, 'Version') === '2.0',
  encrypted: ({ elements }: AnswerDocument) => !elements.some(hasEncryption),
  namespace_unsound: ({ elements }: AnswerDocument) =>
    elements.every((element) => namespaceDeclarations(element).every(isSoundNamespace)),
  namespace_lookalike: ({ elements }: AnswerDocument) => elements.every(isAtHome),
  assertion_count: (answer: AnswerDocument) => assertionsOf(answer).length === 1,
  assertion_misplaced: (answer: AnswerDocument) =>
    assertionsOf(answer).every(({ parentNode }) => parentNode === answer.response),
  unknown_element: (answer: AnswerDocument) =>
    [answer.response, ...assertionsOf(answer)].every((element) =>
      childrenOf(element).every(({ localName }) =>
        children[element.localName === 'Assertion' ? 'Assertion' : 'Response'].includes(localName),
      ),
    ),
  id_unsound: (answer: AnswerDocument) => [answer.response, ...assertionsOf(answer)].every(hasOneId),
  id_duplicate: ({ elements }: AnswerDocument) => {
    const ids = elements.flatMap(idsOf).map(({ value }) => value)
    return new Set(ids).size === ids.length
  },
  signature_missing: (answer: AnswerDocument) =>
    assertionsOf(answer).every((assertion) => signaturesIn(assertion).length > 0),
  signature_count: (answer: AnswerDocument) => {
    const own = [answer.response, ...assertionsOf(answer)].map((element) => signaturesIn(element).length)
    const all = withLocalName(answer, 'Signature').length
    return own.every((count) => count <= 1) && own.reduce((sum, count) => sum + count, 0) === all
  },
})
