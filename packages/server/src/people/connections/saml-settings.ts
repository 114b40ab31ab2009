import type { FieldFault } from '../../contract/errors.ts'
import type { Addresses } from '../../platform/infra/addresses.ts'
import type { Outbound } from '../../platform/infra/outbound.ts'
import { formatId } from '../../values/id.ts'
import {
  type IdpMetadata,
  isSoundEndpoint,
  metadataFaults,
  readCertificate,
  readIdpMetadata,
  type SamlRequestSettings,
} from '../saml/saml.ts'
import type { SamlSettings } from './queries.ts'
import type { SamlInput } from './schema.ts'

const maxMetadataBytes = 1_048_576
export const defaultSkewSeconds = 60

const faultIn = (field: string, message: string): FieldFault => ({
  field: `saml.${field}`,
  code: 'invalid_value',
  message,
})

/** Returns the addresses of this service that the provider of a connection needs. */
export function serviceProviderOf({ publicUrl }: Addresses, id: string) {
  const base = `${publicUrl()}/saml`
  const connection = formatId('connection', id)
  // The address of the metadata is the name, as is the custom.
  const entity_id = `${base}/metadata/${connection}`
  return { entity_id, acs_url: `${base}/acs/${connection}`, metadata_url: entity_id }
}

/** Returns a connection as answers of its provider are judged by. */
export function samlConnectionOf(addresses: Addresses, id: string, settings: SamlSettings): SamlRequestSettings {
  const { entity_id, acs_url } = serviceProviderOf(addresses, id)
  return {
    idpEntityId: settings.entity_id,
    ssoUrl: settings.sso_url,
    certificates: settings.certificates,
    spEntityId: entity_id,
    acsUrl: acs_url,
    clockSkewSeconds: settings.clock_skew_seconds,
  }
}

/** Rules about providers: an address without TLS is taken on this machine only, where the service itself has none. */
export const metadataOptionsOf = ({ publicUrl }: Addresses) => ({
  allowLoopbackHttp: publicUrl().startsWith('http://'),
})

function judged(metadata: ReturnType<typeof readIdpMetadata>, field: string): IdpMetadata | FieldFault {
  if ('fault' in metadata) return faultIn(field, metadataFaults[metadata.fault])
  return metadata.wantsSignedRequests
    ? faultIn(field, 'The provider demands signed requests, and ours have no signature. Turn that off at the provider.')
    : metadata
}

/** Asks for metadata, through the outbound wall. */
async function fetchMetadata(addresses: Addresses, outbound: Outbound, url: string): Promise<IdpMetadata | FieldFault> {
  const answer = await outbound.request({
    method: 'GET',
    url,
    headers: { accept: 'application/samlmetadata+xml, application/xml, text/xml' },
    maxBytes: maxMetadataBytes,
  })
  if ('error' in answer) return faultIn('metadata_url', answer.message)
  if (answer.status !== 200) return faultIn('metadata_url', `The provider answered ${answer.status} and no metadata.`)
  return judged(readIdpMetadata(answer.body.toString('utf8'), metadataOptionsOf(addresses)), 'metadata_url')
}

/** Reads what a caller says about a provider: its metadata, the address of its metadata, or its settings one by one. */
export async function readSamlInput(
  addresses: Addresses,
  outbound: Outbound,
  input: SamlInput,
): Promise<SamlSettings | FieldFault> {
  const { metadata_xml, metadata_url = null, email_attribute = null, clock_skew_seconds = defaultSkewSeconds } = input
  const rest = { metadata_url, email_attribute, clock_skew_seconds }
  const { entity_id, sso_url, certificates } = input
  if (metadata_xml === undefined && entity_id !== undefined && sso_url !== undefined && certificates !== undefined)
    return readSettings(addresses, { entity_id, sso_url, certificates, ...rest })
  const metadata =
    metadata_xml !== undefined
      ? judged(readIdpMetadata(metadata_xml, metadataOptionsOf(addresses)), 'metadata_xml')
      : metadata_url === null
        ? faultIn('metadata_xml', 'Give the metadata, its address, or all of entity_id, sso_url and certificates.')
        : await fetchMetadata(addresses, outbound, metadata_url)
  if ('message' in metadata) return metadata
  return {
    entity_id: metadata.entityId,
    sso_url: metadata.ssoUrl,
    certificates: [...metadata.certificates],
    ...rest,
  }
}

function readSettings(addresses: Addresses, settings: SamlSettings): SamlSettings | FieldFault {
  if (!isSoundEndpoint(settings.sso_url, metadataOptionsOf(addresses)))
    return faultIn('sso_url', metadataFaults.endpoint_unsound)
  const certificates: string[] = []
  for (const text of settings.certificates) {
    const reading = readCertificate(text)
    if ('fault' in reading) return faultIn('certificates', metadataFaults[reading.fault])
    certificates.push(reading.pem)
  }
  return { ...settings, certificates: [...new Set(certificates)] }
}

/** Compares the settings of a connection with the metadata of its provider, where it has an address; returns what is wrong. */
export async function samlFaultOf(
  addresses: Addresses,
  outbound: Outbound,
  settings: SamlSettings,
): Promise<{ fault: 'unreachable' | 'issuer_mismatch' | 'certificates_differ'; message: string } | undefined> {
  if (settings.metadata_url === null) return undefined
  const found = await fetchMetadata(addresses, outbound, settings.metadata_url)
  if ('message' in found) return { fault: 'unreachable', message: found.message }
  if (found.entityId !== settings.entity_id)
    return { fault: 'issuer_mismatch', message: `The metadata is of ${found.entityId}.` }
  const isKnown = found.certificates.every((pem) => settings.certificates.includes(pem))
  return isKnown
    ? undefined
    : {
        fault: 'certificates_differ',
        message:
          'The provider has a certificate that the connection lacks. Set its metadata_url again to take it over.',
      }
}
