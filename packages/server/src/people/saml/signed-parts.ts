import type { KeyObject } from 'node:crypto'
import { SignedXml } from 'xml-crypto'
import { enveloped, exclusive, hashAlgorithms, isSignedWith, signatureAlgorithmsFor } from './algorithms.ts'
import type { AnswerDocument } from './document-rules.ts'
import { attributeOf, firstNamed, isNamed, type NamespaceName, textOf } from './elements.ts'
import { parseMarkup } from './markup.ts'
import type { OwnSignature } from './signature-rules.ts'

/** Elements that are read: the assertion made of signed bytes, and the response around it, made of signed bytes if it is signed. */
export interface SignedParts {
  readonly assertion: Element
  readonly response: Element
}

export type SignatureRefusal = 'signature_invalid' | 'response_signature_invalid'

/** Returns the signatures that stand where a signature belongs: in the assertion, and in the response. */
export function ownSignatures({ response }: AnswerDocument): readonly OwnSignature[] {
  const assertion = firstNamed(response, 'assertion', 'Assertion')
  return [assertion, response].flatMap((signed) => {
    const signature = firstNamed(signed, 'signature', 'Signature')
    return signed === undefined || signature === undefined ? [] : [{ signature, signed }]
  })
}

/**
 * Tells whether somebody with a key wrote the signed information. It is small, and the rest of an answer is not: this comes first, so
 * that an answer of nobody costs little.
 */
function isGenuine(verifier: SignedXml, signature: Element, keys: readonly KeyObject[]): boolean {
  const info = firstNamed(signature, 'signature', 'SignedInfo')
  const algorithm = attributeOf(firstNamed(info, 'signature', 'SignatureMethod'), 'Algorithm')
  const value = textOf(firstNamed(signature, 'signature', 'SignatureValue'))
  if (info === undefined || algorithm === undefined || value === undefined) return false
  return isSignedWith(keys, algorithm, verifier.getCanonXml([exclusive], info), value)
}

/** Verifies one signature, and returns the very bytes that are signed. */
function signedText(text: string, signature: Element, keys: readonly KeyObject[]): string | undefined {
  const [anyKey] = keys
  if (anyKey === undefined) return undefined
  const verifier = new SignedXml({ publicCert: anyKey, getCertFromKeyInfo: () => null })
  verifier.idAttributes = ['ID']
  const { [exclusive]: canonical, [enveloped]: withoutSignature } = verifier.CanonicalizationAlgorithms
  Object.assign(verifier, {
    SignatureAlgorithms: signatureAlgorithmsFor(keys),
    HashAlgorithms: hashAlgorithms(),
    CanonicalizationAlgorithms: { [exclusive]: canonical, [enveloped]: withoutSignature },
  })
  try {
    if (!isGenuine(verifier, signature, keys)) return undefined
    verifier.loadSignature(signature)
    if (!verifier.checkSignature(text)) return undefined
  } catch {
    return undefined
  }
  const [signed, ...others] = verifier.getSignedReferences()
  return others.length === 0 ? signed : undefined
}

/** Returns the element that a signature signs, built again from the signed bytes and from nothing else. */
function signedElement(
  { text }: AnswerDocument,
  { signature, signed }: OwnSignature,
  keys: readonly KeyObject[],
): Element | undefined {
  const bytes = signedText(text, signature, keys)
  const root = bytes ? parseMarkup(bytes, { strict: true })?.documentElement : undefined
  const isSame = root?.nodeName === signed.nodeName && attributeOf(root, 'ID') === attributeOf(signed, 'ID')
  return isSame ? root : undefined
}

/** Verifies the signature of the assertion, and that of the response where there is one. */
export function signedParts(answer: AnswerDocument, keys: readonly KeyObject[]): SignedParts | SignatureRefusal {
  const own = ownSignatures(answer)
  const verified = (namespace: NamespaceName, name: string) => {
    const found = own.find(({ signed }) => isNamed(signed, namespace, name))
    return found && { element: signedElement(answer, found, keys) }
  }
  const assertion = verified('assertion', 'Assertion')?.element
  if (assertion === undefined) return 'signature_invalid'
  const response = verified('protocol', 'Response') ?? { element: answer.response }
  return response.element === undefined ? 'response_signature_invalid' : { assertion, response: response.element }
}
