/** OpenID Connect: a provider is found, somebody is sent to it, and what they bring back is verified. No database. */

import { type Callback, type OidcOutcome, strictVerifier, verifyCallbackWith } from './verification.ts'

export { authorizationUrl, type SignInSecrets, secretsOf } from './authorization.ts'
export { maxLogoutAgeSeconds, verifyLogoutToken } from './logout-token.ts'
export {
  type DiscoveryFault,
  discoverProvider,
  discoveryFaults,
  isSoundAddress,
  type OidcClient,
  type Provider,
} from './provider.ts'
export { oidcRefusals } from './refusals.ts'
export type { OidcSubject } from './subject.ts'
export type { Callback, OidcOutcome, OidcRefusal } from './verification.ts'

/**
 * Verifies what a browser brings back from a provider. The person that is returned was signed for by the connection's provider, for this
 * client, now, and for the sign-in that this browser began.
 */
export const verifyCallback = (callback: Callback): Promise<OidcOutcome> => verifyCallbackWith(strictVerifier, callback)
