import type { components } from './api-types.ts'
import { WeirError } from './errors.ts'

type Schemas = components['schemas']
type EventName = { [Name in keyof Schemas]: Name extends `${string}Event` ? Name : never }[keyof Schemas]

/** The events that Weir sends, as a union that `switch (event.type)` tells apart. */
export type WeirEvent = Schemas[Exclude<EventName, 'LoggedEvent'>]

export interface VerifyOptions {
  /** The body as it arrived, to the byte: before any parsing. */
  readonly body: string | Uint8Array
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The secret of the subscription, as it was shown; several while one replaces another. */
  readonly secret: string | readonly string[]
  /** The largest difference of the clocks: 300 seconds where it is left out. */
  readonly toleranceSeconds?: number | undefined
  /** The time, in seconds since 1970; now where it is left out. */
  readonly nowSeconds?: number | undefined
  /** The organization's secret, for deliveries that are still signed with it (version 1, deprecated). They have no time: a replay is not noticed. */
  readonly organizationSecret?: string | undefined
}

const encoder = new TextEncoder()

/**
 * Verifies that a delivery is Weir's own and recent, and returns its event; throws `webhook_not_genuine` otherwise. Reads `X-Svc-Signature` of
 * version 2, or the headers of Standard Webhooks where a proxy has left only those.
 */
export async function verifyWebhook(options: VerifyOptions): Promise<WeirEvent> {
  const { headers, organizationSecret } = options
  const body = typeof options.body === 'string' ? encoder.encode(options.body) : options.body
  const signature = headerOf(headers, 'x-svc-signature')
  const standard = headerOf(headers, 'webhook-signature')
  if (signature?.startsWith('t=')) await verifyTimed(options, body, signature)
  else if (standard !== undefined) await verifyStandard(options, body, standard)
  else if (signature?.startsWith('v1=') && organizationSecret !== undefined)
    await match([signature.slice('v1='.length)].map(fromHex), [organizationSecret], [body])
  else throw notGenuine('missing_header')
  return JSON.parse(new TextDecoder().decode(body)) as WeirEvent
}

async function verifyTimed(options: VerifyOptions, body: Uint8Array, header: string) {
  const parts = header.split(',').map((part) => part.trim().split('='))
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  checkTime(time, options)
  const given = parts.filter(([name]) => name === 'v1').map(([, value = '']) => fromHex(value))
  await match(given, secretsOf(options), [encoder.encode(`${time}.`), body])
}

async function verifyStandard(options: VerifyOptions, body: Uint8Array, header: string) {
  const id = headerOf(options.headers, 'webhook-id')
  const time = headerOf(options.headers, 'webhook-timestamp')
  if (id === undefined || time === undefined) throw notGenuine('missing_header')
  checkTime(time, options)
  const given = header.split(' ').flatMap((one) => (one.startsWith('v1,') ? [fromBase64(one.slice(3))] : []))
  // Its key is what stands in base64 behind the prefix of the secret.
  const keys = secretsOf(options).map((secret) => fromBase64(secret.replace(/^whsec_/, '')) ?? new Uint8Array())
  await match(given, keys, [encoder.encode(`${id}.${time}.`), body])
}

const secretsOf = ({ secret }: VerifyOptions): readonly string[] => (typeof secret === 'string' ? [secret] : secret)

function checkTime(time: string, { toleranceSeconds = 300, nowSeconds = Date.now() / 1_000 }: VerifyOptions) {
  if (!/^\d{1,15}$/.test(time)) throw notGenuine('missing_header')
  if (Math.abs(nowSeconds - Number(time)) > toleranceSeconds) throw notGenuine('outside_tolerance')
}

/** Throws unless one of the signatures is made with one of the secrets. The comparison is the platform's own, which takes the same time for all. */
async function match(
  given: readonly (Uint8Array<ArrayBuffer> | undefined)[],
  secrets: readonly (string | Uint8Array)[],
  text: readonly Uint8Array[],
) {
  const message = joined(text)
  const signatures = given.filter((one) => one !== undefined)
  for (const secret of secrets) {
    const bytes = typeof secret === 'string' ? encoder.encode(secret) : Uint8Array.from(secret)
    if (bytes.length === 0) continue
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    for (const signature of signatures) if (await crypto.subtle.verify('HMAC', key, signature, message)) return
  }
  throw notGenuine('no_match')
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

function headerOf(headers: VerifyOptions['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? []
  return typeof value === 'string' ? value : value?.[0]
}

function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[0-9a-f]{64}$/i.test(text)) return undefined
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const notGenuine = (reason: 'missing_header' | 'no_match' | 'outside_tolerance') =>
  new WeirError({ code: 'webhook_not_genuine', message: `The webhook is not genuine: ${reason}.`, details: { reason } })
