import { expect, test } from 'vitest'
import { useConsole, visitAsMember } from '../support/console.ts'

const { server, tenant, owner, ask } = useConsole()

const path = '/console/sign-in-settings'
const read = async (part: string) => (await ask('GET', part)).json

const provider = {
  name: 'Okta <b>1</b>',
  issuer: 'https://login.example.com',
  client_id: 'abc',
  client_secret: 'hidden-value',
}

test('a provider is connected, changed without its secret, and deleted after a question', async () => {
  const created = await owner.postForm(`${path}/connections/new`, {
    ...provider,
    role_rules: 'groups = weir-admins, sre -> admin\n\nteam = x -> viewer',
    jit: 'true',
  })
  expect(created.status).toBe(303)
  const [id] = /sso_\w+/.exec(created.location!)!
  expect(await read(`/sso-connections/${id}`)).toMatchObject({
    name: provider.name,
    role_rules: [
      { claim: 'groups', values: ['weir-admins', 'sre'], role: 'admin' },
      { claim: 'team', values: ['x'], role: 'viewer' },
    ],
    default_role: 'viewer',
    jit: true,
    enabled: true,
  })
  const page = await owner.openConsole(created.location!)
  expect(page.text).toContain('Okta <b>1</b>')
  expect(page.text).toMatch(/Redirect address http\S+\/sso\/callback\//)
  expect(page.html).not.toContain('hidden-value')

  const before = await read(`/sso-connections/${id}`)
  await owner.postForm(`${path}/connections/${id}/edit`, { name: 'Okta', enabled: undefined })
  const after = await read(`/sso-connections/${id}`)
  expect(after).toMatchObject({ name: 'Okta', enabled: false, role_rules: before['role_rules'], oidc: before['oidc'] })

  expect((await owner.openConsole(`${path}/connections/${id}/delete`)).text).toContain('cannot be undone')
  await owner.postForm(`${path}/connections/${id}/delete`)
  expect(await read('/sso-connections')).toMatchObject({ data: [] })
})

test('a refused provider comes back with the message at its field, and never with its secret in the clear', async () => {
  const refused = await owner.postForm(`${path}/connections/new`, { ...provider, issuer: 'http://login.example.com?x' })
  expect(refused.status).toBe(422)
  expect(refused.html).toMatch(/id="f-issuer"[^>]*aria-invalid="true"/)
  expect(refused.html).not.toContain('hidden-value')
  const rules = await owner.postForm(`${path}/connections/new`, { ...provider, role_rules: 'admins' })
  expect([rules.status, /id="f-role_rules"[^>]*aria-invalid/.test(rules.html)]).toEqual([422, true])
  expect(await read('/sso-connections')).toMatchObject({ data: [] })
})

test('a domain shows the DNS record that proves it, and is not proved without', async () => {
  const refused = await owner.postForm(`${path}/domains/new`, { domain: 'no domain' })
  expect([refused.status, /id="f-domain"[^>]*aria-invalid/.test(refused.html)]).toEqual([422, true])
  const { location } = await owner.postForm(`${path}/domains/new`, { domain: 'acme.example' })
  const id = location!.split('/').at(-1)!
  const record = (await read(`/domains/${id}`))['record'] as { name: string; value: string }
  const { text } = await owner.openConsole(location!)
  expect(text).toContain(record.name)
  expect(text).toContain(record.value)
  const looked = await owner.postForm(location!, {}, /verify$/)
  expect((await owner.openConsole(looked.location!)).text).toContain('The record was not found')
  await owner.postForm(`${location}/delete`)
  expect(await read('/domains')).toMatchObject({ data: [] })
})

test('the token of a directory is shown once and revoked after a question', async () => {
  const shown = await owner.postForm(`${path}/directory/tokens/new`, { name: 'Entra' })
  const [secret] = /weirscim_\S+|weir_\S+/.exec(shown.text)!
  const users = () => fetch(`${server.url}/scim/v2/Users`, { headers: { authorization: `Bearer ${secret}` } })
  expect((await users()).status).toBe(200)
  const list = await owner.openConsole(`${path}/directory`)
  expect(list.html).not.toContain(secret)
  const { href } = list.links.find((link) => link.href.endsWith('/revoke'))!
  await owner.postForm(href)
  expect((await users()).status).toBe(401)
})

test('roles by groups and demands on sessions are what the API then says', async () => {
  const refused = await owner.postForm(`${path}/directory/roles`, { rules: 'weir-admins -> king' })
  expect([refused.status, /id="f-rules"[^>]*aria-invalid/.test(refused.html)]).toEqual([422, true])
  await owner.postForm(`${path}/directory/roles`, {
    rules: 'a -> b -> admin\nviewers -> viewer',
    default_role: 'member',
  })
  expect(await read('/directory-roles')).toMatchObject({
    rules: [
      { group: 'a -> b', role: 'admin' },
      { group: 'viewers', role: 'viewer' },
    ],
    default_role: 'member',
  })
  await owner.postForm(`${path}/policy`, { idle_minutes: '30', max_minutes: '' })
  expect(await read('/session-policy')).toMatchObject({ idle_seconds: 1_800, max_seconds: null, sso: 'optional' })
  const words = await owner.postForm(`${path}/policy`, { idle_minutes: 'soon' })
  expect([words.status, /id="f-idle_minutes"[^>]*aria-invalid/.test(words.html)]).toEqual([422, true])
  expect(await read('/session-policy')).toMatchObject({ idle_seconds: 1_800 })
})

test('an admin sees all of it and is offered no change; a viewer sees nothing', async () => {
  const admin = await visitAsMember(server.url, tenant, 'admin')
  const viewer = await visitAsMember(server.url, tenant, 'viewer')
  for (const part of ['', '/domains', '/directory', '/policy']) {
    const page = await admin.openConsole(path + part)
    expect([part, page.status, page.forms.filter(({ method }) => method === 'post')]).toEqual([part, 200, []])
    expect(page.links.filter(({ href }) => href.endsWith('/new'))).toEqual([])
  }
  for (const part of ['', '/domains', '/policy']) expect((await viewer.openConsole(path + part)).status).toBe(403)
  expect((await viewer.openConsole(`${path}/directory`)).text).not.toContain('weir-admins')
  for (const part of ['/connections', '/domains', '/directory/tokens', '/policy'])
    for (const visitor of [admin, viewer])
      expect((await visitor.postUnseen(path + part, { ...provider, domain: 'acme.example' })).status).toBe(403)
  expect((await admin.postUnseen(`${path}/directory/roles`, { rules: 'everybody -> owner' })).status).toBe(403)
})
