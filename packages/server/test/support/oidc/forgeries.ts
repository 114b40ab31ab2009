import { generateKeyPairSync } from 'node:crypto'
import type { OidcRefusal } from '../../../src/people/oidc/verification.ts'
import { type Json, type TestProvider, tokenOf } from './provider.ts'

/** A forged answer: what is wrong with it, and who sees that. */
export interface Forgery {
  readonly name: string
  /** The rules of ours that refuse it, the first first. Without any, only the library and the provider do. */
  readonly caughtBy: readonly OidcRefusal[]
  /** What the library says by itself; undefined where it sees nothing wrong. */
  readonly library: OidcRefusal | undefined
  /** Changes what the provider says of itself. */
  readonly metadata?: Json
  /** Changes the token that the provider sends, knowing the honest claims. */
  readonly forge?: (claims: Json, provider: TestProvider) => { header?: Json; claims?: Json; token?: string }
  /** Changes the query with which the browser comes back. */
  readonly query?: (parameters: URLSearchParams, provider: TestProvider) => void
}

const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })
const now = () => Math.floor(Date.now() / 1_000)
const claiming = (change: (claims: Json) => Json) => (claims: Json) => ({ claims: { ...claims, ...change(claims) } })
const without = (name: string) => (claims: Json) => ({
  claims: Object.fromEntries(Object.entries(claims).filter(([claim]) => claim !== name)),
})

/** Tokens that were not signed by the provider, or not in a way that only the provider can. */
const unsigned: readonly Forgery[] = [
  {
    name: 'the algorithm is none',
    caughtBy: ['algorithm'],
    library: 'algorithm',
    forge: (claims, { privateKey }) => ({ token: tokenOf({ alg: 'none' }, claims, privateKey) }),
  },
  {
    name: 'the algorithm is none, and the provider announces it',
    caughtBy: ['algorithm'],
    library: 'algorithm',
    metadata: { id_token_signing_alg_values_supported: ['RS256', 'none'] },
    forge: (claims, { privateKey }) => ({ token: tokenOf({ alg: 'none' }, claims, privateKey) }),
  },
  {
    name: 'HS256 with the public key as the secret',
    caughtBy: ['algorithm'],
    library: 'algorithm',
    metadata: { id_token_signing_alg_values_supported: ['RS256', 'HS256'] },
    forge: (claims, { publicKey, keyId }) => ({
      token: tokenOf({ alg: 'HS256', kid: keyId }, claims, String(publicKey.export({ type: 'spki', format: 'pem' }))),
    }),
  },
  {
    name: 'HS256 with the client secret',
    caughtBy: ['algorithm'],
    library: 'algorithm',
    metadata: { id_token_signing_alg_values_supported: ['HS256'] },
    forge: (claims, { clientSecret }) => ({ token: tokenOf({ alg: 'HS256' }, claims, clientSecret) }),
  },
  {
    name: 'the key of somebody else, under the name of the provider’s',
    caughtBy: [],
    library: 'signature_invalid',
    forge: (claims, { keyId }) => ({ token: tokenOf({ alg: 'RS256', kid: keyId }, claims, stranger.privateKey) }),
  },
  {
    name: 'the key of somebody else, which the token brings along',
    caughtBy: [],
    library: 'signature_invalid',
    forge: (claims) => ({
      token: tokenOf(
        { alg: 'RS256', kid: 'mine', jwk: stranger.publicKey.export({ format: 'jwk' }) },
        claims,
        stranger.privateKey,
      ),
    }),
  },
  {
    name: 'claims that were changed after signing',
    caughtBy: [],
    library: 'signature_invalid',
    forge: (claims, { privateKey, keyId }) => {
      const [header, , signature] = tokenOf({ alg: 'RS256', kid: keyId }, claims, privateKey).split('.')
      const changed = Buffer.from(JSON.stringify({ ...claims, name: 'Mallory' })).toString('base64url')
      return { token: `${header}.${changed}.${signature}` }
    },
  },
]

