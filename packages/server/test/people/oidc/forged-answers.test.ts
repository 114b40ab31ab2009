import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import * as door from '../../../src/people/oidc/oidc.ts'
import {
  type Callback,
  type CallbackVerifier,
  type OidcOutcome,
  type OidcRefusal,
  strictVerifier,
  verifyCallbackWith,
} from '../../../src/people/oidc/verification.ts'
import { createOutbound } from '../../../src/platform/infra/outbound.ts'
import { type Forgery, forgeries } from '../../support/oidc/forgeries.ts'
import { naively } from '../../support/oidc/naive-redemption.ts'
import { type Json, useOidcProvider } from '../../support/oidc/provider.ts'

const outbound = createOutbound({
  allowedCidrs: ['127.0.0.1/32'],
  allowedPorts: [{ first: 1, last: 65_535 }],
  dnsServers: undefined,
  timeoutSeconds: 5,
})
afterAll(() => outbound.close())
const provider = useOidcProvider()
beforeEach(provider.reset)

const redirectUri = 'https://weir.example.com/sso/callback/sso_1'
const ada: Json = { sub: 'ada-1', email: 'ada@acme.example', email_verified: true, name: 'Ada' }

async function found(): Promise<door.Provider> {
  const { issuer, clientId, clientSecret } = provider
  const discovered = await door.discoverProvider(outbound, { issuer, clientId, clientSecret })
  if (typeof discovered === 'string') throw new Error(discovered)
  return discovered
}

/** What Ada's browser brings back, when somebody has changed what a forgery says. */
async function callbackOf(forgery: Partial<Forgery> = {}): Promise<Callback> {
  provider.reset()
  provider.metadata = forgery.metadata ?? {}
  const discovered = await found()
  const secrets = door.secretsOf('of-the-browser')
  const { searchParams } = provider.answerTo(door.authorizationUrl(discovered, secrets, { redirectUri }), ada)
  const { forge } = forgery
  if (forge) provider.forge = (claims) => forge(claims, provider)
  forgery.query?.(searchParams, provider)
  return { parameters: searchParams, redirectUri, provider: discovered, secrets, now: new Date() }
}

/** A verifier without some rules. Only here, as its parts are no settings. */
const weakened = (without: readonly OidcRefusal[], redeem = naively()): CallbackVerifier => ({
  callbackRules: strictVerifier.callbackRules.filter(({ name }) => !without.includes(name)),
  redeem,
  tokenRules: strictVerifier.tokenRules.filter(({ name }) => !without.includes(name)),
})
const ruleNames = [...strictVerifier.callbackRules, ...strictVerifier.tokenRules].map(({ name }) => name)
const libraryAlone: CallbackVerifier = { ...strictVerifier, callbackRules: [], tokenRules: [] }
const isLetIn = (outcome: OidcOutcome) => 'subject' in outcome

describe.each(Object.entries(forgeries))('an answer that is %s', (_, list) => {
  test.each(list)('is refused: $name', async (forgery) => {
    const { caughtBy, library } = forgery
    const callbackRuleNames = new Set<string>(strictVerifier.callbackRules.map(({ name }) => name))
    const isBeforeLibrary = caughtBy.some((name) => callbackRuleNames.has(name))
    const outcome = await door.verifyCallback(await callbackOf(forgery))
    expect(outcome).toEqual({ refusal: isBeforeLibrary ? caughtBy[0] : (library ?? caughtBy[0]) })

    const weak = await verifyCallbackWith(weakened(caughtBy), await callbackOf(forgery))
    expect(isLetIn(weak), 'the planted weakness lets it in').toBe(true)
    for (const rule of caughtBy) {
      const others = caughtBy.filter((name) => name !== rule)
      const alone = await verifyCallbackWith(weakened(others), await callbackOf(forgery))
      expect(alone, `${rule} alone refuses it`).toEqual({ refusal: rule })
    }
    const byLibrary = await verifyCallbackWith(libraryAlone, await callbackOf(forgery))
    expect('refusal' in byLibrary ? byLibrary.refusal : undefined, 'the library by itself').toBe(library)
    expect(caughtBy.length > 0 || library !== undefined).toBe(true)
  })
})

