import { beforeAll, describe, expect, test } from 'vitest'
import { endOldest } from '../../src/people/sessions/queries.ts'
import { requireId } from '../../src/values/id.ts'
import { useServer } from '../support/harness.ts'
import {
  asDatabaseOwner,
  callIn,
  clearedCookie,
  endedSummary,
  meWith,
  openPage,
  signIn,
  signInForm,
  summaryOf,
} from '../support/sessions.ts'
import { type Answer, call, keyOf, operatorOf, type Tenant, tenantOf } from '../support/tenants.ts'

// Other tests fail from the same address at the same time.
const server = useServer({ environment: { SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' } })
let operator: { id: string; key: string }
let tenant: Tenant
beforeAll(async () => {
  operator = await operatorOf(server)
  tenant = await tenantOf(server, operator.key)
})

const me = (cookie: string) => meWith(server.url, cookie)
const page = (path: string, cookie?: string) => openPage(server.url, path, cookie)
const owned = (text: string) => asDatabaseOwner(server.database.ownerUrl, text)
const audited = async (action: string) => {
  const { json } = await call(server.url, 'GET', `/v1/orgs/${tenant.id}/audit-log?action=${action}&limit=200`, {
    key: tenant.key,
  })
  return json['data'] as { actor: Record<string, string>; target: { id: string }; outcome: string }[]
}

describe('signing in with a key', () => {
  test('opens a session that acts as the key: its organization, role, scopes and pins', async () => {
    const { id, key } = await keyOf(server, tenant.id, {
      role: 'member',
      scopes: ['runs:read'],
      pins: { user_id: 'ada' },
    })
    const session = await signIn(server.url, key)
    const { json } = await me(session.cookie)
    const { session: own, ...rest } = json
    const { session: none, ...byKey } = (await call(server.url, 'GET', '/v1/me', { key })).json
    expect(rest).toEqual(byKey)
    expect(none).toBeNull()
    expect(own).toMatchObject({ id: session.id })
    expect(json['id']).toBe(id)
    expect(
      (await call(server.url, 'GET', `/v1/orgs/${tenant.id}/keys`, { headers: { cookie: session.cookie } })).json.error
        ?.code,
    ).toBe('forbidden')
  })

  test('sets a cookie that no script can read and no other site can send along with a form', async () => {
    const response = await signInForm(server.url, { key: tenant.key })
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe('/console')
    expect(response.headers.get('set-cookie')).toMatch(
      /^weir=weirsession_[0-9a-z]{26}_[0-9A-Za-z]{49}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
    )
  })

  test('is put on record with the session, and so is what is done in it', async () => {
    const session = await signIn(server.url, tenant.key)
    const made = (await audited('session.created')).find(({ target }) => target.id === session.id)
    expect(made).toMatchObject({ outcome: 'allowed', actor: { kind: 'key', id: tenant.keyId } })
    const key = await callIn(server.url, session, 'POST', `/v1/orgs/${tenant.id}/keys`, {
      name: 'from a page',
      role: 'viewer',
      scopes: ['runs:read'],
    })
    expect(key.status).toBe(201)
    const entry = (await audited('key.created')).find(({ target }) => target.id === key.json['id'])
    expect(entry?.actor).toMatchObject({ kind: 'key', id: tenant.keyId, session_id: session.id })
  })

  test.each([
    ['no key', '', 401, 'not valid'],
    ['an unknown key', 'weir_local01jd0000000000000000000000_nothing', 401, 'not valid'],
    ['the token of a session', 'session', 401, 'not valid'],
    ['a revoked key', 'revoked', 401, 'was revoked'],
    ['an expired key', 'expired', 401, 'has expired'],
  ])('is refused with %s, and the form says why', async (_name, kind, status, text) => {
    const keyText = async () => {
      if (kind === 'session') return (await signIn(server.url, tenant.key)).cookie.slice('weir='.length)
      if (kind === 'expired') return (await keyOf(server, tenant.id, { expiresAt: new Date(1) })).key
      if (kind !== 'revoked') return kind
      const { id, key } = await keyOf(server, tenant.id, { role: 'viewer' })
      await call(server.url, 'POST', `/v1/orgs/${tenant.id}/keys/${id}/revoke`, { key: tenant.key })
      return key
    }
    const response = await signInForm(server.url, { key: await keyText() })
    expect(response.status).toBe(status)
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(await response.text()).toContain(text)
  })

  test.each([
    ['/console/profile?tab=keys', '/console/profile?tab=keys'],
    ['/console', '/console'],
    ['https://evil.example/console', '/console'],
    ['//evil.example/console', '/console'],
    ['/console//evil.example', '/console//evil.example'],
    ['/console/../v1/me', '/console'],
    ['/console\\..\\..\\evil', '/console'],
    ['/consoles', '/console'],
    ['/console\r\nlocation: https://evil.example', '/console'],
    ['javascript:alert(1)', '/console'],
  ])('returns to %j as %s', async (return_to, location) => {
    const response = await signInForm(server.url, { key: tenant.key, return_to })
    expect(response.headers.get('location')).toBe(location)
  })

  test('is refused when the form stands on a page of somebody else', async () => {
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      const response = await signInForm(server.url, { key: tenant.key }, headers)
      expect([response.status, response.headers.get('set-cookie')]).toEqual([403, null])
    }
  })

  test('gives a new session each time and ends the one that the browser had', async () => {
    const first = await signIn(server.url, tenant.key)
    const again = await signInForm(server.url, { key: tenant.key }, { cookie: first.cookie })
    expect(again.headers.get('set-cookie')).not.toContain(first.cookie)
    expect(summaryOf(await me(first.cookie))).toEqual(endedSummary)
  })

  test('ends the oldest session of a key beyond a hundred, on record', async () => {
    const { key } = await keyOf(server, tenant.id, { role: 'viewer' })
    const first = await signIn(server.url, key)
    const second = await signIn(server.url, key)
    for (let i = 0; i < 99; i++) await signInForm(server.url, { key })
    expect(summaryOf(await me(first.cookie))).toEqual(endedSummary)
    expect((await me(second.cookie)).status).toBe(200)
    expect((await audited('session.revoked')).some(({ target }) => target.id === first.id)).toBe(true)
  })

  test('keeps the newest sessions of a key and forgets its oldest ended ones, and touches nobody else’s', async () => {
    const [key, other] = [await keyOf(server, tenant.id), await keyOf(server, tenant.id)]
    const ids = []
    for (let i = 0; i < 6; i++) ids.push((await signIn(server.url, key.key)).id)
    const theirs = await signIn(server.url, other.key)
    const orgId = requireId('org', tenant.id)
    const now = server.platform.clock.now()
    const end = (live: number, ended: number) =>
      server.platform.sql.asOrgs([orgId], (tx) => endOldest(tx, orgId, requireId('key', key.id), { live, ended }, now))
    const uuids = ids.map((id) => requireId('session', id))
    expect((await end(2, 2)).toSorted()).toEqual(uuids.slice(0, 4).toSorted())
    expect(await end(2, 2)).toEqual([])
    const left = await asDatabaseOwner(
      server.database.ownerUrl,
      `select id, revoked_at is null as is_live from sessions where key_id = '${requireId('key', key.id)}' order by created_at`,
    )
    expect(left).toEqual([
      ...uuids.slice(2, 4).map((id) => ({ id, is_live: false })),
      ...uuids.slice(4).map((id) => ({ id, is_live: true })),
    ])
    expect((await me(theirs.cookie)).status).toBe(200)
  })

  test('works for operators and for support grants, whose every request stays on record', async () => {
    const session = await signIn(server.url, operator.key)
    expect((await me(session.cookie)).json).toMatchObject({ role: 'operator', org_id: null })
    expect((await callIn(server.url, session, 'GET', '/v1/admin/orgs')).status).toBe(200)
    const body = { org_id: tenant.id, scope: 'read', reason: 'ticket', duration_seconds: 600 }
    const grant = (await call(server.url, 'POST', '/v1/admin/support-grants', { key: operator.key, body })).json
    const support = await signIn(server.url, String(grant['token']))
    expect((await callIn(server.url, support, 'GET', `/v1/orgs/${tenant.id}/budgets`)).status).toBe(200)
    expect((await page('/console/profile', support.cookie)).status).toBe(200)
    expect((await page('/console/nothing', support.cookie)).status).toBe(404)
    for (const path of ['%2Fconsole%2Fprofile', '%2Fconsole%2F*'])
      expect((await audited(`request+GET+${path}`)).at(-1)?.actor).toMatchObject({
        kind: 'support',
        session_id: support.id,
      })
    expect((await callIn(server.url, support, 'POST', `/v1/orgs/${tenant.id}/keys`, {})).json.error?.code).toBe(
      'support_scope_denied',
    )
    const entries = await audited('request+GET+%2Fv1%2Forgs%2F%7Bid%7D%2Fbudgets')
    expect(entries.at(-1)?.actor).toMatchObject({ kind: 'support', id: grant['id'], session_id: support.id })
    await call(server.url, 'POST', `/v1/admin/support-grants/${String(grant['id'])}/revoke`, { key: operator.key })
    expect(summaryOf(await callIn(server.url, support, 'GET', `/v1/orgs/${tenant.id}/budgets`))).toEqual(endedSummary)
  })
})

test('the page offers single sign-on before the key', async () => {
  const text = await (await page('/console/signin')).text()
  expect(text.indexOf('action="/sso/start"')).toBeGreaterThan(0)
  expect(text.indexOf('action="/sso/start"')).toBeLessThan(text.indexOf('name="key"'))
})

describe('a link to sign in', () => {
  const makeLink = (key: string) => call(server.url, 'POST', '/v1/me/sign-in-links', { key })
  const codeOf = ({ json }: Answer) => new URL(String(json['url'])).searchParams.get('code')!

  test('signs in once, as the key that made it, however many open it at once', async () => {
    const { id, key } = await keyOf(server, tenant.id, { role: 'viewer', pins: { user_id: 'ada' } })
    const made = await makeLink(key)
    expect(made.status).toBe(201)
    const code = codeOf(made)
    // Looking at the page does not use the link up.
    const form = await (await page(`/console/signin?code=${code}`)).text()
    expect(form).toContain(`name="code" value="${code}"`)
    const answers = await Promise.all(Array.from({ length: 10 }, () => signInForm(server.url, { code })))
    const opened = answers.filter(({ status }) => status === 303)
    expect(opened).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(9)
    const [cookie = ''] = opened[0]!.headers.get('set-cookie')!.split(';')
    expect((await me(cookie)).json).toMatchObject({ id, role: 'viewer', pins: { user_id: 'ada' } })
    expect(await (await signInForm(server.url, { code })).text()).toContain('was used or is too old')
  })

  test('is refused when it is over, forged, or its key was revoked', async () => {
    const { id, key } = await keyOf(server, tenant.id, { role: 'viewer' })
    const [old, forged, late] = [codeOf(await makeLink(key)), codeOf(await makeLink(key)), codeOf(await makeLink(key))]
    await owned(
      `update sign_in_links set expires_at = clock_timestamp() where created_at = (select min(created_at) from sign_in_links)`,
    )
    const other = (text: string) => text.slice(0, -20) + text.slice(-20).split('').toReversed().join('')
    await call(server.url, 'POST', `/v1/orgs/${tenant.id}/keys/${id}/revoke`, { key: tenant.key })
    for (const code of [old, other(forged), late, '', 'weirlink_x'])
      expect((await signInForm(server.url, { code })).status).toBe(401)
  })

  test('says as whom it signs in, to nobody but whoever has it', async () => {
    const { id, key } = await keyOf(server, tenant.id, { role: 'viewer' })
    const code = codeOf(await makeLink(key))
    const shown = async (text: string) => (await page(`/console/signin?code=${text}`)).text()
    expect(await shown(code)).toContain(id)
    const forged = code.slice(0, -20) + code.slice(-20).split('').toReversed().join('')
    expect(await shown(forged)).not.toContain(id)
    expect(await shown(forged)).toContain(`value="${forged}"`)
    expect((await signInForm(server.url, { code })).status).toBe(303)
    expect(await shown(code)).not.toContain(id)
  })

  test('is not used up by somebody who may not come in now, and names nobody to them', async () => {
    const other = await tenantOf(server, operator.key)
    const code = codeOf(await makeLink(other.key))
    const asOperator = (what: string) =>
      call(server.url, 'POST', `/v1/admin/orgs/${other.id}/${what}`, { key: operator.key })
    await asOperator('suspend')
    expect((await signInForm(server.url, { code })).status).toBe(403)
    expect(await (await page(`/console/signin?code=${code}`)).text()).not.toContain(other.keyId)
    await asOperator('resume')
    expect((await signInForm(server.url, { code })).status).toBe(303)
  })

  test('is shown to nobody else, not by a replay either, and ends with “end all”', async () => {
    const { key } = await keyOf(server, tenant.id)
    const session = await signIn(server.url, key)
    const headers = { 'idempotency-key': 'a link' }
    const made = await call(server.url, 'POST', '/v1/me/sign-in-links', { key, headers })
    const asPage = { cookie: session.cookie, 'sec-fetch-site': 'same-origin', 'x-csrf-token': session.csrfToken }
    const replayed = await call(server.url, 'POST', '/v1/me/sign-in-links', { headers: { ...headers, ...asPage } })
    expect(replayed.status).toBe(403)
    await call(server.url, 'POST', '/v1/me/sessions/revoke', { key })
    expect((await signInForm(server.url, { code: codeOf(made) })).status).toBe(401)
  })

  test('cannot be made by a session, which would never end', async () => {
    const session = await signIn(server.url, tenant.key)
    const { status, json } = await callIn(server.url, session, 'POST', '/v1/me/sign-in-links')
    expect([status, json.error?.code]).toEqual([403, 'forbidden'])
  })

  test('replaces the oldest of a key beyond twenty, is on record, and in no log', async () => {
    const { id, key } = await keyOf(server, tenant.id, { role: 'viewer' })
    const first = codeOf(await makeLink(key))
    const links: Answer[] = []
    for (let i = 0; i < 20; i++) links.push(await makeLink(key))
    expect((await signInForm(server.url, { code: first })).status).toBe(401)
    await page(`/console/signin?code=${codeOf(links[0]!)}`)
    expect((await audited('sign_in_link.created')).filter(({ target }) => target.id === id)).toHaveLength(21)
    const told = JSON.stringify([
      server.logs,
      await audited('sign_in_link.created'),
      await owned('select * from sign_in_links'),
    ])
    for (const link of links) expect(told.includes(codeOf(link).slice(-49))).toBe(false)
  })
})

describe('the pages', () => {
  test('of an ended session say so, clear the cookie and link to sign-in', async () => {
    const session = await signIn(server.url, tenant.key)
    await callIn(server.url, session, 'POST', '/v1/me/sessions/revoke')
    for (const path of ['/console/profile', '/console/anything/else']) {
      const response = await page(path, session.cookie)
      expect(response.status).toBe(401)
      expect(response.headers.get('set-cookie')).toMatch(clearedCookie)
      const text = await response.text()
      expect(text).toContain('session_revoked')
      expect(text).toContain(`href="/console/signin?return_to=${encodeURIComponent(path)}"`)
    }
  })

  test('lead to sign-in without a session, and back afterwards', async () => {
    const response = await page('/console/keys?limit=1')
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      '/console/signin?return_to=%2Fconsole%2Fkeys%3Flimit%3D1',
    ])
    const form = await (await page('/console/signin?return_to=%2Fconsole%2Fkeys%3Flimit%3D1')).text()
    expect(form).toContain('name="return_to" value="/console/keys?limit=1"')
  })

  test('carry no deprecation, no script, and are framed by nobody', async () => {
    const { cookie } = await signIn(server.url, tenant.key)
    for (const [path, own] of [
      ['/console/signin', undefined],
      ['/console/profile', cookie],
    ] as const) {
      const { headers } = await page(path, own)
      expect(headers.get('deprecation') ?? headers.get('sunset')).toBeNull()
      expect(headers.get('content-security-policy')).toMatch(
        /default-src 'none'.*frame-ancestors 'none'.*form-action 'self'/,
      )
      expect(headers.get('content-security-policy')).not.toContain('script-src')
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })

  test('show what others wrote as text', async () => {
    const { cookie } = await signIn(server.url, tenant.key)
    await fetch(`${server.url}/console/signin`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': '<script>alert(1)</script>' },
      body: new URLSearchParams({ key: tenant.key }).toString(),
    })
    expect(await (await page('/console/profile', cookie)).text()).not.toContain('<script>')
    expect(await (await page('/console/signin?return_to=%2Fconsole%2F%22%3E%3Cscript%3E')).text()).not.toContain(
      '<script>',
    )
  })

  test('sign out, and end other sessions, for forms of their own only', async () => {
    const [session, other] = [await signIn(server.url, tenant.key), await signIn(server.url, tenant.key)]
    const post = (
      path: string,
      csrf_token: string,
      headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
    ) =>
      fetch(server.url + path, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie: session.cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams({ csrf_token }).toString(),
      })
    expect((await post('/console/signout', '')).status).toBe(403)
    expect((await post('/console/signout', session.csrfToken, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await post('/console/signout', session.csrfToken, {})).status).toBe(403)
    expect((await post(`/console/sessions/${other.id}/revoke`, session.csrfToken)).status).toBe(303)
    expect(summaryOf(await me(other.cookie))).toEqual(endedSummary)
    const out = await post('/console/signout', session.csrfToken)
    expect([out.status, out.headers.get('location')]).toEqual([303, '/console/signin'])
    expect(out.headers.get('set-cookie')).toMatch(clearedCookie)
    expect(summaryOf(await me(session.cookie))).toEqual(endedSummary)
  })

  test('take nothing but small forms', async () => {
    const post = (type: string, body: string) =>
      fetch(`${server.url}/console/signin`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': type },
        body,
      })
    expect((await post('application/json', JSON.stringify({ key: tenant.key }))).status).toBe(422)
    expect((await post('application/x-www-form-urlencoded', `key=${'a'.repeat(9_000)}`)).status).toBe(413)
  })

  test('count against the rates of the organization', async () => {
    const other = await tenantOf(server, operator.key, 'Slow')
    const session = await signIn(server.url, other.key)
    const body = { read_rpm: 3, policies: [] }
    const path = `/v1/admin/orgs/${other.id}/rate-limits`
    expect((await call(server.url, 'PUT', path, { key: operator.key, body })).status).toBe(200)
    const statuses = []
    for (let i = 0; i < 6; i++) statuses.push((await page('/console/profile', session.cookie)).status)
    expect(statuses.at(-1)).toBe(429)
    expect(statuses[0]).toBe(200)
  })

  test('offer no session to whoever comes through a proxy without HTTPS', async () => {
    for (const name of ['x-forwarded-for', 'x-forwarded-proto', 'forwarded']) {
      const response = await signInForm(server.url, { key: tenant.key }, { [name]: 'https' })
      expect([response.status, response.headers.get('set-cookie')]).toEqual([403, null])
    }
  })

  test('say that something failed, and keep the cookie, when the database does not answer', async () => {
    const session = await signIn(server.url, tenant.key)
    await call(server.url, 'PATCH', `/v1/orgs/${tenant.id}/keys/${tenant.keyId}`, {
      key: tenant.key,
      body: { name: 'owner again' },
    })
    await owned('revoke execute on function caller_of_token(uuid) from weir_app')
    try {
      for (const path of ['/console/profile', '/console/signin']) {
        const response = await page(path, session.cookie)
        expect(response.status).toBeGreaterThanOrEqual(500)
        expect(response.headers.get('set-cookie')).toBeNull()
      }
    } finally {
      await owned('grant execute on function caller_of_token(uuid) to weir_app')
    }
    expect((await page('/console/profile', session.cookie)).status).toBe(200)
  })

  test('neither log nor store the secret of a key or a session', async () => {
    const { key } = await keyOf(server, tenant.id)
    const { cookie } = await signIn(server.url, key)
    const secrets = [key.slice(-49), cookie.slice(-49)]
    const lines = JSON.stringify(server.logs)
    const rows = JSON.stringify(await owned('select * from sessions'))
    for (const secret of secrets) expect([lines.includes(secret), rows.includes(secret)]).toEqual([false, false])
  })
})
