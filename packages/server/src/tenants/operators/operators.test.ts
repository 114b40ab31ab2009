import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { environmentFor, useServer } from '../../../test/support/harness.ts'
import { programEnvironment } from '../../../test/support/programs.ts'
import { call, keyOf, operatorOf, tenantOf } from '../../../test/support/tenants.ts'
import { operatorsOrgId } from '../../values/id.ts'

const server = useServer({ environment: { SVC_TRUSTED_PROXIES: '127.0.0.1/32' } })
let operator: { id: string; key: string }
beforeAll(async () => {
  operator = await operatorOf(server)
})

const ask = (method: string, path: string, key: string, body?: unknown, from?: string) =>
  call(server.url, method, path, {
    key,
    ...(body !== undefined && { body }),
    ...(from !== undefined && { headers: { 'x-forwarded-for': from } }),
  })

const keys = '/v1/admin/operator-keys'
const codeOf = async (answer: ReturnType<typeof ask>) => {
  const { status, json } = await answer
  return `${status} ${json.error?.code}`
}

async function made(body: object = { name: 'Ada' }, by = operator.key) {
  const { status, json } = await ask('POST', keys, by, body)
  expect(status).toBe(201)
  return json as unknown as { id: string; secret: string; expires_at: string | null; scopes: string[] }
}

describe('keys of operators', () => {
  test('are minted, listed, read, rotated and revoked, each on the operators’ record', async () => {
    const ada = await made()
    const listed = await ask('GET', `${keys}?limit=200`, ada.secret)
    expect((listed.json['data'] as { id: string }[]).map(({ id }) => id)).toContain(ada.id)
    expect(listed.text).not.toContain(ada.secret)
    expect((await ask('GET', `${keys}/${ada.id}`, operator.key)).json).toMatchObject({
      id: ada.id,
      role: 'operator',
      status: 'active',
      minted_by: operator.id,
    })

    const rotated = await ask('POST', `${keys}/${ada.id}/rotate`, ada.secret, {})
    expect(rotated.status).toBe(200)
    expect(await codeOf(ask('GET', keys, ada.secret))).toBe('401 key_expired')
    const next = rotated.json as unknown as { id: string; secret: string }
    expect((await ask('GET', keys, next.secret)).status).toBe(200)

    expect((await ask('POST', `${keys}/${next.id}/revoke`, operator.key)).json).toMatchObject({ status: 'revoked' })
    expect(await codeOf(ask('GET', keys, next.secret))).toBe('410 gone')

    const record = (await ask('GET', '/v1/admin/audit-log?limit=200', operator.key)).json['data'] as {
      action: string
      target: { id: string }
    }[]
    const about = record.filter(({ target }) => target.id === ada.id || target.id === next.id)
    expect(about.map(({ action }) => action)).toEqual(['key.created', 'key.rotated', 'key.revoked'])
    expect((await ask('GET', '/v1/admin/audit-log/verify', operator.key)).json).toMatchObject({ valid: true })
  })

  test('end at their time, and give out nothing that ends later or can do more', async () => {
    const end = new Date(Date.now() + 3_600_000).toISOString()
    const brief = await made({ name: 'Brief', expires_at: end })
    expect(Date.parse(brief.expires_at!)).toBe(Date.parse(end))
    expect((await made({ name: 'Child' }, brief.secret)).expires_at).toBe(brief.expires_at)
    const later = { name: 'Later', expires_at: '2999-01-01T00:00:00Z' }
    expect(await codeOf(ask('POST', keys, brief.secret, later))).toBe('403 forbidden')
    expect(await codeOf(ask('POST', keys, operator.key, { name: 'Past', expires_at: '2020-01-01T00:00:00Z' }))).toBe(
      '422 validation_failed',
    )
    const reader = await made({ name: 'Reader', scopes: ['admin:read'] })
    expect(await codeOf(ask('POST', keys, reader.secret, { name: 'x' }))).toBe('403 missing_scope')
    const ended = await keyOf(server, operatorsOrgId, {
      role: 'operator',
      scopes: ['admin:read'],
      expiresAt: new Date(Date.now() - 1_000),
    })
    expect(await codeOf(ask('GET', keys, ended.key))).toBe('401 key_expired')
  })

  test('of organizations are not among them', async () => {
    const acme = await tenantOf(server, operator.key)
    expect((await ask('GET', `${keys}/${acme.keyId}`, operator.key)).status).toBe(404)
    expect((await ask('POST', `${keys}/${acme.keyId}/revoke`, operator.key)).status).toBe(404)
    expect((await ask('POST', `${keys}/${acme.keyId}/rotate`, operator.key, {})).status).toBe(404)
  })

  test('take their support grants with them when they are revoked', async () => {
    const acme = await tenantOf(server, operator.key)
    const ada = await made()
    const issue = async (key: string) =>
      (
        await ask('POST', '/v1/admin/support-grants', key, {
          org_id: acme.id,
          scope: 'read',
          reason: 'Ticket 1',
          duration_seconds: 600,
        })
      ).json as unknown as { id: string; token: string; expires_at: string }
    const grant = await issue(ada.secret)
    const other = await issue(operator.key)
    expect((await ask('GET', `/v1/orgs/${acme.id}`, grant.token)).status).toBe(200)
    expect((await ask('POST', `${keys}/${ada.id}/revoke`, operator.key)).status).toBe(200)
    expect(await codeOf(ask('GET', `/v1/orgs/${acme.id}`, grant.token))).toBe('410 gone')
    expect((await ask('GET', `/v1/orgs/${acme.id}`, other.token)).status).toBe(200)
    expect((await ask('GET', `/v1/admin/support-grants/${grant.id}`, operator.key)).json).toMatchObject({
      id: grant.id,
      status: 'revoked',
    })
    // Nor does a grant outlive the time of the key that issued it.
    const brief = await made({ name: 'Brief', expires_at: new Date(Date.now() + 120_000).toISOString() })
    const cut = await issue(brief.secret)
    expect(Date.parse(cut.expires_at)).toBe(Date.parse(brief.expires_at!))
  })
})