/** Tokens that the provider signed, but not for us, now and for this sign-in. */
const misdirected: readonly Forgery[] = [
  {
    name: 'another issuer',
    caughtBy: ['issuer'],
    library: 'issuer',
    forge: claiming(() => ({ iss: 'https://login.example.com' })),
  },
  {
    name: 'the issuer with a slash more',
    caughtBy: ['issuer'],
    library: 'issuer',
    forge: claiming(({ iss }) => ({ iss: `${String(iss)}/` })),
  },
  { name: 'another audience', caughtBy: ['audience'], library: 'audience', forge: claiming(() => ({ aud: 'other' })) },
  { name: 'no audience', caughtBy: ['audience'], library: 'token_malformed', forge: without('aud') },
  {
    name: 'an audience that only contains ours',
    caughtBy: ['audience'],
    library: 'audience',
    forge: claiming(({ aud }) => ({ aud: `${String(aud)}-2` })),
  },
  {
    name: 'several audiences, and no party',
    caughtBy: ['authorized_party'],
    library: 'audience',
    forge: claiming(({ aud }) => ({ aud: [aud, 'other'] })),
  },
  {
    name: 'several audiences, and another party',
    caughtBy: ['authorized_party'],
    library: 'authorized_party',
    forge: claiming(({ aud }) => ({ aud: [aud, 'other'], azp: 'other' })),
  },
  {
    name: 'our audience, and another party',
    caughtBy: ['authorized_party'],
    library: undefined,
    forge: claiming(() => ({ azp: 'other' })),
  },
  {
    name: 'expired a while ago',
    caughtBy: ['expired'],
    library: 'expired',
    forge: claiming(() => ({ iat: now() - 500, exp: now() - 200 })),
  },
  { name: 'without an end', caughtBy: ['expired'], library: 'token_malformed', forge: without('exp') },
  {
    name: 'issued in the future',
    caughtBy: ['issued_in_future'],
    library: undefined,
    forge: claiming(() => ({ iat: now() + 300, exp: now() + 600 })),
  },
  {
    name: 'issued long ago, though it lasts',
    caughtBy: ['issued_long_ago'],
    library: undefined,
    forge: claiming(() => ({ iat: now() - 3_600 })),
  },
  {
    name: 'without a time of issue',
    caughtBy: ['issued_in_future', 'issued_long_ago'],
    library: 'token_malformed',
    forge: without('iat'),
  },
  { name: 'another nonce', caughtBy: ['nonce'], library: 'nonce', forge: claiming(() => ({ nonce: 'another' })) },
  { name: 'no nonce', caughtBy: ['nonce'], library: 'token_malformed', forge: without('nonce') },
  { name: 'no subject', caughtBy: ['subject'], library: 'token_malformed', forge: without('sub') },
  { name: 'a subject of spaces', caughtBy: ['subject'], library: undefined, forge: claiming(() => ({ sub: '  ' })) },
  {
    name: 'a subject that only looks like another',
    caughtBy: ['subject'],
    library: undefined,
    forge: claiming(({ sub }) => ({ sub: `${String(sub)}\u200b` })),
  },
  {
    name: 'a subject without end',
    caughtBy: ['subject'],
    library: undefined,
    forge: claiming(() => ({ sub: 'x'.repeat(256) })),
  },
]

/** Answers whose token is honest, but which do not belong here. */
const misplaced: readonly Forgery[] = [
  {
    name: 'no state',
    caughtBy: ['state'],
    library: 'token_malformed',
    query: (parameters) => parameters.delete('state'),
  },
  {
    name: 'another state',
    caughtBy: ['state'],
    library: 'token_malformed',
    query: (parameters) => parameters.set('state', 'another'),
  },
  {
    name: 'two states, one of them right',
    caughtBy: ['parameter_repeated'],
    library: 'token_malformed',
    query: (parameters) => parameters.append('state', 'another'),
  },
  {
    name: 'two codes',
    caughtBy: ['parameter_repeated'],
    library: 'token_malformed',
    query: (parameters) => parameters.append('code', 'another'),
  },
  {
    name: 'the issuer of another provider (mix-up)',
    caughtBy: ['response_issuer'],
    library: 'token_malformed',
    query: (parameters) => parameters.set('iss', 'https://evil.example'),
  },
  {
    name: 'no issuer, where the provider always names itself (mix-up)',
    caughtBy: ['response_issuer'],
    library: 'token_malformed',
    metadata: { authorization_response_iss_parameter_supported: true },
    query: (parameters) => parameters.delete('iss'),
  },
  {
    name: 'a code, and an error beside it',
    caughtBy: ['provider_error'],
    library: 'provider_error',
    query: (parameters) => parameters.set('error', 'access_denied'),
  },
  {
    name: 'a code, and an ID token of the implicit flow beside it',
    caughtBy: ['token_in_query'],
    library: 'algorithm',
    query: (parameters) => parameters.set('id_token', 'a.b.c'),
  },
]

export const forgeries = { unsigned, misdirected, misplaced }
