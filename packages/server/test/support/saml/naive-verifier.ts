import { createHash, createHmac, createPublicKey, createVerify, type KeyObject, X509Certificate } from 'node:crypto'
import type { AnswerDocument } from '../../../src/people/saml/document-rules.ts'
import { childrenOf, elementsOf } from '../../../src/people/saml/elements.ts'
import type { SignedParts } from '../../../src/people/saml/signed-parts.ts'
import { canonical, hashNamed, parse } from './signer.ts'

/**
 * A verifier of signatures with the habits that made real ones fall: it computes digests and signatures correctly, but looks for
 * things by name, anywhere, and then reads what it likes. A habit that is not named in a test is a good one.
 */
export interface NaiveHabits {
  /** The place among all signatures of the one that is verified; the first unless told. */
  readonly signature?: number
  /** Reads the references of one SignedInfo, and verifies the signature over another. */
  readonly readsInfo?: number
  readonly verifiesInfo?: number
  /** Takes elements for the target of a reference by any of these attributes. */
  readonly idAttributes?: readonly string[]
  /** Which of several elements with one identifier is verified. */
  readonly takes?: 'first' | 'last'
  /** Takes a comment for the value of a digest, as it is the first thing in the element. */
  readonly readsDigestComment?: true
  /** Which of several values of a digest is compared. */
  readonly digestValue?: number
  /** Believes the certificate that the message brings along. */
  readonly trustsKeyInfo?: true
  /** Takes the public certificate for the secret of an HMAC. */
  readonly knowsHmac?: true
  /** Gets nothing, and takes it for the canonical form, where a namespace is relative. */
  readonly canonicalizesToNothing?: true
  /** Leaves what an XPath transform filters out, here the name, out of the digest. */
  readonly obeysXPath?: true
  /** Takes every signature out of what is signed, and not only the one that is verified. */
  readonly dropsAllSignatures?: true
  /** Verifies only the first reference. */
  readonly verifiesOneReference?: true
  /** Does not verify at all. */
  readonly believes?: true
  /** Verifies only the signature of the assertion, or only that of the response. */
  readonly in?: 'Assertion' | 'Response'
  /**
   * The assertion that is read: a child of the root, the first or last of the document, or the one that was encrypted, which says
   * nothing about who wrote it. The cipher of our forgeries is base64.
   */
  readonly reads?: 'child' | 'first' | 'last' | 'encrypted'
  /** Reads a name up to the first thing in it that is not text. */
  readonly readsFirstText?: true
}

const named = (elements: readonly Element[], name: string) => elements.filter(({ localName }) => localName === name)
const within = (element: Element, name: string) => named(elementsOf(element), name)
const childNamed = (element: Element, name: string) => named(childrenOf(element), name)
const algorithm = (element: Element | undefined) => element?.getAttribute('Algorithm') ?? ''

