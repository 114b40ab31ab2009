import type { ProviderConfig } from '../config-schema.ts'
import type { Clock } from '../infra/clock.ts'
import { LiveSecret } from '../infra/secrets.ts'
import { awsSignature } from './aws-signature.ts'
import { GoogleToken } from './google-token.ts'
import type { Authorize } from './upstream-request.ts'

/** Makes the proof of a provider's credential. A caller that brings its own needs none of ours. */
export function createAuthorize(
  { credential, region = '' }: ProviderConfig,
  env: NodeJS.ProcessEnv,
  clock: Clock,
): Authorize {
  if ('aws' in credential) return awsSignature(credential.aws, region, env, clock)
  if ('google' in credential) {
    const token = new GoogleToken(credential.google, env, clock)
    return async () => ({ authorization: `Bearer ${await token.value()}` })
  }
  if (!('header' in credential)) return () => Promise.resolve({})
  const secret = new LiveSecret(credential, env, clock)
  return () => Promise.resolve({ [credential.header.toLowerCase()]: (credential.prefix ?? '') + secret.value() })
}
