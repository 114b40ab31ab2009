import { crc32 } from 'node:zlib'
import { call } from '../tenants.ts'

/** A directory that provisions an organization, as a test plays it. */
export interface TestDirectory {
  readonly token: string
  readonly tokenId: string
  readonly ask: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<ScimAnswer>
}

export interface ScimResource {
  readonly id: string
  readonly userName?: string
  readonly displayName?: string
  readonly externalId?: string
  readonly active?: boolean
  readonly members?: readonly { value: string; display: string; type: string }[]
  readonly emails?: readonly { value: string; type?: string; primary?: boolean }[]
  readonly [field: string]: unknown
}

export interface ScimAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: ScimResource & {
    readonly totalResults: number
    readonly itemsPerPage: number
    readonly startIndex: number
    readonly Resources: readonly ScimResource[]
    readonly scimType?: string
    readonly detail?: string
  }
}

/** Sends a request to `/scim/v2` with a token, or without one. */
export async function askScim(
  url: string,
  token: string | undefined,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ScimAnswer> {
  const response = await fetch(`${url}/scim/v2${path}`, {
    method,
    headers: {
      accept: 'application/scim+json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/scim+json; charset=utf-8' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isScim = response.headers.get('content-type')?.startsWith('application/scim+json') === true
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: (isScim ? JSON.parse(text) : {}) as ScimAnswer['json'],
  }
}

/** Makes a token as an owner does, and returns the directory that has it. */
export async function directoryOf(url: string, tenant: { id: string; key: string }): Promise<TestDirectory> {
  const made = await call(url, 'POST', `/v1/orgs/${tenant.id}/scim-tokens`, { key: tenant.key, body: { name: 'Okta' } })
  if (made.status !== 201) throw new Error(`token: ${made.status} ${made.text}`)
  const { id, secret } = made.json as unknown as { id: string; secret: string }
  return {
    token: secret,
    tokenId: id,
    ask: (method, path, body, headers) => askScim(url, secret, method, path, body, headers),
  }
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Returns a token with another prefix or secret and a checksum that fits: it is refused for nothing but what it says. */
export function forgedToken(token: string, change: { prefix?: string; secret?: string }): string {
  const [prefix = '', id = '', rest = ''] = token.split('_')
  const head = `${change.prefix ?? prefix}_${id}_${change.secret ?? rest.slice(0, -6)}`
  let left = crc32(head)
  let checksum = ''
  for (let i = 0; i < 6; i++) {
    checksum = base62[left % 62] + checksum
    left = Math.floor(left / 62)
  }
  return head + checksum
}
