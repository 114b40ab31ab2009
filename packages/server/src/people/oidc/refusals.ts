import type { OidcRefusal } from './verification.ts'

/** Every reason why a provider's answer is refused, with what it means to the administrator of a connection. The audit log names the reason. */
export const oidcRefusals: Readonly<Record<OidcRefusal, string>> = {
  parameter_repeated: 'The answer has a parameter twice.',
  state: 'The answer belongs to another sign-in.',
  response_issuer:
    'The answer is of another provider than the connection’s, or does not say of which although it always does.',
  provider_error: 'The provider says that the sign-in failed, or the person broke it off.',
  code_missing: 'The answer has no code.',
  token_in_query: 'The answer has a token in its address. Turn the implicit and hybrid flows off at the provider.',
  provider_unreachable: 'The provider could not be reached, or did not answer in time.',
  code_refused:
    'The provider did not redeem the code: it was used before, is too old, or was made for another sign-in.',
  client_refused: 'The provider does not know the client, or its secret is wrong. Enter the current client secret.',
  token_malformed: 'The answer of the provider has no ID token that can be read.',
  signature_invalid: 'No key of the provider verifies the signature of the ID token.',
  algorithm: 'The ID token must be signed with RSA, ECDSA or EdDSA. Choose RS256 at the provider.',
  issuer: 'The ID token was issued by another provider than the connection’s.',
  audience: 'The ID token was issued for another client.',
  authorized_party: 'The ID token was issued to another client, or to several without saying to which.',
  expired: 'The ID token has expired. Compare the clocks of both sides.',
  issued_in_future: 'The ID token was issued in the future. Compare the clocks of both sides.',
  issued_long_ago: 'The ID token was issued more than ten minutes ago. Compare the clocks of both sides.',
  nonce: 'The ID token belongs to another sign-in.',
  subject: 'The ID token does not name a person, or by a name of more than 255 characters.',
}
