import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll } from 'vitest'

export type Json = Record<string, unknown>

/** A request that a provider has received, with what a log of it would show. */
export interface ProviderRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly form: URLSearchParams
}

/** A code that the provider has given out: to whom, and for which request. */
interface Grant {
  readonly asked: URLSearchParams
  readonly claims: Json
  isUsed: boolean
}

const keysOf = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const encoded = (value: Json) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Returns a compact token, signed as its header says. */
export function tokenOf(header: Json, claims: Json, key: KeyObject | string): string {
  const input = `${encoded(header)}.${encoded(claims)}`
  const alg = String(header['alg'])
  if (alg === 'none') return `${input}.`
  const signature =
    typeof key === 'string' ? createHmac('sha256', key).update(input).digest() : sign('sha256', Buffer.from(input), key)
  return `${input}.${signature.toString('base64url')}`
}

/**
 * An identity provider that does what a test tells it to: a real HTTP server with discovery, keys, a token endpoint that keeps to PKCE and
 * takes a code once, and a log. Nobody signs in at it: a test asks it for a code, as somebody's browser would.
 */
export function useOidcProvider(path = '') {
  const { privateKey, publicKey } = keysOf()
  const requests: ProviderRequest[] = []
  const grants = new Map<string, Grant>()
  const provider = {
    url: '',
    issuer: '',
    clientId: 'weir-client',
    clientSecret: 'very-secret-of-the-client',
    privateKey,
    publicKey,
    keyId: 'key-1',
    requests,
    /** Put over the discovery document. */
    metadata: {} as Json,
    /** What the token endpoint makes of the claims that it would send. */
    forge: (claims: Json): { header?: Json; claims?: Json; token?: string } => ({ claims }),
    /** A weakness of the provider: a code works again and again. */
    forgetsCodes: false,
    /** Replaces the response of a path. */
    answers: new Map<string, () => { status: number; type?: string; body: string }>(),
    /** Returns a code for a request to authorize, as if this person had signed in and agreed. */
    codeFor: (authorization: URL, claims: Json): string => {
      const code = randomUUID()
      grants.set(code, { asked: authorization.searchParams, claims, isUsed: false })
      return code
    },
    /** Returns the address to which the browser of this person is sent back. */
    answerTo: (authorization: URL, claims: Json): URL => {
      const { searchParams: asked } = authorization
      const back = new URL(String(asked.get('redirect_uri')))
      back.searchParams.set('code', provider.codeFor(authorization, claims))
      back.searchParams.set('state', String(asked.get('state')))
      if (provider.metadata['authorization_response_iss_parameter_supported'] === true)
        back.searchParams.set('iss', provider.issuer)
      return back
    },
    jwk: () => ({ ...publicKey.export({ format: 'jwk' }), kid: provider.keyId, use: 'sig', alg: 'RS256' }),
    reset: () => {
      provider.metadata = {}
      provider.forgetsCodes = false
      provider.forge = (claims) => ({ claims })
      provider.answers.clear()
      requests.length = 0
    },
  }

  const document = () => ({
    issuer: provider.issuer,
    authorization_endpoint: `${provider.issuer}/authorize`,
    token_endpoint: `${provider.issuer}/token`,
    jwks_uri: `${provider.issuer}/keys`,
    end_session_endpoint: `${provider.issuer}/logout`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    ...provider.metadata,
  })

  /** Redeems a code as RFC 6749 and RFC 7636 say. */
  function redeem(form: URLSearchParams): { status: number; body: Json } {
    const refused = (error: string) => ({ status: 400, body: { error } })
    const grant = grants.get(form.get('code') ?? '')
    if (!grant || (grant.isUsed && !provider.forgetsCodes)) return refused('invalid_grant')
    grant.isUsed = true
    if (form.get('redirect_uri') !== grant.asked.get('redirect_uri')) return refused('invalid_grant')
    const challenge = grant.asked.get('code_challenge')
    const verifier = form.get('code_verifier')
    const hashed = createHash('sha256')
      .update(verifier ?? '')
      .digest('base64url')
    if (challenge === null ? verifier !== null : hashed !== challenge) return refused('invalid_grant')
    const nowSeconds = Math.floor(Date.now() / 1_000)
    const honest = {
      iss: provider.issuer,
      aud: provider.clientId,
      iat: nowSeconds,
      exp: nowSeconds + 300,
      nonce: grant.asked.get('nonce'),
      ...grant.claims,
    }
    const { header = {}, claims = honest, token } = provider.forge(honest)
    const id_token = token ?? tokenOf({ alg: 'RS256', kid: provider.keyId, ...header }, claims, privateKey)
    return { status: 200, body: { access_token: 'access-token-of-somebody', token_type: 'Bearer', id_token } }
  }

  const server = createServer((request, response) => {
    void (async () => {
      const form = new URLSearchParams(await text(request))
      const at = new URL(request.url ?? '/', 'http://provider').pathname
      const { authorization } = request.headers
      requests.push({ method: request.method ?? '', path: at, authorization, form })
      const send = (status: number, body: string, type = 'application/json') =>
        response.writeHead(status, { 'content-type': type }).end(body)
      const replaced = provider.answers.get(at)?.()
      if (replaced) return send(replaced.status, replaced.body, replaced.type)
      if (at === `${path}/.well-known/openid-configuration`) return send(200, JSON.stringify(document()))
      if (at === new URL(document().jwks_uri).pathname) return send(200, JSON.stringify({ keys: [provider.jwk()] }))
      if (at === new URL(document().token_endpoint).pathname) {
        const { status, body } = redeem(form)
        return send(status, JSON.stringify(body))
      }
      return send(404, '{}')
    })()
  })
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    provider.issuer = provider.url + path
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return provider
}

export type TestProvider = ReturnType<typeof useOidcProvider>
