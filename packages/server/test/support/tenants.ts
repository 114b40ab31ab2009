import { operatorScopes, tenantScopes } from '../../src/access/identity/identity.ts'
import type { Role } from '../../src/contract/routes.ts'
import { mint } from '../../src/tenants/keys/keys.ts'
import { operatorsOrgId, requireId } from '../../src/values/id.ts'
import { call } from './call.ts'
import type { ServerUnderTest } from './harness.ts'

export { type Answer, call } from './call.ts'

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