describe('the operators’ addresses', () => {
  const path = '/v1/admin/operator-ip-allow-list'
  const home = '203.0.113.9'

  test('bind operators and their grants from the next request on, and never shut their author out unawares', async () => {
    const acme = await tenantOf(server, operator.key)
    const body = { org_id: acme.id, scope: 'read', reason: 'Ticket 1', duration_seconds: 600 }
    const { token } = (await ask('POST', '/v1/admin/support-grants', operator.key, body)).json as { token: string }
    const use = (from: string) => codeOf(ask('GET', `/v1/orgs/${acme.id}`, token, undefined, from))
    expect(await use('198.51.100.1')).toBe('200 undefined')

    const refused = await ask('PUT', path, operator.key, { ip_allow_list: ['198.51.100.0/24'] }, home)
    expect(refused.status).toBe(422)
    expect(refused.json.error!.details['fields']).toMatchObject([{ field: 'ip_allow_list', code: 'out_of_range' }])
    expect(refused.text).toContain(home)

    expect((await ask('PUT', path, operator.key, { ip_allow_list: ['203.0.113.77/24'] }, home)).json).toEqual({
      ip_allow_list: ['203.0.113.0/24'],
    })
    expect(await codeOf(ask('GET', path, operator.key, undefined, '198.51.100.1'))).toBe('403 ip_not_allowed')
    expect(await use('198.51.100.1')).toBe('403 ip_not_allowed')
    expect(await use(home)).toBe('200 undefined')
    // Keys of organizations are none of its business.
    expect((await ask('GET', `/v1/orgs/${acme.id}`, acme.key, undefined, '198.51.100.1')).status).toBe(200)

    const elsewhere = { ip_allow_list: ['198.51.100.0/24'], force: true }
    expect((await ask('PUT', path, operator.key, elsewhere, home)).status).toBe(200)
    expect(await codeOf(ask('GET', path, operator.key, undefined, home))).toBe('403 ip_not_allowed')
    command('reset-operator-ip-allow-list')
    expect((await ask('GET', path, operator.key, undefined, home)).json).toEqual({ ip_allow_list: [] })
  })
})

