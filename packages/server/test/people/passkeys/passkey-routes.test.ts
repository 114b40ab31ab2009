import { beforeAll, describe, expect, test } from 'vitest'
import { requireId } from '../../../src/values/id.ts'
import { useServer } from '../../support/harness.ts'
import type { TestPasskey } from '../../support/passkeys/authenticator.ts'
import { invite, Visitor } from '../../support/passkeys/visitor.ts'
import { asDatabaseOwner } from '../../support/sessions.ts'
import { call, operatorOf, type Tenant, tenantOf } from '../../support/tenants.ts'

// Other tests fail from the same address at the same time.
const server = useServer({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' } })
let operator: string
let acme: Tenant
beforeAll(async () => {
  operator = (await operatorOf(server)).key
  acme = await tenantOf(server, operator)
})

let count = 0
const newEmail = () => `kim${(count += 1)}@acme.example`
const stranger = () => new Visitor(server.port)
const owner = (text: string) => asDatabaseOwner(server.database.ownerUrl, text)

/** Somebody with a passkey, in an organization or in several. */
async function member(...orgs: Tenant[]) {
  const visitor = stranger()
  const email = newEmail()
  const memberIds: string[] = []
  let passkey: TestPasskey | undefined
  for (const org of orgs) {
    const { link, memberId } = await invite(server.url, org, email)
    await visitor.openLink(link)
    memberIds.push(memberId)
    passkey ??= await visitor.enrol()
  }
  return { visitor, passkey: passkey!, memberIds }
}

/** Actions on the record of an organization, the newest first. */
async function actionsIn({ id, key }: Tenant) {
  const { json } = await call(server.url, 'GET', `/v1/orgs/${id}/audit-log?limit=100`, { key })
  return json['data'] as { action: string; actor: Record<string, unknown>; after: unknown; outcome: string }[]
}

const orgOf = async (visitor: Visitor) => (await visitor.me()).json['org_id']

describe('/v1/me/passkeys', () => {
  test('lists, renames and removes the passkeys of whoever signed in with one', async () => {
    const { visitor } = await member(acme)
    await visitor.enrol()
    const { data } = (await visitor.api('GET', '/v1/me/passkeys')).json as { data: { id: string; name: string }[] }
    expect(data).toHaveLength(2)
    expect(data[0]).toMatchObject({ name: 'Laptop', is_backed_up: true, last_used_at: null })
    const path = `/v1/me/passkeys/${data[0]!.id}`
    expect((await visitor.api('GET', path)).json).toEqual(data[0])
    const renamed = await visitor.api('POST', `${path}/rename`, { name: 'Phone' })
    expect([renamed.status, renamed.json['name']]).toEqual([200, 'Phone'])
    const tag = (await visitor.api('GET', path)).headers.get('etag') ?? ''
    expect((await visitor.api('DELETE', path, undefined, { 'if-match': '"other"' })).status).toBe(412)
    expect((await visitor.api('DELETE', path, undefined, { 'if-match': tag })).status).toBe(204)
    expect((await visitor.api('GET', path)).status).toBe(404)
    const last = await visitor.api('DELETE', `/v1/me/passkeys/${data[1]!.id}`)
    expect([last.status, last.json.error?.code]).toEqual([409, 'conflict'])
    await visitor.recoveryCodes()
    expect((await visitor.api('DELETE', `/v1/me/passkeys/${data[1]!.id}`)).status).toBe(204)
  })

  test('lets the last one go where an identity provider that is in use is left', async () => {
    const { visitor, memberIds } = await member(acme)
    const [{ id }] = (await visitor.api('GET', '/v1/me/passkeys')).json['data'] as [{ id: string }]
    const uuid = requireId('member', memberIds[0]!)
    await owner(`with c as (
        insert into sso_connections (org_id, id, kind, name, enabled, jit, role_rules, settings)
        select org_id, gen_random_uuid(), 'oidc', 'Okta', false, false, '[]', '{}' from memberships where id = '${uuid}'
        returning org_id, id)
      insert into sso_identities (org_id, connection_id, subject, member_id) select org_id, id, 'kim', '${uuid}' from c`)
    expect((await visitor.api('DELETE', `/v1/me/passkeys/${id}`)).status, 'turned off').toBe(409)
    await owner('update sso_connections set enabled = true')
    expect((await visitor.api('DELETE', `/v1/me/passkeys/${id}`)).status).toBe(204)
  })

  test('is for nobody else: neither for keys nor for another person, and shows no organization anything', async () => {
    const { visitor } = await member(acme)
    const [{ id }] = (await visitor.api('GET', '/v1/me/passkeys')).json['data'] as [{ id: string }]
    const { visitor: other } = await member(acme)
    for (const [method, path] of [
      ['GET', `/v1/me/passkeys/${id}`],
      ['DELETE', `/v1/me/passkeys/${id}`],
    ] as const) {
      expect((await other.api(method, path)).status).toBe(404)
      expect((await call(server.url, method, path, { key: acme.key })).status).toBe(404)
    }
    const { status, json } = await call(server.url, 'GET', '/v1/me/passkeys', { key: acme.key })
    expect([status, json.error?.code]).toEqual([403, 'forbidden'])
    expect((await visitor.api('GET', `/v1/me/passkeys/${id}`)).status).toBe(200)
  })

  test('is kept in tables that the application can neither search nor change', async () => {
    const { sql } = server.platform
    for (const table of ['passkeys', 'recovery_codes', 'passkey_challenges'])
      for (const text of [`select 1 from ${table}`, `delete from ${table}`])
        await expect(sql.pool.query(text)).rejects.toThrow('permission denied')
  })
})

describe('a person in several organizations', () => {
  test('chooses one with a proof of this browser, once, and only where they are a member', async () => {
    const globex = await tenantOf(server, operator, 'Globex')
    const { passkey, memberIds } = await member(acme, globex)
    const { memberIds: foreign } = await member(acme)
    const visitor = stranger()
    const signedIn = await visitor.signIn(passkey)
    expect([signedIn.status, signedIn.location]).toEqual([303, '/console/choose'])
    expect((await visitor.me()).status, 'a proof is no session').toBe(401)
    const page = await visitor.get('/console/choose')
    expect(page.text).toContain('Globex')
    const before = visitor.copy()

    const [inAcme = '', inGlobex = ''] = memberIds
    const choose = (who: Visitor, member_id: string, headers = {}) =>
      who.post('/console/choose', { member_id }, headers)
    expect((await choose(stranger(), inGlobex)).location, 'no proof').toBe('/console/signin')
    expect((await choose(before.copy(), foreign[0]!)).location, 'not theirs').toBe('/console/signin')
    expect((await choose(before.copy(), inGlobex, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await choose(before.copy(), inGlobex, { 'sec-fetch-site': 'same-site' })).status).toBe(403)
    expect((await choose(visitor, inGlobex)).location).toBe('/console')
    expect(await orgOf(visitor)).toBe(globex.id)
    expect((await choose(before, inAcme)).location, 'used up').toBe('/console/signin')
  })

  test('sees in none of them what the other could change: a link of one shows no passkey', async () => {
    const globex = await tenantOf(server, operator, 'Globex')
    const { visitor, passkey } = await member(acme, globex)
    expect(await orgOf(visitor)).toBe(globex.id)
    const { status, text } = await visitor.api('GET', '/v1/me/passkeys')
    expect([status, text]).toEqual([403, expect.stringContaining('Sign in with a passkey')])
    expect(await visitor.askToAdd()).toBeUndefined()
    expect(await visitor.recoveryCodes()).toEqual([])
    // The one who was invited elsewhere under the same address, in another browser, is somebody else.
    const namesake = stranger()
    const { json: me } = await visitor.me()
    const { link } = await invite(
      server.url,
      await tenantOf(server, operator),
      (me['person'] as { email: string }).email,
    )
    await namesake.openLink(link)
    expect((await namesake.me()).json['person']).not.toMatchObject({ id: (me['person'] as { id: string }).id })
    expect((await stranger().signIn(passkey)).location).toBe('/console/choose')
  })

  test('is let in neither where they were deactivated or removed, nor where it is suspended or asks for its provider', async () => {
    const shut = await Promise.all(['A', 'B', 'C', 'D'].map((name) => tenantOf(server, operator, name)))
    const { passkey, memberIds } = await member(acme, ...shut)
    const [removing, deactivating, suspended, demanding] = shut as [Tenant, Tenant, Tenant, Tenant]
    await call(server.url, 'DELETE', `/v1/orgs/${removing.id}/members/${memberIds[1]}`, { key: removing.key })
    await owner(`update memberships set deactivated_at = now() where org_id in (
      select org_id from memberships where org_id = (select id from orgs where name = 'B'))`)
    await call(server.url, 'POST', `/v1/admin/orgs/${suspended.id}/suspend`, { key: operator, body: { reason: 'r' } })
    const policy = { key: demanding.key, body: { sso: 'required' } }
    expect((await call(server.url, 'PUT', `/v1/orgs/${demanding.id}/session-policy`, policy)).status).toBe(200)
    const visitor = stranger()
    expect((await visitor.signIn(passkey)).location, 'one is left').toBe('/console')
    expect(await orgOf(visitor)).toBe(acme.id)
    expect(deactivating.id).not.toBe(acme.id)
  })
})

describe('recovery codes', () => {
  const recover = (who: Visitor, recovery_code: string) => who.post('/console/signin/recovery', { recovery_code })

  test('sign in once each; they would twice if they were not used up', async () => {
    const { visitor } = await member(acme)
    const [code = '', second = ''] = await visitor.recoveryCodes()
    const [one, two] = [stranger(), stranger()]
    expect((await recover(one, code)).status).toBe(303)
    expect((await one.me()).json['session']).toMatchObject({ way: 'passkey' })
    expect([(await recover(two, code)).status, two.cookies.size]).toEqual([401, 0])
    const racing = await Promise.all(Array.from({ length: 6 }, () => recover(stranger(), second)))
    expect(racing.filter(({ status }) => status === 303)).toHaveLength(1)

    const [third = ''] = await visitor.recoveryCodes()
    await owner(`create or replace function take_recovery_code(wanted bytea) returns uuid language sql volatile security definer
      set search_path = public begin atomic select person_id from recovery_codes c where c.digest = wanted; end`)
    for (const _ of [1, 2]) expect((await recover(stranger(), third)).status, 'the planted weakness').toBe(303)
    await owner(`create or replace function take_recovery_code(wanted bytea) returns uuid language sql volatile security definer
      set search_path = public begin atomic delete from recovery_codes c where c.digest = wanted returning c.person_id; end`)
  })

  test('are replaced all at once, counted on the profile, and stored so that a dump tells none', async () => {
    const { visitor } = await member(acme)
    const old = await visitor.recoveryCodes()
    const codes = await visitor.recoveryCodes()
    expect(codes).toHaveLength(10)
    expect((await recover(stranger(), old[0]!)).status).toBe(401)
    const recovered = stranger()
    await recover(recovered, codes[0]!)
    expect((await recovered.get('/console/profile')).text).toContain('Recovery codes left: 9')
    const stored = JSON.stringify(
      await owner("select encode(digest, 'hex') as hex, encode(digest, 'escape') as text from recovery_codes"),
    )
    for (const code of codes) expect(stored).not.toContain(code.replaceAll('-', ''))
  })

  test('are taken from a form of ours only', async () => {
    const { visitor } = await member(acme)
    const [code = ''] = await visitor.recoveryCodes()
    const evil = stranger()
    const refused = await evil.post(
      '/console/signin/recovery',
      { recovery_code: code },
      { origin: 'https://evil.example' },
    )
    expect([refused.status, evil.cookies.size]).toEqual([403, 0])
    expect((await recover(stranger(), code)).status).toBe(303)
  })
})

test('what people do with passkeys is on the record of the organization of their session, and no secret of it anywhere', async () => {
  const org = await tenantOf(server, operator, 'Record')
  const { visitor, passkey } = await member(org)
  const codes = await visitor.recoveryCodes()
  await visitor.enrol()
  const [{ id }] = (await visitor.api('GET', '/v1/me/passkeys')).json['data'] as [{ id: string }]
  await visitor.api('DELETE', `/v1/me/passkeys/${id}`)
  await stranger().signIn(passkey)
  await stranger().post('/console/signin/recovery', { recovery_code: codes[0]! })
  const actions = await actionsIn(org)
  const named = actions.map(({ action }) => action)
  for (const action of ['passkey.added', 'passkey.removed', 'recovery_codes.created', 'recovery_code.used'])
    expect(named, action).toContain(action)
  expect(actions.find(({ action }) => action === 'recovery_code.used')).toMatchObject({
    actor: { kind: 'person' },
    after: { left: 9 },
  })
  const told = JSON.stringify(actions) + JSON.stringify(server.logs)
  for (const secret of [...codes, ...codes.map((code) => code.replaceAll('-', '')), passkey.id])
    expect(told).not.toContain(secret)
})

test('pages about passkeys stand in no frame, run no script but ours, and are kept by no cache', async () => {
  const { visitor, passkey } = await member(acme, await tenantOf(server, operator, 'Globex'))
  const answers = [await visitor.get('/console/signin/recovery')]
  const choosing = stranger()
  await choosing.signIn(passkey)
  answers.push(await choosing.get('/console/choose'))
  const { visitor: alone } = await member(acme)
  answers.push(await alone.get('/console/profile'), await alone.get('/console/recovery-codes'))
  answers.push(await alone.post('/console/recovery-codes', { csrf_token: await alone.csrfToken() }))
  for (const { status, headers } of answers) {
    expect(status).toBe(200)
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'.*frame-ancestors 'none'/)
    expect(headers.get('content-security-policy')).not.toMatch(/unsafe|https?:|\*/)
    expect(headers.get('cache-control')).toBe('no-store')
  }
})

test('a passkey that is refused is on record too', async () => {
  const org = await tenantOf(server, operator, 'Refused')
  const { passkey } = await member(org)
  await stranger().signIn(passkey, { isUnverified: true })
  await expect
    .poll(async () =>
      (await actionsIn(org)).some(({ action, outcome }) => action === 'session.created' && outcome === 'denied'),
    )
    .toBe(true)
})
