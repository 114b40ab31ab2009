import { constants, createHash, createHmac, createSign, type KeyObject } from 'node:crypto'
import { DOMParser } from '@xmldom/xmldom'
import { SignedXml } from 'xml-crypto'
import { elementsOf } from '../../../src/people/saml/elements.ts'

/** A signer that signs whatever a forger wants: its parts are plain text, and none of them has to make sense. */

export const uris = {
  enveloped: 'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
  exclusive: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  exclusiveWithComments: 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments',
  inclusive: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
  xpath: 'http://www.w3.org/TR/1999/REC-xpath-19991116',
  xslt: 'http://www.w3.org/TR/1999/REC-xslt-19991116',
  sha1: 'http://www.w3.org/2000/09/xmldsig#sha1',
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sha384: 'http://www.w3.org/2001/04/xmldsig-more#sha384',
  sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
  rsaSha1: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
  rsaSha256: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  rsaSha384: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384',
  rsaSha512: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  rsaPss: 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
  ecdsaSha256: 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256',
  ecdsaSha384: 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384',
  hmacSha256: 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256',
} as const

const signatureNamespace = 'http://www.w3.org/2000/09/xmldsig#'

/** The name of the hash in the address of an algorithm. */
export const hashNamed = (algorithm: string) => /sha\d+/i.exec(algorithm)?.[0].toLowerCase() ?? 'sha256'

export function parse(xml: string): Document {
  return new DOMParser({ errorHandler: () => undefined }).parseFromString(xml, 'text/xml')
}

/** Returns the canonical form of an element: the transforms that change nothing in our documents are left out. */
export function canonical(element: Element, transforms: readonly string[], prefixes: readonly string[] = []): string {
  const known = transforms.filter((it) => it !== uris.xslt && it !== uris.xpath)
  return new SignedXml().getCanonXml(known, element, {
    inclusiveNamespacesPrefixList: [...prefixes],
  })
}

/** Returns the value of a signature over a text. A string is a key for HMAC. */
export function signatureValue(algorithm: string, key: KeyObject | string, text: string): string {
  const hash = hashNamed(algorithm)
  if (typeof key === 'string') return createHmac(hash, key).update(text).digest('base64')
  const signer = createSign(hash).update(text)
  if (algorithm.includes('ecdsa')) return signer.sign({ key, dsaEncoding: 'ieee-p1363' }, 'base64')
  if (algorithm !== uris.rsaPss) return signer.sign(key, 'base64')
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST
  return signer.sign({ key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }, 'base64')
}

export interface SigningOptions {
  readonly key: KeyObject | string
  readonly target?: 'Assertion' | 'Response'
  readonly algorithm?: string
  readonly digest?: string
  readonly transforms?: readonly string[]
  readonly canonicalization?: string
  /** XML inside a transform, by its address. */
  readonly insideTransform?: Readonly<Record<string, string>>
  readonly insideMethod?: string
  /** Prefixes that the canonical form declares whether they are used or not, as Okta's does. */
  readonly prefixes?: readonly string[]
  readonly uri?: string
  readonly digestValue?: string
  readonly moreReferences?: string
  readonly keyInfo?: string
  readonly afterKeyInfo?: string
}

export interface SignatureParts extends SigningOptions {
  readonly digestValue: string
  readonly uri: string
}

export function referenceXml(uri: string, transforms: string, digest: string, digestValue: string): string {
  return `<ds:Reference URI="${uri}"><ds:Transforms>${transforms}</ds:Transforms><ds:DigestMethod Algorithm="${digest}"></ds:DigestMethod><ds:DigestValue>${digestValue}</ds:DigestValue></ds:Reference>`
}

export const defaultTransforms = [uris.enveloped, uris.exclusive]

export const transformsXml = (transforms: readonly string[], inside: Readonly<Record<string, string>> = {}) =>
  transforms.map((it) => `<ds:Transform Algorithm="${it}">${inside[it] ?? ''}</ds:Transform>`).join('')

/** Returns the text of a signature over what its parts say, true or not. */
export function signatureXml(parts: SignatureParts): string {
  const { algorithm = uris.rsaSha256, digest = uris.sha256, canonicalization = uris.exclusive } = parts
  const reference = referenceXml(
    parts.uri,
    transformsXml(parts.transforms ?? defaultTransforms, parts.insideTransform),
    digest,
    parts.digestValue,
  )
  const inner = `<ds:CanonicalizationMethod Algorithm="${canonicalization}"></ds:CanonicalizationMethod><ds:SignatureMethod Algorithm="${algorithm}">${parts.insideMethod ?? ''}</ds:SignatureMethod>${reference}${parts.moreReferences ?? ''}`
  // Inside the signature the namespace is inherited; in its canonical form the element declares it.
  const [info] = elementsOf(
    parse(`<ds:SignedInfo xmlns:ds="${signatureNamespace}">${inner}</ds:SignedInfo>`).documentElement,
  )
  const value = signatureValue(algorithm, parts.key, canonical(info as Element, [uris.exclusive]))
  return `<ds:Signature xmlns:ds="${signatureNamespace}"><ds:SignedInfo>${inner}</ds:SignedInfo><ds:SignatureValue>${value}</ds:SignatureValue>${parts.keyInfo ?? ''}${parts.afterKeyInfo ?? ''}</ds:Signature>`
}

/** Signs the assertion or the response of a text, and puts the signature where the standard wants it: after the issuer. */
export function sign(xml: string, options: SigningOptions): string {
  const { target = 'Assertion', transforms = defaultTransforms, digest = uris.sha256 } = options
  const element = elementsOf(parse(xml).documentElement).find(({ localName }) => localName === target)
  if (element === undefined) throw new Error(`there is no ${target} to sign`)
  const bytes = canonical(element, transforms, options.prefixes)
  const digestValue = options.digestValue ?? createHash(hashNamed(digest)).update(bytes).digest('base64')
  const uri = options.uri ?? `#${element.getAttribute('ID')}`
  const signature = signatureXml({ ...options, digestValue, uri })
  const start = xml.indexOf(target === 'Assertion' ? '<saml:Assertion' : '<samlp:Response')
  const place = xml.indexOf('</saml:Issuer>', start) + '</saml:Issuer>'.length
  return xml.slice(0, place) + signature + xml.slice(place)
}
