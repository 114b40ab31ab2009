import { authorizationCodeGrant } from 'openid-client'
import { isRecord } from '../../values/records.ts'
import { brokenRule } from '../answer-rules/answer-rules.ts'
import type { SignInSecrets } from './authorization.ts'
import { type CallbackFacts, callbackRules } from './callback-rules.ts'
import { type RedemptionRefusal, redemptionRefusal } from './library-errors.ts'
import type { Provider } from './provider.ts'
import { type OidcSubject, subjectOf } from './subject.ts'
import { tokenRules } from './token-rules.ts'

type NameOf<Rules extends readonly { readonly name: string }[]> = Rules[number]['name']

/** Reasons why a sign-in is refused, for the audit log. A person is told only that it failed. */
export type OidcRefusal = NameOf<typeof callbackRules> | NameOf<typeof tokenRules> | RedemptionRefusal

export type OidcOutcome = { readonly subject: OidcSubject } | { readonly refusal: OidcRefusal }

/** An answer of a provider, as a browser brings it back. */
export interface Callback {
  readonly parameters: URLSearchParams
  readonly redirectUri: string
  readonly provider: Provider
  readonly secrets: SignInSecrets
  readonly now: Date
}

/** The parts of a verifier. Only tests have another one. */
export interface CallbackVerifier {
  readonly callbackRules: typeof callbackRules
  /** Exchanges the code for an ID token, whose signature it verifies. */
  readonly redeem: (callback: Callback) => Promise<string | { readonly refusal: RedemptionRefusal }>
  readonly tokenRules: typeof tokenRules
}

export const strictVerifier: CallbackVerifier = { callbackRules, redeem, tokenRules }

async function redeem({ parameters, redirectUri, provider, secrets }: Callback) {
  const url = new URL(redirectUri)
  url.search = parameters.toString()
  try {
    const { id_token } = await authorizationCodeGrant(provider.configuration, url, {
      expectedState: secrets.state,
      expectedNonce: secrets.nonce,
      pkceCodeVerifier: secrets.codeVerifier,
      idTokenExpected: true,
    })
    return id_token ?? ({ refusal: 'token_malformed' } as const)
  } catch (error) {
    return { refusal: redemptionRefusal(error) }
  }
}

/** Reads a part of a token whose signature was verified. */
function partOf(token: string, place: number): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(Buffer.from(token.split('.')[place] ?? '', 'base64url').toString())
  return isRecord(value) ? value : {}
}

export async function verifyCallbackWith(verifier: CallbackVerifier, callback: Callback): Promise<OidcOutcome> {
  const { parameters, provider, secrets, now } = callback
  const facts: CallbackFacts = { parameters, provider, state: secrets.state }
  const broken = brokenRule(verifier.callbackRules, facts)
  if (broken !== undefined) return { refusal: broken }
  const token = await verifier.redeem(callback)
  if (typeof token !== 'string') return token
  const claims = partOf(token, 1)
  const brokenByToken = brokenRule(verifier.tokenRules, {
    header: partOf(token, 0),
    claims,
    issuer: provider.configuration.serverMetadata().issuer,
    clientId: provider.client.clientId,
    nonce: secrets.nonce,
    nowMs: now.getTime(),
  })
  return brokenByToken === undefined ? { subject: subjectOf(claims) } : { refusal: brokenByToken }
}
