import type { ServerUnderTest } from '../harness.ts'
import { call, type Tenant } from '../tenants.ts'
import type { Json, TestProvider } from './provider.ts'

/** A browser without a screen: it keeps cookies, and goes where a test sends it. */
export class Visitor {
  readonly #server: ServerUnderTest
  readonly cookies = new Map<string, string>()

  constructor(server: ServerUnderTest) {
    this.#server = server
  }

  /** Opens an address of the service, as a page of it or a bookmark would, unless other headers say otherwise. */
  async open(path: string, options: { form?: Record<string, string>; headers?: Record<string, string> } = {}) {
    const { form, headers = { 'sec-fetch-site': 'none' } } = options
    const response = await fetch(this.#server.url + path, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: {
        ...headers,
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
      ...(form && { body: new URLSearchParams(form).toString() }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return response
  }

  /** Begins a sign-in; returns the address of the provider to which it is sent. */
  async begin(connectionId: string, query = ''): Promise<URL> {
    const response = await this.open(`/sso/${connectionId}${query}`)
    if (response.status !== 303) throw new Error(`begin: ${response.status} ${await response.text()}`)
    return new URL(response.headers.get('location') ?? '')
  }

  /** Comes back from a provider. */
  comeBack(address: URL) {
    return this.open(address.pathname + address.search, { headers: { 'sec-fetch-site': 'cross-site' } })
  }

  /** Signs in as whoever a provider says. */
  async signIn(provider: TestProvider, connectionId: string, claims: Json) {
    return this.comeBack(provider.answerTo(await this.begin(connectionId), claims))
  }

  /** Returns who the service takes the visitor for. */
  async me(): Promise<Json> {
    const session = this.cookies.get('weir')
    const headers = session === undefined ? {} : { cookie: `weir=${session}` }
    return (await call(this.#server.url, 'GET', '/v1/me', { headers })).json
  }
}

/** Makes a connection of an organization to a provider; returns its id. */
export async function connect(
  server: ServerUnderTest,
  tenant: Tenant,
  { issuer, clientId, clientSecret }: Pick<TestProvider, 'issuer' | 'clientId' | 'clientSecret'>,
  more: object = {},
): Promise<string> {
  const { status, json, text } = await call(server.url, 'POST', `/v1/orgs/${tenant.id}/sso-connections`, {
    key: tenant.key,
    body: {
      kind: 'oidc',
      name: 'Test',
      oidc: { issuer, client_id: clientId, client_secret: clientSecret },
      default_role: 'viewer',
      ...more,
    },
  })
  if (status !== 201) throw new Error(text)
  return json['id'] as string
}
