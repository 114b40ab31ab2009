import { createHash } from 'node:crypto'
import { rulesNamed } from '../answer-rules/answer-rules.ts'
import { digests, enveloped, exclusive, isKnown, signatures } from './algorithms.ts'
import { strictBase64 } from './characters.ts'
import {
  attributeOf,
  attributesOf,
  childrenNamed,
  childrenOf,
  elementsOf,
  firstNamed,
  isNamed,
  textOf,
} from './elements.ts'

/** A signature, and the element that it stands in and must sign. */
export interface OwnSignature {
  readonly signature: Element
  readonly signed: Element
}

const infoOf = ({ signature }: OwnSignature) => firstNamed(signature, 'signature', 'SignedInfo')
const referenceOf = (own: OwnSignature) => firstNamed(infoOf(own), 'signature', 'Reference')
const algorithmOf = (element: Element | undefined) => attributeOf(element, 'Algorithm')
const algorithmIn = (parent: Element | undefined, name: string) => algorithmOf(firstNamed(parent, 'signature', name))

/** Tells whether the children of an element are exactly these, in the order that the standard gives them. */
const hasChildren = (parent: Element | undefined, ...names: readonly string[]) => {
  if (parent === undefined) return false
  const all = childrenOf(parent)
  return (
    all.length === names.length && names.every((name, i) => all[i] !== undefined && isNamed(all[i], 'signature', name))
  )
}

const onlyInclusiveNamespaces = (method: Element) =>
  childrenOf(method).length <= 1 &&
  childrenOf(method).every(
    (child) =>
      isNamed(child, 'exclusive', 'InclusiveNamespaces') &&
      childrenOf(child).length === 0 &&
      attributesOf(child).every(({ nodeName }) => nodeName === 'PrefixList' || nodeName.startsWith('xmlns')),
  )

const isExclusive = (method: Element | undefined) =>
  method !== undefined && algorithmOf(method) === exclusive && onlyInclusiveNamespaces(method)

const digestOfNothing = (hash: string) => createHash(hash).digest('base64')

/** Names of elements that the parts of a signature are found by; none may hide in its key information. */
const parts =
  /^(SignedInfo|SignatureValue|SignatureMethod|CanonicalizationMethod|Reference|Transforms?|Digest(Method|Value))$/

/** Rules about the shape of a signature, all of them before anything is computed. */
export const signatureRules = rulesNamed({
  signed_info_count: ({ signature }: OwnSignature) => childrenNamed(signature, 'signature', 'SignedInfo').length === 1,
  reference_count: (own: OwnSignature) => childrenNamed(infoOf(own), 'signature', 'Reference').length === 1,
  signature_shape: (own: OwnSignature) => {
    const keyInfos = childrenNamed(own.signature, 'signature', 'KeyInfo')
    return (
      (hasChildren(own.signature, 'SignedInfo', 'SignatureValue') ||
        hasChildren(own.signature, 'SignedInfo', 'SignatureValue', 'KeyInfo')) &&
      hasChildren(infoOf(own), 'CanonicalizationMethod', 'SignatureMethod', 'Reference') &&
      hasChildren(referenceOf(own), 'Transforms', 'DigestMethod', 'DigestValue') &&
      keyInfos.every((info) => elementsOf(info).every(({ localName }) => !parts.test(localName)))
    )
  },
  reference_target: (own: OwnSignature) => {
    const id = attributeOf(own.signed, 'ID')
    return id !== undefined && id !== '' && attributeOf(referenceOf(own), 'URI') === `#${id}`
  },
  canonicalization: (own: OwnSignature) => isExclusive(firstNamed(infoOf(own), 'signature', 'CanonicalizationMethod')),
  transforms: (own: OwnSignature) => {
    const transforms = firstNamed(referenceOf(own), 'signature', 'Transforms')
    const [first, second] = childrenNamed(transforms, 'signature', 'Transform')
    return (
      hasChildren(transforms, 'Transform', 'Transform') &&
      first !== undefined &&
      algorithmOf(first) === enveloped &&
      childrenOf(first).length === 0 &&
      isExclusive(second)
    )
  },
  signature_algorithm: (own: OwnSignature) =>
    isKnown(signatures, algorithmIn(infoOf(own), 'SignatureMethod')) &&
    childrenNamed(infoOf(own), 'signature', 'SignatureMethod').every((method) => childrenOf(method).length === 0),
  digest_algorithm: (own: OwnSignature) => isKnown(digests, algorithmIn(referenceOf(own), 'DigestMethod')),
  digest_value: (own: OwnSignature) => {
    const algorithm = algorithmIn(referenceOf(own), 'DigestMethod') ?? ''
    const digest = isKnown(digests, algorithm) ? digests[algorithm] : undefined
    const value = strictBase64(textOf(firstNamed(referenceOf(own), 'signature', 'DigestValue')) ?? '')
    // An algorithm that is not known is another rule's matter.
    if (digest === undefined) return value !== undefined
    return value?.length === digest.bytes && value.toString('base64') !== digestOfNothing(digest.hash)
  },
  signature_value: ({ signature }: OwnSignature) =>
    strictBase64(textOf(firstNamed(signature, 'signature', 'SignatureValue')) ?? '') !== undefined,
})
