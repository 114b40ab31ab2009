import { Hash } from '@smithy/core/serde'
import { SignatureV4 } from '@smithy/signature-v4'
import type { AwsCredential, SecretSource } from '../config-schema.ts'
import type { Clock } from '../infra/clock.ts'
import { LiveSecret } from '../infra/secrets.ts'
import { type AwsKeys, parseAwsKeys } from '../values/aws-keys.ts'
import type { Authorize } from './upstream-request.ts'

/** Returns the keys as they are now. Those that are exported together change together. */
function keysOf(credential: AwsCredential, env: NodeJS.ProcessEnv, clock: Clock): () => AwsKeys {
  const live = (source: SecretSource | undefined) => source && new LiveSecret(source, env, clock)
  const exported = live(credential.exported)
  if (exported) return () => parseAwsKeys(exported.value())
  const id = live(credential.access_key_id)
  const secret = live(credential.secret_access_key)
  const session = live(credential.session_token)
  return () => ({
    accessKeyId: id?.value() ?? '',
    secretAccessKey: secret?.value() ?? '',
    ...(session && { sessionToken: session.value() }),
  })
}

/** Signs requests to Amazon: a signature is good for one request, for some minutes, in one region. */
export function awsSignature(
  credential: AwsCredential,
  region: string,
  env: NodeJS.ProcessEnv,
  clock: Clock,
): Authorize {
  const keys = keysOf(credential, env, clock)
  const signer = new SignatureV4({
    service: 'bedrock',
    region,
    sha256: Hash.bind(null, 'sha256'),
    credentials: async () => keys(),
  })
  return async ({ method, path, headers, body }) => {
    const host = String(headers['host'])
    const { headers: signed } = await signer.sign(
      // What a proxy on the way may change is not signed.
      {
        method,
        protocol: 'https:',
        hostname: host,
        path,
        query: {},
        headers: { host, 'content-type': String(headers['content-type']) },
        body,
      },
      { signingDate: new Date(clock.wallMs()) },
    )
    return signed
  }
}
