import { AuthorizationResponseError, ResponseBodyError } from 'openid-client'
import { isRecord } from '../../values/records.ts'
import { errorCode } from '../../values/thrown.ts'
import { ProviderUnreachable } from './provider-requests.ts'

/** Reasons why a code is not redeemed. Those about a token have the names that our own rules give them. */
export type RedemptionRefusal =
  | 'provider_unreachable'
  | 'provider_error'
  | 'code_refused'
  | 'client_refused'
  | 'token_malformed'
  | 'signature_invalid'
  | 'algorithm'
  | 'issuer'
  | 'audience'
  | 'authorized_party'
  | 'expired'
  | 'nonce'
  | 'state'

const byClaim: Readonly<Record<string, RedemptionRefusal>> = {
  iss: 'issuer',
  aud: 'audience',
  azp: 'authorized_party',
  exp: 'expired',
  nonce: 'nonce',
}
const byCode: Readonly<Record<string, RedemptionRefusal>> = {
  OAUTH_KEY_SELECTION_FAILED: 'signature_invalid',
  OAUTH_UNSUPPORTED_OPERATION: 'algorithm',
}

/** Returns the causes of an error, itself first. */
function* causesOf(error: unknown): Generator {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) yield at
}

/** Returns what an error of the library means. Nothing of its text is kept: it may hold the token, the code or the secret. */
export function redemptionRefusal(error: unknown): RedemptionRefusal {
  const causes = [...causesOf(error)]
  if (causes.some((cause) => cause instanceof ProviderUnreachable)) return 'provider_unreachable'
  if (error instanceof AuthorizationResponseError) return 'provider_error'
  if (error instanceof ResponseBodyError) return error.error === 'invalid_client' ? 'client_refused' : 'code_refused'
  for (const cause of causes) {
    const details = cause instanceof Error && isRecord(cause.cause) ? cause.cause : {}
    const claim = byClaim[String(details['claim'])]
    if (claim !== undefined) return claim
    if (cause instanceof Error && /signature verification failed/.test(cause.message)) return 'signature_invalid'
    if (cause instanceof Error && /"alg"/.test(cause.message)) return 'algorithm'
    const code = byCode[errorCode(cause) ?? '']
    if (code !== undefined) return code
  }
  return 'token_malformed'
}
