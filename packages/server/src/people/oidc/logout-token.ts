import { compactVerify, createRemoteJWKSet, customFetch as fetchKeys, type JWTPayload } from 'jose'
import { customFetch } from 'openid-client'
import { isRecord } from '../../values/records.ts'
import { brokenRule, rulesNamed } from '../answer-rules/answer-rules.ts'
import type { Provider } from './provider.ts'
import { asymmetric, clockSkewSeconds } from './token-rules.ts'

/** Everything that the rules about a logout token read. */
interface LogoutFacts {
  readonly claims: JWTPayload
  readonly issuer: string
  readonly clientId: string
  readonly nowMs: number
}

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
const maxTextLength = 255
/** Age up to which a logout token is taken; its id must be remembered for as long. */
export const maxLogoutAgeSeconds = 600

const isShortText = (value: unknown) => typeof value === 'string' && value !== '' && value.length <= maxTextLength

/** Rules about a token by which a provider ends sessions, beyond its signature. */
export const logoutRules = rulesNamed({
  issuer: ({ claims, issuer }: LogoutFacts) => claims.iss === issuer,
  audience: ({ claims, clientId }: LogoutFacts) => [claims.aud].flat().includes(clientId),
  issued: ({ claims, nowMs }: LogoutFacts) =>
    typeof claims.iat === 'number' &&
    nowMs >= (claims.iat - clockSkewSeconds) * 1_000 &&
    nowMs < (claims.iat + maxLogoutAgeSeconds) * 1_000,
  expired: ({ claims, nowMs }: LogoutFacts) =>
    claims.exp === undefined || (typeof claims.exp === 'number' && nowMs < (claims.exp + clockSkewSeconds) * 1_000),
  event: ({ claims }: LogoutFacts) => isRecord(claims['events']) && isRecord(claims['events'][logoutEvent]),
  /** An ID token has a nonce: it must not pass for a logout token. */
  nonce: ({ claims }: LogoutFacts) => claims['nonce'] === undefined,
  subject: ({ claims }: LogoutFacts) => isShortText(claims.sub),
  token_id: ({ claims }: LogoutFacts) => isShortText(claims.jti),
})

type ProviderKeys = ReturnType<typeof createRemoteJWKSet>

/** Keys of providers, kept as long as the provider itself; an unknown one makes it be asked again, not too often. */
const keysOf = new WeakMap<Provider, ProviderKeys>()

function providerKeys(provider: Provider): ProviderKeys {
  const known = keysOf.get(provider)
  if (known) return known
  const { configuration } = provider
  const fetchThroughWall = configuration[customFetch]
  const keys = createRemoteJWKSet(new URL(configuration.serverMetadata().jwks_uri ?? ''), {
    ...(fetchThroughWall && {
      [fetchKeys]: (url: string, { headers }: { headers: Headers }) =>
        fetchThroughWall(url, {
          method: 'GET',
          headers: Object.fromEntries(headers),
          body: undefined,
          redirect: 'manual',
        }),
    }),
  })
  keysOf.set(provider, keys)
  return keys
}

/** A verified wish of a provider to end the sessions of somebody. */
export interface LogoutWish {
  readonly subject: string
  readonly tokenId: string
}

/** Verifies a token by which a provider ends sessions (back-channel logout); undefined for anything that is none. */
export const verifyLogoutToken = (provider: Provider, token: string, now: Date): Promise<LogoutWish | undefined> =>
  verifyLogoutTokenWith(logoutRules, provider, token, now)

export async function verifyLogoutTokenWith(
  rules: typeof logoutRules,
  provider: Provider,
  token: string,
  now: Date,
): Promise<LogoutWish | undefined> {
  const claims = await signedClaims(provider, token).catch(() => undefined)
  if (!claims) return undefined
  const { issuer } = provider.configuration.serverMetadata()
  const facts = { claims, issuer, clientId: provider.client.clientId, nowMs: now.getTime() }
  if (brokenRule(rules, facts) !== undefined) return undefined
  return { subject: String(claims.sub), tokenId: String(claims.jti) }
}

/** Reads the claims of a token that the provider has signed; throws for any other. */
async function signedClaims(provider: Provider, token: string): Promise<JWTPayload | undefined> {
  const { payload } = await compactVerify(token, providerKeys(provider), { algorithms: [...asymmetric] })
  const claims: unknown = JSON.parse(Buffer.from(payload).toString())
  return isRecord(claims) ? claims : undefined
}
