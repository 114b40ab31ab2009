import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
} from 'openid-client'
import type { Outbound } from '../../platform/infra/outbound.ts'
import { errorCode } from '../../values/thrown.ts'
import { ProviderUnreachable, providerFetch } from './provider-requests.ts'
import { clockSkewSeconds } from './token-rules.ts'

/** Settings of a connection that its provider gave to the organization. */
export interface OidcClient {
  readonly issuer: string
  readonly clientId: string
  /** Null for a public client, which PKCE alone protects. */
  readonly clientSecret: string | null
}

/** A provider that was found by its issuer. */
export interface Provider {
  readonly client: OidcClient
  readonly configuration: Configuration
}

/** Reasons why a provider cannot be used, with what to do about it. */
export const discoveryFaults = {
  unreachable: 'The provider could not be reached, or did not answer in time.',
  refused_address:
    'The issuer is at an address that is not public. The operator can allow it by SVC_SSO_ALLOWED_CIDRS.',
  not_found: 'There is no discovery document under the issuer. Copy the issuer as the provider shows it.',
  issuer_mismatch:
    'The discovery document is of another issuer. Copy the issuer as the provider shows it; with Entra ID, that of your own tenant.',
  incomplete: 'The discovery document lacks an endpoint that sign-in needs, or has one that is not HTTPS.',
} as const
export type DiscoveryFault = keyof typeof discoveryFaults

/** Plain HTTP never leaves this machine; the wall lets it in only where the operator allows loopback. */
const localHttp = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:\/|$)/

/** True for the address of a provider or of one of its endpoints. */
export const isSoundAddress = (text: unknown): text is string =>
  typeof text === 'string' && URL.canParse(text) && (new URL(text).protocol === 'https:' || localHttp.test(text))

/** Finds a provider by its issuer, through the wall. The issuer must be the document's own, letter by letter. */
export async function discoverProvider(outbound: Outbound, client: OidcClient): Promise<Provider | DiscoveryFault> {
  try {
    const configuration = await discovery(
      new URL(client.issuer),
      client.clientId,
      { [clockTolerance]: clockSkewSeconds },
      authenticationOf(client),
      {
        [customFetch]: providerFetch(outbound),
        execute: [enableNonRepudiationChecks, ...(localHttp.test(client.issuer) ? [allowInsecureRequests] : [])],
      },
    )
    const metadata = configuration.serverMetadata()
    // The library lets the issuers of Entra ID's shared endpoints pass; we do not.
    if (withoutSlash(metadata.issuer) !== withoutSlash(client.issuer)) return 'issuer_mismatch'
    const { authorization_endpoint, token_endpoint, jwks_uri, end_session_endpoint } = metadata
    const isComplete =
      [authorization_endpoint, token_endpoint, jwks_uri].every(isSoundAddress) &&
      (end_session_endpoint === undefined || isSoundAddress(end_session_endpoint))
    if (!isComplete) return 'incomplete'
    return { client, configuration }
  } catch (error) {
    return faultOf(error)
  }
}

const withoutSlash = (text: string) => text.replace(/\/$/, '')

/** Authenticates in the body where the provider takes it: not all read the encoding of the header alike, which is the standard's default. */
const authenticationOf = ({ clientSecret }: OidcClient): ClientAuth => {
  if (clientSecret === null) return None()
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const authenticate = methods.includes('client_secret_post') ? ClientSecretPost : ClientSecretBasic
    return authenticate(clientSecret)(server, client, body, headers)
  }
}

/** Returns what kept a provider from being found. Errors of the library carry whole answers, so only their codes are read. */
function faultOf(error: unknown): DiscoveryFault {
  const cause = error instanceof Error && error.cause instanceof ProviderUnreachable ? error.cause : error
  if (cause instanceof ProviderUnreachable)
    return cause.failure.error === 'refused_address' ? 'refused_address' : 'unreachable'
  if (errorCode(error) === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') return 'issuer_mismatch'
  if (errorCode(error) === 'OAUTH_INVALID_RESPONSE') return 'incomplete'
  return 'not_found'
}