describe('a code', () => {
  test('of another sign-in does not fit into this one: not its verifier, and not its nonce', async () => {
    const callback = await callbackOf()
    /** Mallory signs in as herself, and puts her code into Ada's answer. */
    const mallory = door.secretsOf('of-mallory')
    const inject = (authorization: URL) =>
      callback.parameters.set('code', provider.codeFor(authorization, { sub: 'mallory' }))
    const hers = door.authorizationUrl(callback.provider, mallory, { redirectUri })

    inject(hers)
    expect(await door.verifyCallback(callback)).toEqual({ refusal: 'code_refused' })
    inject(hers)
    expect(await verifyCallbackWith(weakened(['nonce']), callback)).toEqual({ refusal: 'code_refused' })
    // Downgraded: her request had no challenge, and a client without PKCE redeems her code.
    hers.searchParams.delete('code_challenge')
    inject(hers)
    expect(await door.verifyCallback(callback)).toEqual({ refusal: 'code_refused' })
    inject(hers)
    expect(await verifyCallbackWith(weakened([], naively({ pkce: false })), callback)).toEqual({ refusal: 'nonce' })
    inject(hers)
    const weak = await verifyCallbackWith(weakened(['nonce'], naively({ pkce: false })), callback)
    expect(weak, 'without PKCE and nonce she is in').toMatchObject({ subject: { subject: 'mallory' } })
  })

  test('is redeemed once', async () => {
    const callback = await callbackOf()
    expect(isLetIn(await door.verifyCallback(callback))).toBe(true)
    expect(await door.verifyCallback(callback)).toEqual({ refusal: 'code_refused' })
  })

  test('is not sent to a provider when the answer is already refused', async () => {
    for (const forgery of forgeries.misplaced) {
      await door.verifyCallback(await callbackOf(forgery))
      expect(provider.requests.filter(({ path }) => path === '/token')).toEqual([])
    }
  })
})

describe('the provider', () => {
  const tokenPath = '/token'
  test.each([
    ['says that the client is unknown', { status: 401, body: '{"error":"invalid_client"}' }, 'client_refused'],
    ['sends no token', { status: 200, body: '{"access_token":"x","token_type":"Bearer"}' }, 'token_malformed'],
    ['sends something else', { status: 200, type: 'text/html', body: '<html>' }, 'token_malformed'],
    ['sends more than it should', { status: 200, body: 'x'.repeat(300_000) }, 'provider_unreachable'],
    ['redirects', { status: 302, body: '' }, 'token_malformed'],
  ])('%s: refused', async (_, answer, refusal) => {
    const callback = await callbackOf()
    provider.answers.set(tokenPath, () => answer)
    expect(await door.verifyCallback(callback)).toEqual({ refusal })
  })

  test('can change its keys: the next sign-in of a new process knows the new one', async () => {
    const callback = await callbackOf()
    provider.answers.set('/keys', () => ({ status: 200, body: '{"keys":[]}' }))
    expect(await door.verifyCallback(callback)).toEqual({ refusal: 'signature_invalid' })
    expect(isLetIn(await door.verifyCallback(await callbackOf()))).toBe(true)
  })

  test('gets the client secret in the body, or in a header where it does not announce that', async () => {
    await door.verifyCallback(await callbackOf())
    const inHeader = provider.requests.find(({ path }) => path === tokenPath)
    const [id, secret] = Buffer.from(inHeader?.authorization?.slice(6) ?? '', 'base64')
      .toString()
      .split(':')
    expect([id, secret].map((part) => decodeURIComponent(part ?? ''))).toEqual([
      provider.clientId,
      provider.clientSecret,
    ])
    expect(inHeader?.form.get('client_secret')).toBe(null)
    await door.verifyCallback(
      await callbackOf({
        metadata: { token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'] },
      }),
    )
    const inBody = provider.requests.find(({ path }) => path === tokenPath)
    expect(inBody?.authorization).toBe(undefined)
    expect(inBody?.form.get('client_secret')).toBe(provider.clientSecret)
  })
})

describe('the collection', () => {
  const all = Object.values(forgeries).flat()
  test('needs every rule: each is among those that alone refuse some forgery', () => {
    const reasons = new Set(all.flatMap(({ caughtBy }) => caughtBy))
    expect(ruleNames.filter((name) => !reasons.has(name))).toEqual(['code_missing'])
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  })

  test('is judged by names that are each explained', () => {
    expect(ruleNames.filter((name) => !(name in door.oidcRefusals))).toEqual([])
  })

  test('a weakness cannot be reached from the door', () => {
    expect(Object.keys(door)).not.toContain('verifyCallbackWith')
    expect(door.verifyCallback.length).toBe(1)
  })
})

test('an answer without a code is refused before the provider is asked', async () => {
  const callback = await callbackOf({ query: (parameters) => parameters.delete('code') })
  expect(await door.verifyCallback(callback)).toEqual({ refusal: 'code_missing' })
})
