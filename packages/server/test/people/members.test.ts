import { request } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { formatId, newUuid, requireId } from '../../src/values/id.ts'
import { useServer } from '../support/harness.ts'
import { eventually } from '../support/programs.ts'
import {
  asDatabaseOwner,
  callIn,
  endedSummary,
  meWith,
  openPage,
  signIn,
  signInAsMember,
  signInByLink,
  signInForm,
  summaryOf,
  type TestSession,
} from '../support/sessions.ts'
import { call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

const server = useServer({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' } })
let operator: string
let acme: Tenant
beforeAll(async () => {
  operator = (await operatorOf(server)).key
  acme = await tenantOf(server, operator)
})

let people = 0
const address = () => `person${people++}@acme.example`
const at = (path: string, tenant = acme) => `/v1/orgs/${tenant.id}${path}`
const asOwner = (method: string, path: string, body?: object) =>
  call(server.url, method, at(path), { key: acme.key, ...(body && { body }) })
const join = (role: string, tenant = acme, email = address()) =>
  signInAsMember(server.url, { orgId: tenant.id, key: tenant.key }, { email, role })
const as = (session: TestSession, method: string, path: string, body?: object) =>
  callIn(server.url, session, method, path, body)
const mintAs = (session: TestSession, body: object = {}) =>
  as(session, 'POST', at('/keys'), { name: 'agent', role: 'service', scopes: ['edge:decide', 'runs:write'], ...body })
const codeOf = async (answer: Promise<{ status: number; json: { error?: { code: string } } }>) => {
  const { status, json } = await answer
  return json.error?.code ?? status
}

describe('an invited person', () => {
  test('signs in once with the link, and is that member', async () => {
    const email = address()
    const invited = await asOwner('POST', '/members', { email, name: 'Ada', role: 'admin' })
    expect([invited.status, invited.json['status']]).toEqual([201, 'invited'])
    const { url } = invited.json['invitation'] as { url: string }
    const { pathname, search } = new URL(url)
    expect(await (await openPage(server.url, pathname + search)).text()).toContain(`as <strong>${email}</strong>`)
    const session = await signInByLink(server.url, url)
    const me = await meWith(server.url, session.cookie)
    expect(me.json).toMatchObject({
      kind: 'person',
      id: invited.json['id'],
      org_id: acme.id,
      role: 'admin',
      person: { email },
      session: { way: 'link' },
    })
    const again = await signInForm(server.url, { code: new URL(url).searchParams.get('code')! })
    expect(again.status).toBe(401)
    const read = await asOwner('GET', `/members/${String(invited.json['id'])}`)
    expect(read.json).toMatchObject({ status: 'active', name: 'Ada', accepted_at: expect.any(String) })
    expect(read.text).not.toContain('weirlink_')
  })

  test('has one link at a time, and none once they have come', async () => {
    const invited = await asOwner('POST', '/members', { email: address(), role: 'viewer' })
    const path = `/members/${String(invited.json['id'])}/invitation`
    const second = await asOwner('POST', path)
    const links = [invited, second].map(({ json }) => (json['invitation'] as { url: string }).url)
    const code = (link: string | undefined) => ({ code: new URL(link!).searchParams.get('code')! })
    expect((await signInForm(server.url, code(links[0]))).status).toBe(401)
    await signInByLink(server.url, links[1]!)
    expect(await codeOf(asOwner('POST', path))).toBe('conflict')
  })

  test('is named by an address that nobody else in the organization has, however it is written', async () => {
    expect((await asOwner('POST', '/members', { email: 'Grace@Acme.example', role: 'viewer' })).status).toBe(201)
    expect(await codeOf(asOwner('POST', '/members', { email: ' grace@ACME.example', role: 'viewer' }))).toBe('conflict')
    const listed = await asOwner('GET', '/members?email=GRACE@acme.example')
    expect(listed.json['data']).toHaveLength(1)
    const other = await tenantOf(server, operator)
    const elsewhere = await call(server.url, 'POST', at('/members', other), {
      key: other.key,
      body: { email: 'grace@acme.example', role: 'viewer' },
    })
    expect(elsewhere.status).toBe(201)
  })

  test('stays one person in two organizations if the browser is signed in under the same address', async () => {
    const email = address()
    const here = await join('admin', acme, email)
    const other = await tenantOf(server, operator)
    const invite = await call(server.url, 'POST', at('/members', other), {
      key: other.key,
      body: { email, role: 'viewer' },
    })
    const code = new URL((invite.json['invitation'] as { url: string }).url).searchParams.get('code')!
    const before = await meWith(server.url, here.cookie)
    const response = await signInForm(server.url, { code }, { cookie: here.cookie })
    const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';')
    const after = await meWith(server.url, cookie)
    expect(after.json).toMatchObject({ org_id: other.id, role: 'viewer', person: before.json['person'] })
    expect(summaryOf(await meWith(server.url, here.cookie))).toEqual(endedSummary)
  })

  test('is another person where the organization has this one already, under another address', async () => {
    const [email, second] = [address(), address()]
    const other = await tenantOf(server, operator)
    const here = await join('admin', acme, email)
    const codeFor = async (tenant: Tenant, invited: string) => {
      const { json } = await call(server.url, 'POST', at('/members', tenant), {
        key: tenant.key,
        body: { email: invited, role: 'viewer' },
      })
      return new URL((json['invitation'] as { url: string }).url).searchParams.get('code')!
    }
    const enter = async (code: string, cookie: string) => {
      const response = await signInForm(server.url, { code }, { cookie })
      return (response.headers.get('set-cookie') ?? '').split(';')[0]!
    }
    const there = await enter(await codeFor(other, email), here.cookie)
    const { json } = await meWith(server.url, there)
    await asDatabaseOwner(
      server.database.ownerUrl,
      `update memberships set email = '${second}', email_key = '${second}' where id = '${requireId('member', String(json['id']))}'`,
    )
    // A change of access lets every process read the address anew.
    await call(server.url, 'PATCH', at('/session-policy', other), { key: other.key, body: { idle_seconds: 600 } })
    const again = await enter(await codeFor(acme, second), there)
    const me = await meWith(server.url, again)
    expect(me.json).toMatchObject({ org_id: acme.id, person: { email: second } })
    expect((me.json['person'] as { id: string }).id).not.toBe((json['person'] as { id: string }).id)
  })
})

describe('a person', () => {
  test('has no part in the data plane, whatever their role', async () => {
    const owner = await join('owner')
    const run = { model: 'gpt-4o', input_tokens: 1, max_output_tokens: 1 }
    expect(await codeOf(as(owner, 'POST', '/v1/runs', run))).toBe('missing_scope')
    expect(await codeOf(as(owner, 'POST', '/v1/edge/decision', { ...run }))).toBe('missing_scope')
    const { json } = await meWith(server.url, owner.cookie)
    expect(json['scopes']).not.toContain('edge:decide')
    const key = await mintAs(owner)
    expect([key.status, key.json['owner_id'], key.json['minted_by']]).toEqual([201, owner.memberId, owner.memberId])
    expect((await call(server.url, 'GET', '/v1/me', { key: String(key.json['secret']) })).status).toBe(200)
  })

  test('reads as a viewer and changes nothing', async () => {
    const viewer = await join('viewer')
    expect((await as(viewer, 'GET', at('/budgets'))).status).toBe(200)
    expect(await codeOf(as(viewer, 'POST', at('/budgets'), { name: 'b' }))).toBe('forbidden')
    expect(await codeOf(as(viewer, 'GET', at('/members')))).toBe('forbidden')
    expect(await codeOf(mintAs(viewer))).toBe('forbidden')
  })

  test('is named by the audit log, with address and session', async () => {
    const email = address()
    const admin = await join('admin', acme, email)
    const key = await mintAs(admin)
    const log = await asOwner('GET', `/audit-log?action=key.created&target_id=${String(key.json['id'])}`)
    expect(log.json['data']).toMatchObject([
      { actor: { kind: 'person', id: admin.memberId, role: 'admin', email, session_id: admin.id } },
    ])
    const own = await asOwner('GET', `/audit-log?actor_id=${admin.memberId}`)
    expect((own.json['data'] as { action: string }[]).map(({ action }) => action)).toEqual([
      'member.joined',
      'session.created',
      'key.created',
    ])
  })

  test('sees their own page', async () => {
    const email = address()
    const { cookie } = await join('member', acme, email)
    const page = await (await openPage(server.url, '/console/profile', cookie)).text()
    expect(page).toContain(`You are signed in as ${email}.`)
  })
})

describe('nobody gives more than they have', () => {
  test('an admin neither makes, changes nor removes an owner', async () => {
    const [admin, owner] = [await join('admin'), await join('owner')]
    expect(await codeOf(as(admin, 'POST', at('/members'), { email: address(), role: 'owner' }))).toBe('forbidden')
    expect(await codeOf(as(admin, 'PATCH', at(`/members/${admin.memberId}`), { role: 'owner' }))).toBe('forbidden')
    expect(await codeOf(as(admin, 'PATCH', at(`/members/${owner.memberId}`), { role: 'viewer' }))).toBe('forbidden')
    expect(await codeOf(as(admin, 'DELETE', at(`/members/${owner.memberId}`)))).toBe('forbidden')
    expect(await codeOf(as(admin, 'POST', at(`/sessions/${owner.id}/revoke`)))).toBe('forbidden')
    expect(await codeOf(mintAs(admin, { role: 'owner' }))).toBe('forbidden')
  })

  test('a key makes nobody who could do what it cannot', async () => {
    const narrow = await keyOf(server, acme.id, { role: 'admin', scopes: ['members:write', 'members:read'] })
    const invite = (key: string, role: string) =>
      codeOf(call(server.url, 'POST', at('/members'), { key, body: { email: address(), role } }))
    expect(await invite(narrow.key, 'admin')).toBe('missing_scope')
    expect(await invite(narrow.key, 'viewer')).toBe('missing_scope')
    const soon = await keyOf(server, acme.id, { role: 'owner', expiresAt: new Date(Date.now() + 3_600_000) })
    expect(await invite(soon.key, 'viewer')).toBe('forbidden')
    const pinned = await keyOf(server, acme.id, { role: 'owner', pins: { workflow_id: 'w' } })
    expect(await invite(pinned.key, 'viewer')).toBe('forbidden')
  })

  test('a key opens no door to the organization that it could not walk through itself', async () => {
    const narrow = await keyOf(server, acme.id, { role: 'owner', scopes: ['sso:write', 'sso:read'] })
    const ask = (method: string, path: string, body: object) =>
      codeOf(call(server.url, method, at(path), { key: narrow.key, body }))
    const oidc = { issuer: 'https://login.example.com', client_id: 'c' }
    expect(await ask('POST', '/sso-connections', { kind: 'oidc', name: 'mine', oidc })).toBe('missing_scope')
    expect(await ask('POST', '/domains', { domain: 'evil.example' })).toBe('missing_scope')
    expect(await ask('POST', '/scim-tokens', { name: 'mine' })).toBe('missing_scope')
    expect(await ask('PUT', '/directory-roles', { rules: [], default_role: 'owner' })).toBe('missing_scope')
  })

  test('no token but a session is a person: neither an id nor a link is a key', async () => {
    const { memberId } = await join('owner')
    for (const key of [memberId, `weir_local${memberId.slice(4)}${'0'.repeat(49)}`])
      expect((await call(server.url, 'GET', '/v1/me', { key })).json.error?.code).toBe('unauthorized')
  })

  test('another organization’s members do not exist', async () => {
    const other = await tenantOf(server, operator)
    const { memberId } = await join('viewer', other)
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect(
        await codeOf(asOwner(method, `/members/${memberId}`, method === 'PATCH' ? { role: 'admin' } : undefined)),
      ).toBe('not_found')
    const invalid = await asOwner('POST', '/keys', {
      name: 'k',
      role: 'viewer',
      scopes: ['runs:read'],
      owner_id: memberId,
    })
    expect(invalid.json.error).toMatchObject({
      code: 'validation_failed',
      details: { fields: [{ field: 'owner_id' }] },
    })
    const unknown = formatId('member', newUuid())
    expect(await codeOf(asOwner('GET', `/members/${unknown}`))).toBe('not_found')
  })
})

describe('the last owner', () => {
  test('is neither removed nor demoted', async () => {
    const tenant = await tenantOf(server, operator)
    const only = await join('owner', tenant)
    const member = at(`/members/${only.memberId}`, tenant)
    expect(await codeOf(call(server.url, 'DELETE', member, { key: tenant.key }))).toBe('conflict')
    expect(await codeOf(call(server.url, 'PATCH', member, { key: tenant.key, body: { role: 'admin' } }))).toBe(
      'conflict',
    )
    const second = await join('owner', tenant)
    const both = [only, second].map(({ memberId }) =>
      call(server.url, 'DELETE', at(`/members/${memberId}`, tenant), { key: tenant.key }),
    )
    const statuses = (await Promise.all(both)).map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([204, 409])
  })

  test('takes the last owner’s key with them only if another is left', async () => {
    const tenant = await tenantOf(server, operator)
    const [, leaving] = [await join('owner', tenant), await join('owner', tenant)]
    await call(server.url, 'PATCH', at(`/keys/${tenant.keyId}`, tenant), {
      key: tenant.key,
      body: { owner_id: leaving.memberId },
    })
    const remove = () => call(server.url, 'DELETE', at(`/members/${leaving.memberId}`, tenant), { key: tenant.key })
    expect(await codeOf(remove())).toBe('conflict')
    await call(server.url, 'PATCH', at(`/keys/${tenant.keyId}`, tenant), { key: tenant.key, body: { owner_id: null } })
    expect((await remove()).status).toBe(204)
  })
})

describe('removal', () => {
  test('ends sessions, links and every key whose secret they know, with what those made', async () => {
    const leaving = await join('admin')
    const own = await mintAs(leaving, { role: 'admin', scopes: ['keys:write', 'runs:read'] })
    const child = await call(server.url, 'POST', at('/keys'), {
      key: String(own.json['secret']),
      body: { name: 'child', role: 'viewer', scopes: ['runs:read'] },
    })
    expect(child.json['owner_id']).toBe(leaving.memberId)
    const others = await keyOf(server, acme.id, { role: 'service', scopes: ['runs:write'] })
    const rotated = await as(leaving, 'POST', at(`/keys/${others.id}/rotate`), {})
    const named = await asOwner('POST', '/keys', {
      name: 'named',
      role: 'viewer',
      scopes: ['runs:read'],
      owner_id: leaving.memberId,
    })
    const bystander = await keyOf(server, acme.id)
    const removed = await asOwner('DELETE', `/members/${leaving.memberId}`)
    const ended = [own, child, rotated, named]
    expect(removed.status).toBe(204)
    for (const { json } of ended)
      expect((await call(server.url, 'GET', '/v1/me', { key: String(json['secret']) })).status).toBe(410)
    expect((await call(server.url, 'GET', '/v1/me', { key: bystander.key })).status).toBe(200)
    expect(summaryOf(await meWith(server.url, leaving.cookie))).toEqual(endedSummary)
    expect(await codeOf(asOwner('PATCH', `/members/${leaving.memberId}`, { role: 'viewer' }))).toBe('not_found')
    const listed = await asOwner('GET', '/members?status=removed')
    expect((listed.json['data'] as { id: string }[]).map(({ id }) => id)).toContain(leaving.memberId)
  })

  test('ends what a key of theirs made before they revoked it, whoever answers for that', async () => {
    const [leaving, staying] = [await join('admin'), await join('admin')]
    const first = await mintAs(leaving, { role: 'admin', scopes: ['keys:write', 'runs:read'] })
    const hidden = await call(server.url, 'POST', at('/keys'), {
      key: String(first.json['secret']),
      body: { name: 'hidden', role: 'admin', scopes: ['keys:write'], owner_id: staying.memberId },
    })
    expect(hidden.status).toBe(201)
    expect((await as(leaving, 'POST', at(`/keys/${String(first.json['id'])}/revoke`), {})).status).toBe(200)
    expect((await asOwner('DELETE', `/members/${leaving.memberId}`)).status).toBe(204)
    expect((await call(server.url, 'GET', '/v1/me', { key: String(hidden.json['secret']) })).status).toBe(410)
  })

  test.each(['removed', 'lowered', 'a revoked key'])(
    'uses up the links of those whom they invited: %s',
    async (how) => {
      const leaving = await join('admin')
      const { key, id } = await keyOf(server, acme.id, { role: 'owner' })
      const body = { email: address(), role: 'admin' }
      const invited =
        how === 'a revoked key'
          ? await call(server.url, 'POST', at('/members'), { key, body })
          : await as(leaving, 'POST', at('/members'), body)
      expect(invited.status).toBe(201)
      if (how === 'removed') await asOwner('DELETE', `/members/${leaving.memberId}`)
      else if (how === 'lowered') await asOwner('PATCH', `/members/${leaving.memberId}`, { role: 'viewer' })
      else await asOwner('POST', `/keys/${id}/revoke`, {})
      const code = new URL((invited.json['invitation'] as { url: string }).url).searchParams.get('code')!
      expect((await signInForm(server.url, { code })).status).toBe(401)
    },
  )

  test('ends the tokens of directories that they were shown', async () => {
    const leaving = await join('owner')
    await join('owner')
    const token = await as(leaving, 'POST', at('/scim-tokens'), { name: 'directory' })
    expect(token.status).toBe(201)
    const users = () =>
      fetch(`${server.url}/scim/v2/Users`, { headers: { authorization: `Bearer ${String(token.json['secret'])}` } })
    expect((await users()).status).toBe(200)
    expect((await asOwner('DELETE', `/members/${leaving.memberId}`)).status).toBe(204)
    expect((await users()).status).toBe(401)
  })

  test('binds a request that was authorized before it and sends its body after it', async () => {
    const leaving = await join('admin')
    const body = JSON.stringify({ email: address(), role: 'admin' })
    const { promise, resolve } = Promise.withResolvers<number | undefined>()
    const held = request(
      {
        port: server.port,
        method: 'POST',
        path: at('/members'),
        headers: {
          cookie: leaving.cookie,
          'sec-fetch-site': 'same-origin',
          'x-csrf-token': leaving.csrfToken,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      (response) => resolve(response.resume().statusCode),
    )
    held.write(body.slice(0, 5))
    // Its session was used: it is authorized, and waits for the rest.
    await eventually(async () => {
      const { json } = await asOwner('GET', `/sessions/${leaving.id}`)
      return json['last_used_at'] !== json['created_at']
    })
    expect((await asOwner('DELETE', `/members/${leaving.memberId}`)).status).toBe(204)
    held.end(body.slice(5))
    expect(await promise).toBe(401)
  })

  test('spares a key that another rotated and another owns', async () => {
    const [leaving, staying] = [await join('admin'), await join('admin')]
    const key = await mintAs(leaving)
    const id = String(key.json['id'])
    await as(staying, 'PATCH', at(`/keys/${id}`), { owner_id: staying.memberId })
    const rotated = await as(staying, 'POST', at(`/keys/${id}/rotate`), {})
    const removed = await asOwner('DELETE', `/members/${leaving.memberId}`)
    expect(removed.status).toBe(204)
    expect((await asOwner('GET', `/keys/${id}`)).json['status']).toBe('revoked')
    expect((await call(server.url, 'GET', '/v1/me', { key: String(rotated.json['secret']) })).status).toBe(200)
  })

  test('of somebody invited uses their link up; the address is free again', async () => {
    const email = address()
    const invited = await asOwner('POST', '/members', { email, role: 'viewer' })
    await asOwner('DELETE', `/members/${String(invited.json['id'])}`)
    const code = new URL((invited.json['invitation'] as { url: string }).url).searchParams.get('code')!
    expect((await signInForm(server.url, { code })).status).toBe(401)
    expect((await asOwner('POST', '/members', { email, role: 'viewer' })).status).toBe(201)
  })
})

describe('a lower role', () => {
  test('binds the next request, and ends the administrator’s keys above it', async () => {
    const admin = await join('admin')
    const [ruling, working] = [
      await mintAs(admin, { role: 'admin', scopes: ['keys:write', 'keys:read'] }),
      await mintAs(admin),
    ]
    expect((await as(admin, 'GET', at('/members'))).status).toBe(200)
    expect((await asOwner('PATCH', `/members/${admin.memberId}`, { role: 'member' })).status).toBe(200)
    expect(await codeOf(as(admin, 'GET', at('/members')))).toBe('forbidden')
    expect((await call(server.url, 'GET', '/v1/me', { key: String(ruling.json['secret']) })).status).toBe(410)
    expect((await call(server.url, 'GET', '/v1/me', { key: String(working.json['secret']) })).status).toBe(200)
  })

  test('keeps an administrator’s key from being handed to somebody below it', async () => {
    const viewer = await join('viewer')
    const { id } = await keyOf(server, acme.id, { role: 'admin' })
    expect(await codeOf(asOwner('PATCH', `/keys/${id}`, { owner_id: viewer.memberId }))).toBe('validation_failed')
  })
})

describe('where people must use an identity provider', () => {
  test('links open no session, those that they opened end, and keys stay the way in of last resort', async () => {
    const tenant = await tenantOf(server, operator)
    const person = await join('admin', tenant)
    const byKey = await signIn(server.url, tenant.key)
    const late = await call(server.url, 'POST', at('/members', tenant), {
      key: tenant.key,
      body: { email: address(), role: 'viewer' },
    })
    const set = await call(server.url, 'PATCH', at('/session-policy', tenant), {
      key: tenant.key,
      body: { sso: 'required' },
    })
    expect(set.json['sso']).toBe('required')
    expect(summaryOf(await meWith(server.url, person.cookie))).toEqual(endedSummary)
    expect((await meWith(server.url, byKey.cookie)).status).toBe(200)
    const code = new URL((late.json['invitation'] as { url: string }).url).searchParams.get('code')!
    expect((await signInForm(server.url, { code })).status).toBe(403)
    const another = await call(server.url, 'POST', at('/members', tenant), {
      key: tenant.key,
      body: { email: address(), role: 'viewer' },
    })
    expect(another.json['invitation']).toBeNull()
  })
})
