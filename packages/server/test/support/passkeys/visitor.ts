import { type Answer, call, type Tenant } from '../tenants.ts'
import {
  type Ask,
  assertionAnswer,
  type Faults,
  newPasskey,
  registrationAnswer,
  type TestPasskey,
} from './authenticator.ts'

/** A browser without a screen: it keeps cookies and sends forms, from pages of ours unless told otherwise. */
export class Visitor {
  readonly home: string
  readonly cookies: Map<string, string>

  constructor(port: number, cookies: ReadonlyMap<string, string> = new Map()) {
    this.home = `http://localhost:${port}`
    this.cookies = new Map(cookies)
  }

  /** A browser with the same cookies: that of a thief, or of the same person a moment ago. */
  copy(): Visitor {
    return new Visitor(Number(new URL(this.home).port), this.cookies)
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async send(
    method: 'GET' | 'POST',
    path: string,
    fields?: Record<string, string>,
    headers: Record<string, string> = {},
  ) {
    const response = await fetch(this.home + path, {
      method,
      redirect: 'manual',
      headers: {
        cookie: this.cookie,
        ...(fields && { 'content-type': 'application/x-www-form-urlencoded', origin: this.home }),
        ...headers,
      },
      ...(fields && { body: new URLSearchParams(fields).toString() }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return {
      status: response.status,
      headers: response.headers,
      location: response.headers.get('location'),
      text: await response.text(),
    }
  }

  get = (path: string) => this.send('GET', path)
  post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    this.send('POST', path, fields, headers)

  /** Calls `/v1` as a page of this browser's session. */
  async api(method: string, path: string, body?: unknown, more: Record<string, string> = {}): Promise<Answer> {
    const session = { cookie: this.cookie, 'x-csrf-token': await this.csrfToken() }
    const headers = { ...session, 'sec-fetch-site': 'same-origin', ...more }
    return call(this.home, method, path, { headers, ...(body !== undefined && { body }) })
  }

  async me(): Promise<Answer> {
    return call(this.home, 'GET', '/v1/me', { headers: { cookie: this.cookie } })
  }

  async csrfToken(): Promise<string> {
    const { json } = await this.me()
    return (json['session'] as { csrf_token?: string } | null)?.csrf_token ?? ''
  }

  /** Opens a link that signs in. */
  async openLink(link: string) {
    return this.post('/console/signin', { code: new URL(link).searchParams.get('code') ?? '' })
  }

  private askOf(options: { challenge: string }): Ask {
    return { origin: this.home, rpId: 'localhost', challenge: options.challenge }
  }

  /** Asks for a new passkey; undefined where it is refused. */
  async askToAdd(): Promise<{ ask: Ask; handle: Buffer; excluded: string[] } | undefined> {
    const { status, text } = await this.post('/console/passkeys/options', { csrf_token: await this.csrfToken() })
    if (status !== 200) return undefined
    const options = JSON.parse(text) as {
      challenge: string
      user: { id: string }
      excludeCredentials: { id: string }[]
    }
    const excluded = options.excludeCredentials.map(({ id }) => id)
    return { ask: this.askOf(options), handle: Buffer.from(options.user.id, 'base64url'), excluded }
  }

  async add(answer: string, name = 'Laptop') {
    return this.post('/console/passkeys', { csrf_token: await this.csrfToken(), answer, name })
  }

  /** Adds a passkey, as the page does. */
  async enrol(): Promise<TestPasskey> {
    const asked = await this.askToAdd()
    if (!asked) throw new Error('a passkey may not be added')
    const passkey = newPasskey(asked.handle)
    const { status, text } = await this.add(registrationAnswer(passkey, asked.ask))
    if (status !== 303) throw new Error(`enrolment: ${status} ${text}`)
    return passkey
  }

  async recoveryCodes(): Promise<string[]> {
    const { text } = await this.post('/console/recovery-codes', { csrf_token: await this.csrfToken() })
    return [...text.matchAll(/<code>([0-9a-z-]{19})<\/code>/g)].map(([, code]) => code ?? '')
  }

  async askToSignIn(): Promise<Ask> {
    return this.askOf(
      JSON.parse((await this.post('/console/signin/passkey/options', {})).text) as { challenge: string },
    )
  }

  /** Signs in with a passkey, as the page does. */
  async signIn(passkey: TestPasskey, faults: Faults = {}) {
    const answer = assertionAnswer(passkey, await this.askToSignIn(), faults)
    return this.post('/console/signin/passkey', { answer })
  }
}

/** Invites somebody; returns their link and who they are. */
export async function invite(url: string, { id, key }: Tenant, email: string, role = 'member') {
  const { json, status, text } = await call(url, 'POST', `/v1/orgs/${id}/members`, { key, body: { email, role } })
  if (status !== 201) throw new Error(`invitation: ${status} ${text}`)
  return { link: (json['invitation'] as { url: string }).url, memberId: String(json['id']) }
}
