import { generateKeyPairSync, type KeyObject, randomUUID, verify } from 'node:crypto'
import type { Arrived, Verdict } from './cloud-server.ts'

/** A service account of Google's, and what its token server knows of it. */
export function googleAccount(email = 'weir@acme-models.iam.gserviceaccount.com') {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    email,
    publicKey,
    /** The file of its key. */
    file: (tokenUrl: string) =>
      JSON.stringify({
        type: 'service_account',
        client_email: email,
        private_key_id: 'key-1',
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
        token_uri: tokenUrl,
      }),
  }
}

/** Tokens that were given out, until when they are good. */
export type IssuedTokens = Map<string, number>

const error = (status: number, name: string, message: string): Verdict => ({
  status,
  body: { error: { code: status, message, status: name } },
})

/** Google's token server: it gives out a token for a claim that the account has signed, and that is meant for this server now. */
export function judgeClaim(
  account: { readonly email: string; readonly publicKey: KeyObject },
  issued: IssuedTokens,
  seconds: number,
  { url, body, headers }: Arrived,
  nowMs: number,
): Verdict {
  const form = new URLSearchParams(body.toString())
  const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.')
  const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    account.publicKey,
    Buffer.from(signature, 'base64url'),
  )
  const { iss, aud, scope, iat, exp } = isSigned ? decoded(claims) : {}
  const isRight =
    form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer' &&
    headers['content-type'] === 'application/x-www-form-urlencoded' &&
    iss === account.email &&
    aud === url.href &&
    scope === 'https://www.googleapis.com/auth/cloud-platform' &&
    Math.abs(Number(iat) * 1_000 - nowMs) < 300_000 &&
    Number(exp) - Number(iat) <= 3_600 &&
    decoded(header)['alg'] === 'RS256' &&
    decoded(header)['kid'] === 'key-1'
  if (!isRight) return { status: 400, body: { error: 'invalid_grant', error_description: `Invalid JWT: ${claims}` } }
  const token = `ya29.${randomUUID()}`
  issued.set(token, nowMs + seconds * 1_000)
  return { status: 200, body: { access_token: token, expires_in: seconds, token_type: 'Bearer' } }
}

interface Vertex {
  readonly project: string
  readonly region: string
  readonly models: Readonly<Record<string, string>>
}

/** Refuses a request without a token that is good. */
function judgeToken(issued: IssuedTokens, { headers }: Arrived, nowMs: number): Verdict | undefined {
  const [, token = ''] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? []
  if ((issued.get(token) ?? 0) > nowMs) return undefined
  return error(401, 'UNAUTHENTICATED', `Request had invalid authentication credentials: ${headers.authorization}`)
}

/** Gemini on Vertex AI, as far as it checks requests. */
export function judgeVertexGemini(vertex: Vertex, issued: IssuedTokens, request: Arrived, nowMs: number): Verdict {
  const refusal = judgeToken(issued, request, nowMs)
  if (refusal) return refusal
  const place = `/v1/projects/${vertex.project}/locations/${vertex.region}/publishers/google/models/`
  if (!request.rawPath.startsWith(place)) return error(403, 'PERMISSION_DENIED', 'Permission denied on project')
  const body = request.body.toString()
  const [id = '', operation = ''] = request.rawPath.slice(place.length).split(':')
  const model = vertex.models[id]
  if (model === undefined) return error(404, 'NOT_FOUND', `Publisher Model ${id} was not found`)
  if ('model' in (JSON.parse(body) as object)) return error(400, 'INVALID_ARGUMENT', 'Unknown name "model"')
  return { path: `/v1beta/models/${model}:${operation}${request.url.search}`, body }
}

/** Vertex AI, as far as it checks requests. */
export function judgeVertex(vertex: Vertex, issued: IssuedTokens, request: Arrived, nowMs: number): Verdict {
  const { url, rawPath } = request
  const refusal = judgeToken(issued, request, nowMs)
  if (refusal) return refusal
  const [, project, region, id = '', operation] =
    /^\/v1\/projects\/([^/]+)\/locations\/([^/]+)\/publishers\/anthropic\/models\/([^/]+):(rawPredict|streamRawPredict)$/.exec(
      rawPath,
    ) ?? []
  if (project !== vertex.project || region !== vertex.region || url.search !== '')
    return error(403, 'PERMISSION_DENIED', `Permission denied on project ${vertex.project} for weir@acme-models`)
  const body = JSON.parse(request.body.toString()) as Record<string, unknown>
  if (body['anthropic_version'] !== 'vertex-2023-10-16')
    return error(400, 'INVALID_ARGUMENT', `anthropic_version: ${String(body['anthropic_version'])}`)
  if (id === 'count-tokens') return { path: '/v1/messages/count_tokens', body: JSON.stringify(body) }
  const model = vertex.models[decodeURIComponent(id)]
  if (model === undefined) return error(404, 'NOT_FOUND', `Publisher Model ${id} was not found`)
  const stream = operation === 'streamRawPredict'
  if ('model' in body || (body['stream'] ?? false) !== stream)
    return error(400, 'INVALID_ARGUMENT', 'model: Extra inputs are not permitted')
  return { path: '/v1/messages', body: JSON.stringify({ ...body, model }) }
}
