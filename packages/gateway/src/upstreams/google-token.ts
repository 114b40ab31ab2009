import { sign } from 'node:crypto'
import { request } from 'undici'
import type { SecretSource } from '../config-schema.ts'
import { parseObject } from '../dialects/fields.ts'
import type { Clock } from '../infra/clock.ts'
import { LiveSecret } from '../infra/secrets.ts'
import { type GoogleKey, parseGoogleKey } from '../values/google-key.ts'

const scope = 'https://www.googleapis.com/auth/cloud-platform'
const claimedSeconds = 3_600
/** The time before its end from which a token is renewed, while it still serves. */
const aheadMs = 300_000
const timeoutMs = 5_000

interface Token {
  readonly text: string
  /** The secret that it was had for. */
  readonly secret: string
  readonly endMs: number
}

/** A token of Google's, had for a service account, kept, and renewed before it ends; one request for all that wait for it. */
export class GoogleToken {
  #token: Token | undefined
  #renewal: { readonly secret: string; readonly token: Promise<Token> } | undefined
  readonly #secret: LiveSecret
  private readonly clock: Clock

  constructor(source: SecretSource, env: NodeJS.ProcessEnv, clock: Clock) {
    this.#secret = new LiveSecret(source, env, clock)
    this.clock = clock
  }

  async value(): Promise<string> {
    const secret = this.#secret.value()
    const leftMs = this.#token?.secret === secret ? this.#token.endMs - this.clock.monotonicMs() : 0
    if (this.#token === undefined || leftMs <= 0) return (await this.#renewed(secret)).text
    // A renewal that fails is tried again by the next call; this one has a token.
    if (leftMs < aheadMs) this.#renewed(secret).catch(() => undefined)
    return this.#token.text
  }

  #renewed(secret: string): Promise<Token> {
    if (this.#renewal?.secret !== secret) {
      const token = this.#ask(secret).finally(() => {
        if (this.#renewal?.token === token) this.#renewal = undefined
      })
      this.#renewal = { secret, token }
    }
    return this.#renewal.token
  }

  async #ask(secret: string): Promise<Token> {
    const key = parseGoogleKey(secret)
    const askedMs = this.clock.monotonicMs()
    const form = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: assertionOf(key, Math.floor(this.clock.wallMs() / 1_000)),
    })
    const answer = await request(key.tokenUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const { access_token: text, expires_in: seconds } = parseObject(await answer.body.text()) ?? {}
    if (answer.statusCode !== 200 || typeof text !== 'string' || !/^[\x21-\x7e]+$/.test(text))
      throw new Error(`the token server answered ${answer.statusCode}, and no token`)
    this.#token = { text, secret, endMs: askedMs + Math.max(0, Number(seconds) || 0) * 1_000 }
    return this.#token
  }
}

/** Writes the claim of a service account, signed with its key. */
function assertionOf({ email, keyId, privateKey, tokenUrl }: GoogleKey, atSeconds: number): string {
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) }
  const claims = { iss: email, scope, aud: tokenUrl, iat: atSeconds, exp: atSeconds + claimedSeconds }
  const signed = `${encoded(header)}.${encoded(claims)}`
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
}
