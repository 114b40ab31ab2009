import { rulesNamed } from '../answer-rules/answer-rules.ts'

/** Everything that the rules about an ID token read. */
export interface TokenFacts {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
  readonly issuer: string
  readonly clientId: string
  readonly nonce: string
  readonly nowMs: number
}

/** Seconds by which the clocks of a provider and of this service may be apart. */
export const clockSkewSeconds = 60
/** A token is redeemed at once: one that was issued long ago was kept by somebody. */
const maxAgeSeconds = 600
const maxSubjectCharacters = 255

/** Signatures that only the provider can make; those by a shared secret could be made by whoever knows it. */
export const asymmetric = new Set('RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' '))

const audiencesOf = ({ claims }: TokenFacts) => (Array.isArray(claims['aud']) ? claims['aud'] : [claims['aud']])
const seconds = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined)

/**
 * Rules about what an ID token says. The library that redeems the code judges most of it as well: two readers must agree, and these know
 * the service's clock.
 */
export const tokenRules = rulesNamed({
  algorithm: ({ header }: TokenFacts) => typeof header['alg'] === 'string' && asymmetric.has(header['alg']),
  issuer: ({ claims, issuer }: TokenFacts) => claims['iss'] === issuer,
  audience: (facts: TokenFacts) => audiencesOf(facts).includes(facts.clientId),
  authorized_party: (facts: TokenFacts) => {
    const { claims, clientId } = facts
    return claims['azp'] === clientId || (claims['azp'] === undefined && audiencesOf(facts).length === 1)
  },
  expired: ({ claims, nowMs }: TokenFacts) => {
    const end = seconds(claims['exp'])
    return end !== undefined && nowMs < (end + clockSkewSeconds) * 1_000
  },
  issued_in_future: ({ claims, nowMs }: TokenFacts) => {
    const issued = seconds(claims['iat'])
    return issued !== undefined && nowMs >= (issued - clockSkewSeconds) * 1_000
  },
  issued_long_ago: ({ claims, nowMs }: TokenFacts) => {
    const issued = seconds(claims['iat'])
    return issued !== undefined && nowMs < (issued + maxAgeSeconds) * 1_000
  },
  nonce: ({ claims, nonce }: TokenFacts) => claims['nonce'] === nonce,
  subject: ({ claims }: TokenFacts) => {
    const { sub } = claims
    return (
      typeof sub === 'string' && sub.length <= maxSubjectCharacters && /^[^\s\p{C}](?:[^\p{C}]*[^\s\p{C}])?$/u.test(sub)
    )
  },
})
