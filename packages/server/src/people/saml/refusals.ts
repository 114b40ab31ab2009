import type { SamlRefusal } from './verification.ts'

/** Every reason why an answer is refused, with what it means to the administrator of a connection. The audit log names the reason. */
export const samlRefusals: Readonly<Record<SamlRefusal, string>> = {
  too_large:
    'The answer has more than 256 KiB. Let the provider send fewer attributes, such as only the groups in use.',
  not_base64: 'The answer is not base64, or is cut off.',
  not_utf8: 'The answer is not UTF-8.',
  dtd: 'The answer contains a DTD, which can be used for attacks and is needed for nothing.',
  comment: 'The answer contains a comment, which can be used to cut a name short.',
  cdata: 'The answer contains a CDATA section, which can be used to cut a name short.',
  processing_instruction: 'The answer contains a processing instruction, or declares another encoding than UTF-8.',
  entity_reference: 'The answer refers to an entity that XML does not define.',
  too_complex: 'The answer has too many elements, attributes, names or levels. Let the provider send fewer attributes.',
  not_well_formed: 'The answer is not well-formed XML.',
  not_response: 'The message is not a Response of SAML 2.0.',
  encrypted:
    'The answer is encrypted. Turn encryption of assertions off at the provider: answers come by TLS and must be signed.',
  namespace_unsound:
    'The answer declares a namespace that is relative, or changes the meaning of a prefix of XML itself.',
  namespace_lookalike: 'The answer has an element of SAML or of a signature in another namespace.',
  assertion_count: 'The answer must contain exactly one assertion.',
  assertion_misplaced: 'The assertion stands elsewhere than directly in the response.',
  unknown_element: 'The response or the assertion contains an element that SAML 2.0 does not have there.',
  id_unsound: 'The response and the assertion must have one identifier each, in an attribute called ID.',
  id_duplicate: 'Two elements of the answer have the same identifier.',
  signature_missing:
    'The assertion is not signed. Turn signing of assertions on at the provider; signing the response is not enough.',
  signature_count:
    'The answer contains a signature that is neither the response’s nor the assertion’s own, or two of one.',
  signed_info_count: 'The signature must have exactly one SignedInfo.',
  reference_count: 'The signature must have exactly one Reference.',
  signature_shape: 'The signature has other parts than it should, or in another order.',
  reference_target: 'The signature is over something else than the element that it stands in.',
  canonicalization: 'The signature must use exclusive canonicalization, without comments.',
  transforms: 'The signature must use the enveloped and the exclusive transform, and no others.',
  signature_algorithm: 'The signature must be RSA or ECDSA with SHA-256 or better. Choose SHA-256 at the provider.',
  digest_algorithm: 'The digest of the signature must be SHA-256 or better. Choose SHA-256 at the provider.',
  digest_value: 'The digest of the signature is not the base64 of one.',
  signature_value: 'The value of the signature is not base64.',
  signature_invalid:
    'No certificate of the connection verifies the signature. If the provider has a new certificate, enter it.',
  response_signature_invalid: 'The assertion is signed well, but the signature of the response around it is not.',
  status: 'The provider says that the sign-in failed.',
  destination: 'The answer was sent to another address. Enter our address at the provider as the ACS URL.',
  response_issuer: 'The response was issued by another entity than the connection’s provider.',
  issuer: 'The assertion was issued by another entity than the connection’s provider.',
  version: 'The assertion is not of SAML 2.0.',
  issued_in_future: 'The assertion was issued in the future. Compare the clocks of both sides.',
  subject: 'The assertion must have exactly one subject.',
  name_id:
    'The subject must have one NameID, of up to 256 characters, without space at its ends and characters that cannot be seen.',
  confirmation: 'The subject must have exactly one confirmation, of the kind bearer.',
  recipient: 'The assertion is for another recipient. Enter our address at the provider as the ACS URL.',
  confirmation_expired: 'The confirmation of the subject has expired, or has no end. Compare the clocks of both sides.',
  confirmation_not_yet_valid: 'The confirmation of the subject begins in the future. Compare the clocks of both sides.',
  conditions: 'The assertion must have one Conditions element, with conditions that SAML 2.0 defines.',
  not_yet_valid: 'The assertion is not valid yet. Compare the clocks of both sides.',
  expired: 'The assertion has expired, or has no end. Compare the clocks of both sides.',
  audience: 'The assertion is for another audience. Enter our entity id at the provider.',
  authentication: 'The assertion must say once how somebody signed in, and that session must not be over.',
  attributes: 'Attributes must have names, up to 2,000 values in all, and up to 4,096 characters a value.',
  unsolicited:
    'The answer answers no request of ours. Begin the sign-in here; sign-ins that begin at the provider are refused.',
  request_mismatch: 'The response and its assertion answer different requests.',
  request_unknown: 'The request was never made, is too old, or was answered before. Begin the sign-in again.',
}
