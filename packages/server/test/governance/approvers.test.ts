import { expect, test } from 'vitest'
import { addRule } from '../support/governed.ts'
import { type MoneyOrg, useMoney } from '../support/money.ts'
import { callIn, signIn, signInAsMember, type TestSession } from '../support/sessions.ts'
import { call, keyOf } from '../support/tenants.ts'

const money = useMoney()
let people = 0
const join = (org: MoneyOrg, key = org.key, role = 'admin') =>
  signInAsMember(money.server.url, { orgId: org.id, key }, { email: `p${people++}@acme.example`, role })
const at = (org: MoneyOrg, path: string) => `/v1/orgs/${org.id}${path}`

/** An organization with a rule, and a request of a key. */
async function asking(approver: string, secret?: (org: MoneyOrg) => Promise<string>) {
  const org = await money.org()
  await addRule(org, { effect: 'require_approval', reason: 'Ask first.', approver })
  const key = secret ? await secret(org) : org.key
  return { org, key, approval: await requestOf(key) }
}

async function requestOf(key: string, model = 'gpt-4o') {
  const { json } = await call(money.server.url, 'POST', '/v1/runs', {
    key,
    body: { model, input_tokens: 10, max_output_tokens: 10 },
  })
  expect(json.error?.code).toBe('policy_approval_required')
  return json.error!.details['approval_id'] as string
}

const approveIn = async (org: MoneyOrg, approval: string, session: TestSession) => {
  const { status, json } = await callIn(
    money.server.url,
    session,
    'POST',
    at(org, `/approvals/${approval}/approve`),
    {},
  )
  return json.error?.code ?? `${status} ${String(json['decided_by'])}`
}
const approveWith = async (org: MoneyOrg, approval: string, key: string) => {
  const { status, json } = await call(money.server.url, 'POST', at(org, `/approvals/${approval}/approve`), {
    key,
    body: {},
  })
  return json.error?.code ?? `${status} ${String(json['decided_by'])}`
}
const mintAs = async (org: MoneyOrg, session: TestSession, body: object) => {
  const { json } = await callIn(money.server.url, session, 'POST', at(org, '/keys'), body)
  return { id: String(json['id']), secret: String(json['secret']) }
}
const service = { name: 'agent', role: 'service', scopes: ['runs:write', 'edge:decide'] }

test('a rule that asks for a person is decided by no key, minted for it or not', async () => {
  const { org, approval } = await asking('person')
  const another = await keyOf(money.server, org.id, { role: 'owner' })
  expect(await approveWith(org, approval, another.key)).toBe('forbidden')
  // Nor by the key behind a session.
  expect(await approveIn(org, approval, await signIn(money.server.url, another.key))).toBe('forbidden')
})

test('a person decides, and is named', async () => {
  const { org, approval } = await asking('person', async (own) => (await keyOf(money.server, own.id)).key)
  const person = await join(org)
  expect(await approveIn(org, approval, person)).toBe(`200 ${person.memberId}`)
  const read = await org.ask('GET', `/approvals/${approval}`)
  expect(read.json).toMatchObject({ status: 'approved', decided_by: person.memberId })
  const log = await org.ask('GET', `/audit-log?action=approval.approved&actor_id=${person.memberId}`)
  expect(log.json['data']).toHaveLength(1)
})

test('whoever the asking key invited does not decide, nor whoever they invited, nor a key of theirs', async () => {
  const { org, approval } = await asking('anyone')
  const puppet = await join(org, org.key, 'owner')
  expect(await approveIn(org, approval, puppet)).toBe('forbidden')
  const { secret } = await mintAs(org, puppet, { name: 'k', role: 'admin', scopes: ['policies:write'] })
  expect(await approveWith(org, approval, secret)).toBe('forbidden')
  const second = await callIn(money.server.url, puppet, 'POST', at(org, '/members'), {
    email: `p${people++}@acme.example`,
    role: 'admin',
  })
  const code = new URL((second.json['invitation'] as { url: string }).url).searchParams.get('code')!
  const response = await fetch(`${money.server.url}/console/signin`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ code }).toString(),
  })
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';')
  const me = await call(money.server.url, 'GET', '/v1/me', { headers: { cookie } })
  const { id, csrf_token } = me.json['session'] as { id: string; csrf_token: string }
  expect(await approveIn(org, approval, { cookie, csrfToken: csrf_token, id })).toBe('forbidden')
})

test('a rule that asks for another person is not decided by the one behind the key, however far behind', async () => {
  const org = await money.org()
  await addRule(org, { effect: 'require_approval', reason: 'Ask first.', approver: 'another_person' })
  const inviter = (await keyOf(money.server, org.id, { role: 'owner' })).key
  const [behind, other] = [await join(org, inviter), await join(org, inviter)]
  const own = await mintAs(org, behind, service)
  const admin = await mintAs(org, behind, {
    name: 'maker',
    role: 'admin',
    scopes: ['keys:write', 'runs:write', 'edge:decide'],
  })
  // Minted by the person's key, and answered for by somebody else.
  const child = await call(money.server.url, 'POST', at(org, '/keys'), {
    key: admin.secret,
    body: { ...service, owner_id: other.memberId },
  })
  const given = await mintAs(org, other, { ...service, owner_id: behind.memberId })
  const rotated = await callIn(money.server.url, behind, 'POST', at(org, `/keys/${given.id}/rotate`), {
    overlap_seconds: 600,
  })
  const models = ['gpt-4o', 'claude-sonnet-4', 'gpt-4o-mini', 'gpt-4.1']
  const keys = [own.secret, String(child.json['secret']), given.secret, String(rotated.json['secret'])]
  for (const [i, key] of keys.entries()) {
    const approval = await requestOf(key, models[i])
    expect(await approveIn(org, approval, behind), `key ${i}`).toBe('forbidden')
  }
  const approval = await requestOf(own.secret, 'gpt-4.1-mini')
  expect(await approveIn(org, approval, other)).toBe(`200 ${other.memberId}`)
})

test('whoever gave a key away is behind it still', async () => {
  const org = await money.org()
  await addRule(org, { effect: 'require_approval', reason: 'Ask first.', approver: 'another_person' })
  const inviter = (await keyOf(money.server, org.id, { role: 'owner' })).key
  const [holder, other] = [await join(org, inviter), await join(org, inviter)]
  const given = await mintAs(org, other, { ...service, owner_id: holder.memberId })
  await callIn(money.server.url, holder, 'PATCH', at(org, `/keys/${given.id}`), { owner_id: null })
  expect(await approveIn(org, await requestOf(given.secret), holder)).toBe('forbidden')
})

test('where any approver will do, the person behind the key may decide', async () => {
  const org = await money.org()
  await addRule(org, { effect: 'require_approval', reason: 'Ask first.', approver: 'person' })
  const person = await join(org)
  const { secret } = await mintAs(org, person, service)
  expect(await approveIn(org, await requestOf(secret), person)).toBe(`200 ${person.memberId}`)
})

test('a viewer and a member do not decide', async () => {
  const { org, approval } = await asking('anyone', async (own) => (await keyOf(money.server, own.id)).key)
  for (const role of ['viewer', 'member'])
    expect(await approveIn(org, approval, await join(org, org.key, role))).toBe('forbidden')
})
