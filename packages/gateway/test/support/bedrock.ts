import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Arrived, Verdict } from './cloud-server.ts'

/**
 * Bedrock, as far as it checks requests: signatures are computed here from Amazon's description of them, bodies are judged as the real service
 * judges them, and streams are written in Amazon's form by code of our own.
 */
export interface BedrockAccount {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  readonly region: string
  /** The models that it has, by their ids. */
  readonly models: Readonly<Record<string, string>>
  nowMs(): number
}

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex')
const hmac = (key: Buffer | string, data: string) => createHmac('sha256', key).update(data).digest()

const error = (status: number, type: string, message: string): Verdict => ({
  status,
  body: { message },
  headers: { 'x-amzn-errortype': type },
})

export function judgeBedrock(account: BedrockAccount, request: Arrived): Verdict {
  const fault = signatureFault(account, request)
  if (fault !== undefined) return error(403, fault.type, fault.message)
  const [, id = '', operation] = /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream)$/.exec(request.rawPath) ?? []
  const model = account.models[decodeURIComponent(id)]
  if (operation === undefined || model === undefined)
    return error(404, 'ResourceNotFoundException', `Could not resolve the foundation model from ${id}`)
  const body = JSON.parse(request.body.toString()) as Record<string, unknown>
  for (const field of ['model', 'stream'])
    if (field in body) return error(400, 'ValidationException', `#: extraneous key [${field}] is not permitted`)
  if (body['anthropic_version'] !== 'bedrock-2023-05-31')
    return error(400, 'ValidationException', `Invalid API version: ${String(body['anthropic_version'])}`)
  if (typeof body['max_tokens'] !== 'number') return error(400, 'ValidationException', 'max_tokens: Field required')
  if (body['system'] === 'over capacity')
    return error(429, 'ThrottlingException', 'Too many tokens, please wait before trying again.')
  const stream = operation !== 'invoke'
  return {
    path: '/v1/messages',
    body: JSON.stringify({ ...body, model, stream }),
    type: 'application/vnd.amazon.eventstream',
    wrap: body['system'] === 'flip a bit' ? flippedFrames : amazonFrames,
  }
}

/** Says what is wrong with the signature of a request, as the service does: with all that it computed. */
function signatureFault(account: BedrockAccount, { headers, method, rawPath, url, body }: Arrived) {
  const [, id, day, region, service, names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? []
  if (id === undefined) return { type: 'MissingAuthenticationTokenException', message: 'Missing Authentication Token' }
  const date = String(headers['x-amz-date'])
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? []
  const atMs = Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s))
  if (!(Math.abs(atMs - account.nowMs()) <= 300_000) || !date.startsWith(String(day)))
    return { type: 'InvalidSignatureException', message: `Signature expired: ${date}` }
  if (id !== account.accessKeyId || headers['x-amz-security-token'] !== account.sessionToken)
    return { type: 'UnrecognizedClientException', message: 'The security token included in the request is invalid.' }
  if (region !== account.region || service !== 'bedrock')
    return {
      type: 'InvalidSignatureException',
      message: `Credential should be scoped to a valid region, not ${region}`,
    }
  const signed = names.split(';')
  const mustBeSigned = ['host', 'content-type', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))]
  const payload = sha256(body)
  if (mustBeSigned.some((name) => !signed.includes(name)) || signed.toSorted().join() !== signed.join())
    return { type: 'InvalidSignatureException', message: `headers must be signed: ${mustBeSigned.join()}` }
  if (headers['x-amz-content-sha256'] !== payload)
    return { type: 'InvalidSignatureException', message: 'The payload hash does not match.' }
  const canonical = [
    method,
    rawPath.split('/').map(uriEncoded).join('/'),
    [...url.searchParams]
      .map(([name, value]) => `${uriEncoded(name)}=${uriEncoded(value)}`)
      .toSorted()
      .join('&'),
    ...signed.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    names,
    payload,
  ].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', date, `${day}/${region}/${service}/aws4_request`, sha256(canonical)].join('\n')
  const key = ['aws4_request'].reduce(
    hmac,
    [String(day), region, service].reduce<Buffer | string>(hmac, `AWS4${account.secretAccessKey}`),
  ) as Buffer
  const expected = hmac(key, toSign)
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'))
    ? undefined
    : { type: 'InvalidSignatureException', message: `The Canonical String should have been '${canonical}'` }
}

/** Encodes a segment as Amazon does: again where it is encoded already. */
const uriEncoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`)

/** Writes a stream in which a bit of the last message of each piece is wrong. */
function flippedFrames(): (piece: Buffer) => Buffer {
  const frames = amazonFrames()
  return (piece) => {
    const bytes = frames(piece)
    return Buffer.from(bytes.map((byte, i) => (i === bytes.length - 20 ? byte ^ 1 : byte)))
  }
}

/** Writes server-sent events as messages of Amazon's, wherever the pieces in which they come end. */
function amazonFrames(): (piece: Buffer) => Buffer {
  let pending = ''
  return (piece) => {
    const blocks = (pending + piece.toString()).split('\n\n')
    pending = blocks.pop() ?? ''
    return Buffer.concat(
      blocks.map((block) => {
        const event = JSON.parse(block.slice(block.indexOf('data: ') + 6)) as { type: string }
        const metrics = { inputTokenCount: 1, outputTokenCount: 1, invocationLatency: 9, firstByteLatency: 3 }
        const shown = event.type === 'message_stop' ? { ...event, 'amazon-bedrock-invocationMetrics': metrics } : event
        const bytes = Buffer.from(JSON.stringify(shown)).toString('base64')
        return amazonMessage({ ':event-type': 'chunk', ':message-type': 'event' }, { bytes, p: 'abcdefgh' })
      }),
    )
  }
}

export function amazonMessage(headers: Record<string, string>, body: object): Buffer {
  const written = Buffer.concat(
    Object.entries({ ...headers, ':content-type': 'application/json' }).map(([name, value]) => {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(Buffer.byteLength(value))
      return Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([7]),
        length,
        Buffer.from(value),
      ])
    }),
  )
  const payload = Buffer.from(JSON.stringify(body))
  const message = Buffer.alloc(12 + written.length + payload.length + 4)
  message.writeUInt32BE(message.length, 0)
  message.writeUInt32BE(written.length, 4)
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8)
  written.copy(message, 12)
  payload.copy(message, 12 + written.length)
  message.writeUInt32BE(crc32(message.subarray(0, message.length - 4)), message.length - 4)
  return message
}