const main = fileURLToPath(new URL('../../main.ts', import.meta.url))

/** Runs a command of the program and reads what it prints. */
function command(...args: string[]): unknown {
  const env = { ...programEnvironment, ...environmentFor(server.database) }
  return JSON.parse(execFileSync(process.execPath, [main, ...args], { env, encoding: 'utf8', stdio: 'pipe' }))
}

/** The status and the log of a command that must not succeed. */
function refusal(...args: string[]): { status: number; text: string } {
  try {
    command(...args)
  } catch (error) {
    const { status, stderr } = error as { status: number; stderr: string }
    return { status, text: stderr }
  }
  throw new Error('the command succeeded')
}

describe('commands', () => {
  test('mint, list, rotate and revoke, and running processes learn of it', async () => {
    const end = '2099-01-01T00:00:00Z'
    const ada = command('create-operator-key', 'Ada', '--expires-at', end) as { id: string; key: string }
    expect((await ask('GET', keys, ada.key)).status).toBe(200)
    expect(command('list-operator-keys')).toContainEqual(
      expect.objectContaining({
        id: ada.id,
        name: 'Ada',
        status: 'active',
        expires_at: '2099-01-01T00:00:00.000+00:00',
      }),
    )
    const next = command('rotate-operator-key', ada.id) as { id: string; key: string }
    expect(await codeOf(ask('GET', keys, ada.key))).toBe('401 key_expired')
    expect((await ask('GET', keys, next.key)).status).toBe(200)
    expect(command('revoke-operator-key', next.id)).toMatchObject({ id: next.id, status: 'revoked' })
    expect(await codeOf(ask('GET', keys, next.key))).toBe('410 gone')
    const record = (await ask('GET', '/v1/admin/audit-log?limit=200', operator.key)).json['data'] as {
      actor: { kind: string; id: string }
    }[]
    expect(record.filter(({ actor }) => actor.kind === 'system').map(({ actor }) => actor.id)).toEqual(
      expect.arrayContaining(['create-operator-key', 'rotate-operator-key', 'revoke-operator-key']),
    )
  })

  test('that make no sense are refused in words', () => {
    expect(refusal('revoke-operator-key', 'key_nonsense')).toMatchObject({
      status: 1,
      text: expect.stringContaining('not the id of a key') as string,
    })
    expect(refusal('create-operator-key', 'Ada', '--expires-at', 'soon').text).toContain('is not a time')
    expect(refusal('create-operator-key', 'Ada', '--forever').status).toBe(64)
    expect(refusal('list-operator-keys', 'x').status).toBe(64)
  })
})

describe('the last key', () => {
  const others = async () =>
    ((await ask('GET', `${keys}?status=active&limit=200`, operator.key)).json['data'] as { id: string }[]).filter(
      ({ id }) => id !== operator.id,
    )

  test('of the operators cannot be revoked by a route, only by the command that is forced', async () => {
    for (const { id } of await others()) await ask('POST', `${keys}/${id}/revoke`, operator.key)
    // One that only looks, and one that ends, are no way back.
    await made({ name: 'Reader', scopes: ['admin:read'] })
    await made({ name: 'Brief', expires_at: new Date(Date.now() + 3_600_000).toISOString() })
    expect(await codeOf(ask('POST', `${keys}/${operator.id}/revoke`, operator.key))).toBe('409 conflict')
    expect(refusal('revoke-operator-key', operator.id).text).toContain('the last')
    expect((await ask('GET', keys, operator.key)).status).toBe(200)
    const rotated = await ask('POST', `${keys}/${operator.id}/rotate`, operator.key, {})
    expect(rotated.status).toBe(200)
    const next = rotated.json as unknown as { id: string; secret: string }
    expect(command('revoke-operator-key', next.id, '--force')).toMatchObject({ status: 'revoked' })
    expect(await codeOf(ask('GET', keys, next.secret))).toBe('410 gone')
  })
})