function targetOf(answer: AnswerDocument, uri: string, habits: NaiveHabits): Element | undefined {
  if (uri === '') return answer.response
  const id = uri.replace(/^#(?:xpointer\(id\('([^']*)'\)\))?/, '$1')
  const found = answer.elements.filter((element) =>
    (habits.idAttributes ?? ['ID']).some((name) => element.getAttribute(name) === id),
  )
  return habits.takes === 'last' ? found.at(-1) : found[0]
}

function digestOf(target: Element, reference: Element, habits: NaiveHabits): string {
  const transforms = within(reference, 'Transform').map(algorithm)
  const copy = target.cloneNode(true) as Element
  if (habits.obeysXPath) for (const name of within(copy, 'NameID')) name.parentNode?.removeChild(name)
  if (habits.dropsAllSignatures) for (const signature of childNamed(copy, 'Signature')) copy.removeChild(signature)
  const isChanged = habits.obeysXPath ?? habits.dropsAllSignatures ?? false
  const isRelative = Array.from(copy.attributes).some(
    ({ nodeName, value }) => nodeName.startsWith('xmlns:') && !value.includes(':'),
  )
  const bytes = habits.canonicalizesToNothing && isRelative ? '' : canonical(isChanged ? copy : target, transforms)
  return createHash(hashNamed(algorithm(childNamed(reference, 'DigestMethod')[0])))
    .update(bytes)
    .digest('base64')
}

function holds(answer: AnswerDocument, reference: Element, habits: NaiveHabits): boolean {
  const target = targetOf(answer, reference.getAttribute('URI') ?? '', habits)
  const value = childNamed(reference, 'DigestValue')[habits.digestValue ?? 0]
  const [first] = Array.from(value?.childNodes ?? [])
  const texts = Array.from(value?.childNodes ?? []).filter(({ nodeType }) => nodeType === 3)
  const text = habits.readsDigestComment ? first?.nodeValue : texts.map(({ nodeValue }) => nodeValue).join('')
  return target !== undefined && digestOf(target, reference, habits) === text
}

function keyFor(signature: Element, keys: readonly KeyObject[], habits: NaiveHabits): readonly KeyObject[] {
  if (!habits.trustsKeyInfo) return keys
  const certificate = within(signature, 'X509Certificate')[0]?.textContent ?? ''
  return [new X509Certificate(Buffer.from(certificate, 'base64')).publicKey]
}

function isSignedBy(key: KeyObject, method: string, text: string, value: string, habits: NaiveHabits): boolean {
  const hash = hashNamed(method)
  if (habits.knowsHmac) return createHmac(hash, hmacSecret(key)).update(text).digest('base64') === value
  return createVerify(hash)
    .update(text)
    .verify(createPublicKey(key.export({ type: 'spki', format: 'pem' })), value, 'base64')
}

/** The text of a public key, which everybody knows and a confused verifier takes for a shared secret. */
export const hmacSecret = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()

/** Returns the element that the signature is over, if it is. */
function verifiedTarget(answer: AnswerDocument, keys: readonly KeyObject[], habits: NaiveHabits): Element | undefined {
  const all = named(answer.elements, 'Signature').filter(
    ({ parentNode }) => habits.in === undefined || (parentNode as Element).localName === habits.in,
  )
  const signature = all[habits.signature ?? 0]
  if (signature === undefined) return undefined
  const infos = within(signature, 'SignedInfo')
  const [read, verified] = [infos[habits.readsInfo ?? 0], infos[habits.verifiesInfo ?? 0]]
  if (read === undefined || verified === undefined) return undefined
  const references = childNamed(read, 'Reference').slice(0, habits.verifiesOneReference ? 1 : undefined)
  if (references.length === 0 || !references.every((reference) => holds(answer, reference, habits))) return undefined
  const bytes = canonical(verified, [algorithm(within(verified, 'CanonicalizationMethod')[0])])
  const method = algorithm(within(verified, 'SignatureMethod')[0])
  const value = childNamed(signature, 'SignatureValue')[0]?.textContent ?? ''
  const isSigned = keyFor(signature, keys, habits).some((key) => isSignedBy(key, method, bytes, value, habits))
  return isSigned ? targetOf(answer, references[0]?.getAttribute('URI') ?? '', habits) : undefined
}

function assertionOf(answer: AnswerDocument, { reads = 'child' }: NaiveHabits): Element | undefined {
  const all = named(answer.elements, 'Assertion')
  if (reads === 'encrypted') {
    const cipher = named(answer.elements, 'CipherValue')[0]?.textContent ?? ''
    return within(parse(Buffer.from(cipher, 'base64').toString()).documentElement, 'Assertion')[0]
  }
  if (reads === 'last') return all.at(-1)
  return reads === 'first' ? all[0] : (childNamed(answer.response, 'Assertion')[0] ?? all[0])
}

function withFirstTexts(assertion: Element): Element {
  for (const name of within(assertion, 'NameID')) {
    for (let second = name.firstChild?.nextSibling; second; second = name.firstChild?.nextSibling)
      name.removeChild(second)
  }
  return assertion
}

/** Returns a part that stands in for the strict one. */
export const naively =
  (habits: NaiveHabits) =>
  (answer: AnswerDocument, keys: readonly KeyObject[]): SignedParts | 'signature_invalid' => {
    const verified = habits.believes ? answer.response : verifiedTarget(answer, keys, habits)
    const assertion = verified && assertionOf(answer, habits)
    if (assertion === undefined) return 'signature_invalid'
    return { assertion: habits.readsFirstText ? withFirstTexts(assertion) : assertion, response: answer.response }
  }
