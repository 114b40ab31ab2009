import { beforeAll, describe, expect, test } from 'vitest'
import { useServer } from '../../../test/support/harness.ts'
import { eventually } from '../../../test/support/processes.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../../../test/support/tenants.ts'

const server = useServer()
let operator: string
let acme: Tenant
let other: Tenant

beforeAll(async () => {
  operator = (await operatorOf(server)).key
  acme = await tenantOf(server, operator)
  other = await tenantOf(server, operator, 'Other')
})

const ask = (method: string, path: string, key: string, body?: unknown) =>
  call(server.url, method, path, { key, ...(body !== undefined && { body }) })

async function grant(scope: string) {
  const { status, json } = await ask('POST', '/v1/admin/support-grants', operator, {
    org_id: acme.id,
    scope,
    reason: 'Ticket 1',
    duration_seconds: 600,
  })
  expect(status).toBe(201)
  return json as unknown as { id: string; token: string; status: string; operator_key_id: string }
}

describe('a grant acts within its scope and nowhere else', () => {
  const attempts = {
    'reads the organization': ['GET', () => `/v1/orgs/${acme.id}`],
    'reads keys': ['GET', () => `/v1/orgs/${acme.id}/keys`],
    'changes the organization': ['PATCH', () => `/v1/orgs/${acme.id}`, { name: 'Acme' }],
    'mints a key': ['POST', () => `/v1/orgs/${acme.id}/keys`, { name: 'k', role: 'viewer', scopes: ['orgs:read'] }],
    'ends grants': ['GET', () => `/v1/orgs/${acme.id}/support-grants`],
  } satisfies Record<string, [string, () => string, unknown?]>
  const allowed: Record<string, (keyof typeof attempts)[]> = {
    read: ['reads the organization', 'reads keys', 'ends grants'],
    billing: [],
    configuration: ['reads the organization', 'changes the organization'],
  }
  test.each(Object.keys(allowed))('%s', async (scope) => {
    const { token } = await grant(scope)
    for (const [name, [method, path, body]] of Object.entries(attempts) as [
      keyof typeof attempts,
      [string, () => string, unknown?],
    ][]) {
      const { status, json } = await ask(method, path(), token, body)
      const refused = {
        status: 403,
        error: expect.objectContaining({
          code: 'support_scope_denied',
          details: { scope, method, reason: expect.any(String) as string },
        }) as object,
      }
      const expected = allowed[scope]!.includes(name) ? { status: 200, error: undefined } : refused
      expect({ status, error: json.error }, name).toEqual(expected)
    }
  })

  test('and in its own organization only', async () => {
    const { token } = await grant('read')
    expect((await ask('GET', `/v1/orgs/${other.id}`, token)).status).toBe(404)
    expect((await ask('GET', '/v1/admin/orgs', token)).json.error?.code).toBe('support_scope_denied')
    const me = await ask('GET', '/v1/me', token)
    expect(me.json).toMatchObject({ kind: 'support', org_id: acme.id, scopes: ['read'] })
  })
})

test('every request under a grant is on the customer’s record, allowed or denied', async () => {
  const { token, id } = await grant('read')
  expect((await ask('GET', `/v1/orgs/${acme.id}`, token)).status).toBe(200)
  expect((await ask('PATCH', `/v1/orgs/${acme.id}`, token, { name: 'x' })).status).toBe(403)
  const onRecord = async () => {
    const { json } = await ask('GET', `/v1/orgs/${acme.id}/audit-log?actor_id=${id}&limit=200`, acme.key)
    return (json['data'] as { action: string; outcome: string; actor: object }[]).map(({ action, outcome, actor }) => ({
      action,
      outcome,
      actor,
    }))
  }
  await eventually(async () => (await onRecord()).length >= 2)
  const actor = expect.objectContaining({
    kind: 'support',
    id,
    operator_key_id: expect.stringMatching(/^key_/),
  }) as object
  expect(await onRecord()).toEqual([
    { action: 'request GET /v1/orgs/{id}', outcome: 'allowed', actor },
    { action: 'request PATCH /v1/orgs/{id}', outcome: 'denied', actor },
  ])
})

describe('the customer', () => {
  test('sees who was let in and why, and can shut them out', async () => {
    const issued = await grant('read')
    const listed = await ask('GET', `/v1/orgs/${acme.id}/support-grants`, acme.key)
    expect(listed.json['data']).toContainEqual(
      expect.objectContaining({ id: issued.id, reason: 'Ticket 1', scope: 'read', status: 'active' }),
    )
    expect(listed.text).not.toContain(issued.token)
    expect((await ask('GET', `/v1/orgs/${other.id}/support-grants`, other.key)).json['data']).toEqual([])

    expect((await ask('POST', `/v1/orgs/${other.id}/support-grants/${issued.id}/revoke`, other.key)).status).toBe(404)
    const revoked = await ask('POST', `/v1/orgs/${acme.id}/support-grants/${issued.id}/revoke`, acme.key)
    expect(revoked.json).toMatchObject({ id: issued.id, status: 'revoked' })
    expect((await ask('GET', `/v1/orgs/${acme.id}`, issued.token)).json.error?.code).toBe('gone')
    expect((await ask('POST', `/v1/orgs/${acme.id}/support-grants/${issued.id}/revoke`, acme.key)).json).toEqual(
      revoked.json,
    )
  })

  test('operators see and revoke all of them', async () => {
    const issued = await grant('billing')
    const listed = await ask('GET', '/v1/admin/support-grants?limit=200', operator)
    expect((listed.json['data'] as { id: string }[]).map(({ id }) => id)).toContain(issued.id)
    expect((await ask('POST', `/v1/admin/support-grants/${issued.id}/revoke`, operator)).json).toMatchObject({
      status: 'revoked',
    })
  })
})

test.each([['org_nonsense'], ['org_01h455vb4pex5vsknk084sn02q'], ['org_00000000000000000000000000']])(
  'a grant for %s is not found',
  async (orgId) => {
    const { status, json } = await ask('POST', '/v1/admin/support-grants', operator, {
      org_id: orgId,
      scope: 'read',
      reason: 'x',
      duration_seconds: 60,
    })
    expect(status).toBe(404)
    expect(json.error?.code).toBe('not_found')
  },
)
