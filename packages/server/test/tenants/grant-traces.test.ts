import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { emit } from '../../src/access/events/events.ts'
import { closeGrants } from '../../src/tenants/support/support.ts'
import { parseId, requireId } from '../../src/values/id.ts'
import { endSubscriptionsOfGrant } from '../../src/webhooks/webhooks.ts'
import { eventually } from '../support/processes.ts'
import { useDeliveringServer, useReceiver } from '../support/receiver.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

/** Whatever support makes ends with its grant, unless the organization keeps it. */

const receiver = useReceiver()
const server = useDeliveringServer()
let operator: string
beforeAll(async () => {
  operator = (await operatorOf(server)).key
})

const ask = (method: string, path: string, key: string, body?: unknown) =>
  call(server.url, method, path, { key, ...(body !== undefined && { body }) })

async function grantFor(acme: Tenant) {
  const body = { org_id: acme.id, scope: 'configuration', reason: 'Ticket 1', duration_seconds: 600 }
  return (await ask('POST', '/v1/admin/support-grants', operator, body)).json as unknown as {
    id: string
    token: string
  }
}

let count = 0

/** An organization with a subscription of its own and one that support has made, both told of everything. */
async function helped() {
  const acme = await tenantOf(server, operator)
  const grant = await grantFor(acme)
  const hooks = `/v1/orgs/${acme.id}/webhooks`
  const [own, foreign] = [`/own-${++count}`, `/foreign-${count}`]
  const subscribe = async (key: string, path: string) => {
    const { status, json } = await ask('POST', hooks, key, { url: receiver.url + path })
    expect(status).toBe(201)
    return json as unknown as { id: string; created_by_grant: string | null }
  }
  const orgId = requireId('org', acme.id)
  const happen = (name: string) =>
    server.platform.sql.asOrgs([orgId], (tx) =>
      emit(tx, orgId, [
        { kind: 'key.created', subject: name, data: { key_id: 'key_0', name, role: 'service', expires_at: null } },
      ]),
    )
  const told = (path: string) =>
    receiver.at(path).map(({ body }) => {
      const { type, data } = JSON.parse(body) as { type: string; data: { name?: string; reason?: string } }
      return type === 'key.created' ? data.name! : `${type} ${data.reason}`
    })
  const made = { own: await subscribe(acme.key, own), foreign: await subscribe(grant.token, foreign) }
  const record = async () =>
    (
      (await ask('GET', `/v1/orgs/${acme.id}/audit-log?limit=200`, acme.key)).json['data'] as {
        action: string
        target: { id: string }
      }[]
    ).map(({ action, target }) => `${action} ${target.id}`)
  return { acme, grant, hooks, happen, made, record, own: () => told(own), foreign: () => told(foreign) }
}

const expire = async (grantId: string) => {
  const owner = new pg.Client({ connectionString: server.database.ownerUrl })
  await owner.connect()
  const id = parseId('grant', grantId)
  await owner.query(`update support_grants set expires_at = now() - interval '1 second' where id = $1`, [id])
  await owner.query(
    `update webhook_subscriptions set ends_at = now() - interval '1 second' where created_by_grant = $1`,
    [id],
  )
  await owner.end()
}

