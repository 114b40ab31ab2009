import { readCertificate } from './certificates.ts'
import { attributeOf, childrenNamed, elementsOf, isNamed, textOf } from './elements.ts'
import { isWithin, type MarkupSize, parseMarkup, scanMarkup } from './markup.ts'

/** Settings of an identity provider, as its metadata states them. */
export interface IdpMetadata {
  readonly entityId: string
  /** Address that a browser is sent to with a request: the endpoint of the redirect binding. */
  readonly ssoUrl: string
  /** Signing certificates as PEM, each once. At a rotation there are several, and all of them hold. */
  readonly certificates: readonly string[]
  /** True for a provider that refuses requests without a signature; ours have none. */
  readonly wantsSignedRequests: boolean
}

/** Reasons why metadata is refused, each with what to do about it. */
export const metadataFaults = {
  too_large: 'Metadata may have up to 1 MiB. Export the metadata of this one identity provider, not of a federation.',
  not_plain_xml: 'Metadata must be well-formed XML without a DTD, entities and processing instructions.',
  no_identity_provider: 'Metadata must contain an EntityDescriptor with an IDPSSODescriptor for SAML 2.0.',
  several_identity_providers: 'Metadata must describe exactly one identity provider; remove the others.',
  entity_id_unsound: 'The entityID of the identity provider must have 1 to 1,024 characters.',
  no_redirect_endpoint: 'The identity provider must offer a SingleSignOnService with the HTTP-Redirect binding.',
  endpoint_unsound: 'The address of the SingleSignOnService must be an https URL without credentials and fragment.',
  no_certificate: 'Metadata must contain a certificate for signing.',
  too_many_certificates: 'Metadata may contain up to 10 certificates for signing; remove those that are not in use.',
  certificate_malformed: 'A certificate for signing cannot be read; it must be X.509 in base64.',
  certificate_weak:
    'A certificate for signing must have an RSA key of at least 2,048 bits, or one on P-256, P-384 or P-521.',
} as const

export type MetadataFault = keyof typeof metadataFaults

/** Rules of an installation about addresses of identity providers. */
export interface MetadataOptions {
  /** True in development only: an identity provider on this machine may be reached without TLS. */
  readonly allowLoopbackHttp: boolean
}

const maxMetadataCharacters = 1_024 * 1_024
const maxSize: MarkupSize = { elements: 20_000, depth: 64, attributesOfOne: 64, names: 256, prefixes: 64 }
const maxCertificates = 10
const maxEntityIdCharacters = 1_024
const maxUrlCharacters = 2_048
const saml2 = 'urn:oasis:names:tc:SAML:2.0:protocol'
const redirectBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
const loopback = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Tells whether a browser may be sent to an address. */
export function isSoundEndpoint(address: string, { allowLoopbackHttp }: MetadataOptions): boolean {
  if (address.length > maxUrlCharacters || !URL.canParse(address)) return false
  const { protocol, hostname, username, password, hash } = new URL(address)
  const isPrivate = protocol === 'https:' || (allowLoopbackHttp && protocol === 'http:' && loopback.test(hostname))
  return isPrivate && username === '' && password === '' && hash === ''
}

/** Comments are taken here, other than in answers: generated metadata is full of them, and nothing in it is signed for us. */
function rootOf(xml: string): Element | MetadataFault {
  if (xml.length > maxMetadataCharacters) return 'too_large'
  const text = xml.replace(/^\uFEFF/, '').trim()
  const scan = scanMarkup(text)
  if (!isWithin(scan.size, maxSize)) return 'too_large'
  const isPlain = scan.isWellFormed && !scan.hasDeclaration && !scan.hasInstruction && !scan.hasUnknownReference
  const document = isPlain ? parseMarkup(text, { strict: true }) : undefined
  return document?.documentElement ?? 'not_plain_xml'
}

function certificatesOf(role: Element): readonly string[] | MetadataFault {
  const descriptors = childrenNamed(role, 'metadata', 'KeyDescriptor').filter(
    (descriptor) => (attributeOf(descriptor, 'use') ?? 'signing') === 'signing',
  )
  const texts = descriptors
    .flatMap(elementsOf)
    .filter((element) => isNamed(element, 'signature', 'X509Certificate'))
    .map((element) => textOf(element) ?? '')
  if (texts.length === 0) return 'no_certificate'
  if (texts.length > maxCertificates) return 'too_many_certificates'
  const readings = texts.map(readCertificate)
  const faulty = readings.find((reading) => 'fault' in reading)
  if (faulty !== undefined) return faulty.fault
  return [...new Set(readings.flatMap((reading) => ('pem' in reading ? [reading.pem] : [])))]
}

const rolesIn = (entity: Element) =>
  childrenNamed(entity, 'metadata', 'IDPSSODescriptor').filter((role) =>
    (attributeOf(role, 'protocolSupportEnumeration') ?? '').split(/\s+/).includes(saml2),
  )

/** Reads the metadata of an identity provider: text that was uploaded, or fetched by the caller. */
export function readIdpMetadata(
  xml: string,
  options: MetadataOptions,
): IdpMetadata | { readonly fault: MetadataFault } {
  const root = rootOf(xml)
  if (typeof root === 'string') return { fault: root }
  const found = elementsOf(root)
    .filter((element) => isNamed(element, 'metadata', 'EntityDescriptor'))
    .flatMap((entity) => rolesIn(entity).map((role) => ({ entity, role })))
  const [provider] = found
  if (provider === undefined) return { fault: 'no_identity_provider' }
  if (found.length > 1) return { fault: 'several_identity_providers' }
  const entityId = attributeOf(provider.entity, 'entityID') ?? ''
  if (entityId === '' || entityId.length > maxEntityIdCharacters) return { fault: 'entity_id_unsound' }
  const endpoint = childrenNamed(provider.role, 'metadata', 'SingleSignOnService').find(
    (service) => attributeOf(service, 'Binding') === redirectBinding,
  )
  if (endpoint === undefined) return { fault: 'no_redirect_endpoint' }
  const ssoUrl = attributeOf(endpoint, 'Location') ?? ''
  if (!isSoundEndpoint(ssoUrl, options)) return { fault: 'endpoint_unsound' }
  const certificates = certificatesOf(provider.role)
  if (typeof certificates === 'string') return { fault: certificates }
  const wanted = attributeOf(provider.role, 'WantAuthnRequestsSigned') ?? 'false'
  return { entityId, ssoUrl, certificates, wantsSignedRequests: wanted === 'true' || wanted === '1' }
}
