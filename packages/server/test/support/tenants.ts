import { operatorScopes, tenantScopes } from '../../src/access/identity/identity.ts'
import type { Role } from '../../src/contract/routes.ts'
import { mint } from '../../src/tenants/keys/keys.ts'
import { operatorsOrgId, requireId } from '../../src/values/id.ts'
import type { ServerUnderTest } from './harness.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Record<string, unknown> & { error?: { code: string; details: Record<string, unknown> } }
}

/** Calls a server as somebody. */
export async function call(
  url: string,
  method: string,
  path: string,
  options: { key?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(options.key !== undefined && { authorization: `Bearer ${options.key}` }),
      ...(options.body !== undefined && { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(options.body !== undefined && {
      body: typeof options.body === 'string' ? options.body : JSON.stringify(options.body),
    }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text !== '' ? (JSON.parse(text) as Answer['json']) : {},
  }
}

interface KeyOptions {
  role?: Role
  scopes?: readonly string[]
  pins?: Record<string, string>
  notBefore?: Date
  expiresAt?: Date
}

/** A key minted past the API, in any state a test needs. */
export async function keyOf(server: ServerUnderTest, orgId: string, options: KeyOptions = {}) {
  const uuid = orgId.startsWith('org_') ? requireId('org', orgId) : orgId
  const { view, secret } = await server.platform.sql.asOrgs([uuid], (tx) =>
    mint(server.platform, tx, uuid, { name: 'test', role: 'owner', scopes: tenantScopes, ...options }),
  )
  return { id: view.id, key: secret }
}

export const operatorOf = (server: ServerUnderTest) =>
  keyOf(server, operatorsOrgId, { role: 'operator', scopes: operatorScopes })

export interface Tenant {
  readonly id: string
  readonly key: string
  readonly keyId: string
}

export async function tenantOf(server: ServerUnderTest, operator: string, name = 'Acme'): Promise<Tenant> {
  const { json } = await call(server.url, 'POST', '/v1/admin/orgs', { key: operator, body: { name } })
  const { id, owner_key } = json as unknown as { id: string; owner_key: { id: string; secret: string } }
  return { id, key: owner_key.secret, keyId: owner_key.id }
}
