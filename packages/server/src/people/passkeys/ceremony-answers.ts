import { decodeAttestationObject, parseAuthenticatorData } from '@simplewebauthn/server/helpers'
import { recordIn } from '../../values/records.ts'
import type { RelyingParty } from './relying-party.ts'

/** The challenge that was given to a browser, and to whom it answers. */
export interface Expectation {
  readonly party: RelyingParty
  readonly challenge: Buffer
}

type AuthenticatorData = ReturnType<typeof parseAuthenticatorData>

/** An answer of a browser, read but not believed. */
export interface CeremonyFacts {
  readonly credentialId: string
  readonly rawId: string
  readonly credentialType: unknown
  /** Statements of the browser: what was asked for, with which challenge, on which page. */
  readonly client: Readonly<Record<string, unknown>>
  /** Statements of the authenticator, which it signs together with those of the browser. */
  readonly authenticator: AuthenticatorData
  readonly expected: Expectation
}

export interface RegistrationFacts extends CeremonyFacts {
  readonly clientDataText: string
  readonly attestationText: string
  readonly attestationFormat: unknown
  /** True where the statement has certificates: reading them could make the server fetch lists of revoked ones. */
  readonly hasCertificates: boolean
}

export interface AssertionFacts extends CeremonyFacts {
  readonly clientDataText: string
  readonly authenticatorText: string
  readonly signatureText: string
  /** The person whom the authenticator keeps the passkey for, in base64url. */
  readonly userHandle: string
}

const maxLength = {
  id: 1_364,
  clientData: 4_096,
  attestation: 8_192,
  authenticator: 2_048,
  signature: 1_024,
  handle: 96,
}

/** Returns a text of base64url, spelled in the only way that we accept; throws for any other. */
function base64Url(value: unknown, longest: number): string {
  if (
    typeof value !== 'string' ||
    value.length > longest ||
    Buffer.from(value, 'base64url').toString('base64url') !== value
  )
    throw new SyntaxError('not base64url')
  return value
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
const utf8 = new TextDecoder('utf-8', { fatal: true })

function answerIn(text: string) {
  const answer = recordIn(JSON.parse(text))
  const response = recordIn(answer['response'])
  const clientDataText = base64Url(response['clientDataJSON'], maxLength.clientData)
  const client: unknown = JSON.parse(utf8.decode(bytesOf(clientDataText)))
  const common = {
    credentialId: base64Url(answer['id'], maxLength.id),
    rawId: base64Url(answer['rawId'], maxLength.id),
    credentialType: answer['type'],
    client: recordIn(client),
    clientDataText,
  }
  return { common, response }
}

/** Reads the answer to a request for a new passkey; undefined for what is not one. */
export function readRegistration(text: string, expected: Expectation): RegistrationFacts | undefined {
  try {
    const { common, response } = answerIn(text)
    const attestationText = base64Url(response['attestationObject'], maxLength.attestation)
    const attestation = decodeAttestationObject(bytesOf(attestationText))
    const authenticator = parseAuthenticatorData(attestation.get('authData'))
    const attestationFormat: unknown = attestation.get('fmt')
    const hasCertificates = attestation.get('attStmt').get('x5c') !== undefined
    return { ...common, attestationText, attestationFormat, hasCertificates, authenticator, expected }
  } catch {
    return undefined
  }
}

/** Reads the answer to a request for a passkey; undefined for what is not one. */
export function readAssertion(text: string, expected: Expectation): AssertionFacts | undefined {
  try {
    const { common, response } = answerIn(text)
    const authenticatorText = base64Url(response['authenticatorData'], maxLength.authenticator)
    const signatureText = base64Url(response['signature'], maxLength.signature)
    const userHandle = base64Url(response['userHandle'] ?? '', maxLength.handle)
    const authenticator = parseAuthenticatorData(bytesOf(authenticatorText))
    return { ...common, authenticatorText, signatureText, userHandle, authenticator, expected }
  } catch {
    return undefined
  }
}

/** Returns the id of the passkey that an answer is about; undefined for what is no answer. */
export function credentialIn(text: string): string | undefined {
  try {
    return base64Url(recordIn(JSON.parse(text))['id'], maxLength.id)
  } catch {
    return undefined
  }
}
