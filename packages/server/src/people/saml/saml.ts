/** Sign-in by SAML 2.0, without HTTP and without a database: metadata is read, requests are made, answers are verified. */

import type { SamlConnection } from './fact-rules.ts'
import { type AnswerContext, type SamlOutcome, strictVerifier, verifyAnswerWith } from './verification.ts'

export { makeAuthnRequest, type SamlRequestSettings, serviceProviderMetadata } from './authn-request.ts'
export { readCertificate } from './certificates.ts'
export type { SamlConnection } from './fact-rules.ts'
export {
  type IdpMetadata,
  isSoundEndpoint,
  type MetadataFault,
  type MetadataOptions,
  metadataFaults,
  readIdpMetadata,
} from './idp-metadata.ts'
export { samlRefusals } from './refusals.ts'
export type { SamlSubject } from './subject.ts'
export type { AnswerContext, SamlOutcome, SamlRefusal } from './verification.ts'

/**
 * Verifies an answer of an identity provider, the `SAMLResponse` of a form. What is returned was read from signed bytes only, was
 * meant for this connection now, and answers a request of ours for the first time.
 */
export const verifyAnswer = (
  samlResponse: string,
  connection: SamlConnection,
  context: AnswerContext,
): Promise<SamlOutcome> => verifyAnswerWith(strictVerifier, samlResponse, connection, context)
