import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { environmentFor } from './harness.ts'
import { startApi } from './processes.ts'
import { programEnvironment } from './programs.ts'
import { call } from './tenants.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** Several real API processes on one database, and a tenant to try them with. */
export async function startInstallation(
  database: { ownerUrl: string; appUrl: string },
  processes: number,
  more: Record<string, string> = {},
) {
  const environment = environmentFor(database, more)
  const apis = await Promise.all(Array.from({ length: processes }, () => startApi(environment)))
  const minted = execFileSync(process.execPath, [main, 'create-operator-key', 'test'], {
    env: { ...programEnvironment, ...environment },
    encoding: 'utf8',
  })
  const { key: operator } = JSON.parse(minted) as { key: string }
  const { json } = await call(apis[0]!.url, 'POST', '/v1/admin/orgs', { key: operator, body: { name: 'Acme' } })
  const { id, owner_key } = json as unknown as { id: string; owner_key: { secret: string } }
  return { apis, operator, orgId: id, owner: owner_key.secret, environment }
}

export interface MintedKey {
  readonly id: string
  readonly secret: string
}

export async function mintOver(
  url: string,
  orgId: string,
  owner: string,
  headers: Record<string, string> = {},
): Promise<MintedKey> {
  const { json } = await call(url, 'POST', `/v1/orgs/${orgId}/keys`, {
    key: owner,
    headers,
    body: { name: 'k', role: 'viewer', scopes: ['orgs:read'] },
  })
  return json as unknown as MintedKey
}