describe('a subscription that support has made', () => {
  test('is marked, and told nothing more once the grant is revoked', async () => {
    const { acme, grant, hooks, happen, made, record, own, foreign } = await helped()
    expect(made.own.created_by_grant).toBeNull()
    expect(made.foreign.created_by_grant).toBe(grant.id)
    await happen('before')
    await eventually(() => own().length === 1 && foreign().length === 1)

    expect((await ask('POST', `/v1/orgs/${acme.id}/support-grants/${grant.id}/revoke`, acme.key)).status).toBe(200)
    expect((await ask('GET', `${hooks}/${made.foreign.id}`, acme.key)).json).toMatchObject({
      enabled: false,
      disabled_reason: 'grant_ended',
      created_by_grant: grant.id,
    })
    await happen('after')
    await eventually(() => own().includes('after') && own().length === 3)
    expect(own()).toEqual(['before', 'subscription.disabled grant_ended', 'after'])
    expect(foreign()).toEqual(['before'])
    expect(await record()).toContain(`webhook.disabled ${made.foreign.id}`)
    expect((await ask('GET', `${hooks}/${made.own.id}`, acme.key)).json).toMatchObject({ enabled: true })
  })

  test('is told nothing from the moment the grant runs out, before anybody has cleaned up', async () => {
    const { grant, happen, own, foreign } = await helped()
    await expire(grant.id)
    await happen('after')
    await eventually(() => own().includes('after'))
    await happen('once more')
    await eventually(() => own().includes('once more'))
    expect(foreign()).toEqual([])
  })

  test('is disabled on record by the worker’s next look, once', async () => {
    const { acme, grant, hooks, made, record } = await helped()
    await expire(grant.id)
    await closeGrants(server.platform, endSubscriptionsOfGrant)
    await closeGrants(server.platform, endSubscriptionsOfGrant)
    expect((await ask('GET', `${hooks}/${made.foreign.id}`, acme.key)).json).toMatchObject({
      enabled: false,
      disabled_reason: 'grant_ended',
    })
    const about = (await record()).filter((line) => /^(support_grant\.expired|webhook\.disabled)/.test(line))
    expect(about).toEqual([`support_grant.expired ${grant.id}`, `webhook.disabled ${made.foreign.id}`])
  })

  test('stays where the organization enables it itself, and only then', async () => {
    const { acme, grant, hooks, happen, made, foreign } = await helped()
    await expire(grant.id)
    await closeGrants(server.platform, endSubscriptionsOfGrant)
    const another = await grantFor(acme)
    const denied = await ask('PATCH', `${hooks}/${made.foreign.id}`, another.token, { enabled: true })
    expect(denied.json.error?.code).toBe('support_scope_denied')
    expect((await ask('PATCH', `${hooks}/${made.foreign.id}`, acme.key, { enabled: true })).status).toBe(200)
    await happen('kept')
    await eventually(() => foreign().includes('kept'))
    await ask('POST', `/v1/orgs/${acme.id}/support-grants/${another.id}/revoke`, acme.key)
    expect((await ask('GET', `${hooks}/${made.foreign.id}`, acme.key)).json).toMatchObject({ enabled: true })
  })
})

test('support cannot turn a subscription of the organization to another address', async () => {
  const { grant, hooks, made } = await helped()
  const elsewhere = { url: `${receiver.url}/elsewhere` }
  const own = await ask('PATCH', `${hooks}/${made.own.id}`, grant.token, elsewhere)
  expect([own.status, own.json.error?.code]).toEqual([403, 'support_scope_denied'])
  expect((await ask('PATCH', `${hooks}/${made.own.id}`, grant.token, { description: 'x' })).status).toBe(200)
  expect((await ask('PATCH', `${hooks}/${made.foreign.id}`, grant.token, elsewhere)).status).toBe(200)
})

test('support sees no secret, spends nothing and destroys nothing', async () => {
  const { acme, grant, made } = await helped()
  const org = `/v1/orgs/${acme.id}`
  const attempts: [string, string, unknown?][] = [
    ['POST', `${org}/webhooks/${made.own.id}/signing/rotate`, {}],
    ['POST', '/v1/edge/decision', { model: 'gpt-4o', estimated_cost_usd: '1' }],
    ['POST', '/v1/runs', { model: 'gpt-4o', estimated_cost_usd: '1' }],
    ['POST', '/v1/runs/bulk', { runs: [] }],
    ['PUT', `${org}/retention-policy`, { runs_days: 1 }],
    ['PUT', `${org}/benchmark-membership`, { cohort_ids: [] }],
    ['POST', `${org}/keys`, { name: 'k', role: 'viewer', scopes: ['orgs:read'] }],
  ]
  for (const [method, path, body] of attempts) {
    const { status, json } = await ask(method, path, grant.token, body)
    expect(`${status} ${json.error?.code}`, path).toBe('403 support_scope_denied')
  }
})

test('operators find grants by organization and one by its id', async () => {
  const acme = await tenantOf(server, operator)
  const [first, second] = [await grantFor(acme), await grantFor(acme)]
  await grantFor(await tenantOf(server, operator, 'Other'))
  const listed = await ask('GET', `/v1/admin/support-grants?org_id=${acme.id}`, operator)
  expect((listed.json['data'] as { id: string }[]).map(({ id }) => id)).toEqual([first.id, second.id])
  const one = await ask('GET', `/v1/admin/support-grants/${first.id}`, operator)
  expect(one.json).toMatchObject({ id: first.id, org_id: acme.id, status: 'active' })
  expect(one.text).not.toContain(first.token)
  expect((await ask('GET', '/v1/admin/support-grants/sgr_01h455vb4pex5vsknk084sn02q', operator)).status).toBe(404)
})
