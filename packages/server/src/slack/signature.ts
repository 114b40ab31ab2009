import { createHmac, hash, timingSafeEqual } from 'node:crypto'

/** Age of a request, in either direction, up to which its signature is taken. */
const maxAgeSeconds = 300

const shape = /^v0=[0-9a-f]{64}$/

/** The headers by which Slack signs a request. */
export interface SlackSignature {
  readonly timestamp: string
  readonly signature: string
}

/** Returns the signature of a request; undefined when it has none, or one of another time. */
export function signatureIn(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  now: Date,
): SlackSignature | undefined {
  const { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature } = headers
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return undefined
  if (!/^\d{1,12}$/.test(timestamp) || !shape.test(signature)) return undefined
  const ageSeconds = Math.abs(now.getTime() / 1_000 - Number(timestamp))
  return ageSeconds <= maxAgeSeconds ? { timestamp, signature } : undefined
}

const expected = (secret: string, timestamp: string, body: Buffer) =>
  `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`

/** True when a body was signed with a secret; takes as long when it was not. */
export const isSigned = (secret: string, { timestamp, signature }: SlackSignature, body: Buffer): boolean =>
  timingSafeEqual(Buffer.from(expected(secret, timestamp, body)), Buffer.from(signature))

/** Returns what tells a signed request from all others. */
export const digestOf = ({ timestamp, signature }: SlackSignature): Buffer =>
  hash('sha256', `${timestamp} ${signature}`, 'buffer')
