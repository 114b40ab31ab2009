import { createHash, createHmac } from 'node:crypto'
import { buildAuthorizationUrl } from 'openid-client'
import type { Provider } from './provider.ts'

/**
 * Secrets of one sign-in. All follow from what only the browser keeps, in a cookie: nothing is stored here that could complete a sign-in,
 * and an answer that another browser began cannot be redeemed.
 */
export interface SignInSecrets {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

export function secretsOf(browserSecret: string): SignInSecrets {
  const derived = (purpose: string) =>
    createHmac('sha256', browserSecret).update(`weir oidc ${purpose}`).digest('base64url')
  return { state: derived('state'), nonce: derived('nonce'), codeVerifier: derived('code verifier') }
}

/**
 * Returns the address of the provider at which somebody signs in: code flow, with PKCE by S256 whatever the provider announces, and the
 * answer in the query.
 */
export function authorizationUrl(
  { configuration }: Provider,
  { state, nonce, codeVerifier }: SignInSecrets,
  { redirectUri, loginHint }: { redirectUri: string; loginHint?: string },
): URL {
  return buildAuthorizationUrl(configuration, {
    response_type: 'code',
    response_mode: 'query',
    scope: 'openid email profile',
    redirect_uri: redirectUri,
    state,
    nonce,
    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(loginHint !== undefined && { login_hint: loginHint }),
  })
}
