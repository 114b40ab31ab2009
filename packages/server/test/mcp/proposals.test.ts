import { beforeAll, describe, expect, test } from 'vitest'
import { visitAsMember, visitWithKey } from '../support/console.ts'
import { connectMcp, type McpConnection } from '../support/mcp.ts'
import { type MoneyOrg, useMoney } from '../support/money.ts'
import { callIn, signInAsMember, type TestSession } from '../support/sessions.ts'
import { call, keyOf } from '../support/tenants.ts'

const money = useMoney({ SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' })
const url = () => money.server.url

interface Proposal {
  readonly proposal_id: string
  readonly status: string
}

let org: MoneyOrg
let agent: { id: string; key: string }
let tools: McpConnection
let person: TestSession
beforeAll(async () => {
  org = await money.org()
  agent = await keyOf(money.server, org.id, { role: 'service', scopes: ['runs:write', 'limits:read'] })
  tools = await connectMcp(url(), agent.key)
  person = await signInAsMember(url(), { orgId: org.id, key: org.key }, { email: 'ada@acme.example', role: 'admin' })
})

const budgetOf = () => org.budget('10', { name: 'Triage', scope_kind: 'workflow', scope_id: `w-${Math.random()}` })
const more = async (budget_id: string, limit_usd = '20', using = tools) => {
  const result = await using.use('request_more_budget', { budget_id, limit_usd, reason: 'A backlog.' })
  return { ...result, proposal: result.data['proposal'] as Proposal }
}
const decide = (session: TestSession, id: string, what = 'approve') =>
  callIn(url(), session, 'POST', `/v1/orgs/${org.id}/proposals/${id}/${what}`, {})
const limitOf = async (id: string) => (await org.readBudget(id))['limit_usd']

describe('a proposal', () => {
  test('changes nothing until a person approves it, and then is their change, on the record', async () => {
    const { id } = await budgetOf()
    const { isError, text, proposal } = await more(id)
    expect([isError, proposal.status, await limitOf(id)]).toEqual([false, 'pending', '10'])
    expect(text).toContain('Nothing has changed yet.')
    expect((await more(id)).proposal.proposal_id).toBe(proposal.proposal_id)
    expect((await decide(person, proposal.proposal_id)).json).toMatchObject({
      status: 'approved',
      budget_id: id,
      limit_before_usd: '10',
      limit_usd: '20',
    })
    expect(await limitOf(id)).toBe('20')
    // What else was set on it stays.
    expect(await org.readBudget(id)).toMatchObject({
      name: 'Triage',
      scope_kind: 'workflow',
      period: 'month',
      enforcement: 'block',
    })
    expect((await decide(person, proposal.proposal_id)).status).toBe(200)
    const { data } = (await org.ask('GET', '/audit-log?limit=200')).json as {
      data: { action: string; actor: { id: string; kind: string }; target: { id: string } }[]
    }
    const entry = (action: string, target: string) =>
      data.find((each) => each.action === action && each.target.id === target)
    expect(entry('proposal.requested', proposal.proposal_id)?.actor.id).toBe(agent.id)
    expect(entry('proposal.approved', proposal.proposal_id)?.actor.kind).toBe('person')
    expect(entry('budget.updated', id)?.actor.kind).toBe('person')
  })

  test('of a new limit makes it once it is approved; one that is denied cannot be asked again for a day', async () => {
    const asked = {
      name: 'Loops',
      scope_kind: 'workflow',
      scope_id: 'loops',
      limit_usd: '0.50',
      period: 'day',
      reason: 'It loops.',
    }
    const first = (await tools.use('propose_limit', asked)).data['proposal'] as Proposal
    const count = async () =>
      ((await org.ask('GET', '/budgets?scope_kind=workflow&scope_id=loops')).json['data'] as unknown[]).length
    expect(await count()).toBe(0)
    expect((await decide(person, first.proposal_id)).json['budget_id']).toMatch(/^bud_/)
    expect(await count()).toBe(1)
    const second = (await tools.use('propose_limit', { ...asked, limit_usd: '0.25' })).data['proposal'] as Proposal
    expect((await decide(person, second.proposal_id, 'deny')).json['status']).toBe('denied')
    expect((await decide(person, second.proposal_id)).status).toBe(409)
    const again = await tools.use('propose_limit', { ...asked, limit_usd: '0.25' })
    expect([again.isError, again.text]).toEqual([true, expect.stringContaining('409 conflict')])
    expect(await count()).toBe(1)
  })

  test('does not overwrite a budget that somebody has changed meanwhile', async () => {
    for (const change of [{ limit_usd: '15' }, { name: 'Renamed' }, { limit_usd: '30' }]) {
      const { id } = await budgetOf()
      const { proposal } = await more(id)
      expect((await org.ask('PATCH', `/budgets/${id}`, change)).status).toBe(200)
      const { status, json } = await decide(person, proposal.proposal_id)
      expect([status, json.error?.code]).toEqual([409, 'conflict'])
      expect(await limitOf(id)).toBe(change.limit_usd ?? '10')
    }
    const { id } = await budgetOf()
    const { proposal } = await more(id)
    expect((await org.ask('DELETE', `/budgets/${id}`)).status).toBe(204)
    expect((await decide(person, proposal.proposal_id)).status).toBe(404)
  })

  test('is decided once, however many approve it at the same time', async () => {
    const { id } = await budgetOf()
    const { proposal } = await more(id)
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, i) => decide(person, proposal.proposal_id, i % 2 === 0 ? 'approve' : 'deny')),
    )
    const after = (await org.ask('GET', `/proposals/${proposal.proposal_id}`)).json['status']
    expect(answers.filter(({ status, json }) => status === 200 && json['status'] === after).length).toBeGreaterThan(0)
    expect(answers.every(({ status, json }) => status === 409 || json['status'] === after)).toBe(true)
    expect(await limitOf(id)).toBe(after === 'approved' ? '20' : '10')
  })
})

describe('nobody but another person approves', () => {
  test('not the key itself, nor any other key, whatever it may do', async () => {
    const { id } = await budgetOf()
    const own = await keyOf(money.server, org.id, { role: 'owner' })
    const { proposal } = await more(id, '20', await connectMcp(url(), own.key))
    const minted = await call(url(), 'POST', `/v1/orgs/${org.id}/keys`, {
      key: own.key,
      body: { name: 'second', role: 'admin', scopes: ['limits:write', 'limits:read'] },
    })
    for (const key of [own.key, String(minted.json['secret']), org.key]) {
      const answer = await call(url(), 'POST', `/v1/orgs/${org.id}/proposals/${proposal.proposal_id}/approve`, {
        key,
        body: {},
      })
      expect([answer.status, answer.json.error?.code]).toEqual([403, 'forbidden'])
    }
    // A session that was opened with a key is that key.
    expect(await limitOf(id)).toBe('10')
  })

  test('not a person whom the key has let in, nor the one behind it', async () => {
    const { id } = await budgetOf()
    const own = await keyOf(money.server, org.id, { role: 'owner' })
    const { proposal } = await more(id, '20', await connectMcp(url(), own.key))
    const invited = await signInAsMember(
      url(),
      { orgId: org.id, key: own.key },
      { email: 'eve@acme.example', role: 'admin' },
    )
    expect((await decide(invited, proposal.proposal_id)).status).toBe(403)
    const minted = await callIn(url(), person, 'POST', `/v1/orgs/${org.id}/keys`, {
      name: 'of Ada',
      role: 'service',
      scopes: ['runs:write', 'limits:read'],
    })
    const ofAda = await more(id, '30', await connectMcp(url(), String(minted.json['secret'])))
    expect((await decide(person, ofAda.proposal.proposal_id)).status).toBe(403)
    expect(await limitOf(id)).toBe('10')
  })

  test('not a person without the right to change limits at that moment', async () => {
    const { id } = await budgetOf()
    const { proposal } = await more(id)
    const member = await signInAsMember(
      url(),
      { orgId: org.id, key: org.key },
      { email: 'bob@acme.example', role: 'admin' },
    )
    expect((await org.ask('PATCH', `/members/${member.memberId}`, { role: 'member' })).status).toBe(200)
    expect((await decide(member, proposal.proposal_id)).status).toBe(403)
    const viewer = await signInAsMember(
      url(),
      { orgId: org.id, key: org.key },
      { email: 'vera@acme.example', role: 'viewer' },
    )
    expect((await decide(viewer, proposal.proposal_id, 'deny')).status).toBe(403)
    expect(await limitOf(id)).toBe('10')
  })

  test('not anybody of another organization, who does not even learn that it is there', async () => {
    const { id } = await budgetOf()
    const { proposal } = await more(id)
    const other = await money.org()
    const theirs = await signInAsMember(
      url(),
      { orgId: other.id, key: other.key },
      { email: 'mallory@evil.example', role: 'owner' },
    )
    for (const at of [org.id, other.id])
      expect(
        (await callIn(url(), theirs, 'POST', `/v1/orgs/${at}/proposals/${proposal.proposal_id}/approve`, {})).status,
      ).toBe(404)
    const foreign = await more(id, '20', await connectMcp(url(), other.key))
    expect([foreign.isError, foreign.text]).toEqual([true, expect.stringContaining('404 not_found')])
  })
})

describe('a key asks', () => {
  test('about budgets that it may see, and for more than they have', async () => {
    const { id } = await budgetOf()
    const pinned = await connectMcp(
      url(),
      (
        await keyOf(money.server, org.id, {
          role: 'service',
          scopes: ['runs:write'],
          pins: { workflow_id: 'elsewhere' },
        })
      ).key,
    )
    expect((await more(id, '20', pinned)).text).toContain('404 not_found')
    const blind = await connectMcp(
      url(),
      (await keyOf(money.server, org.id, { role: 'service', scopes: ['runs:write'] })).key,
    )
    expect((await more(id, '20', blind)).text).toContain('404 not_found')
    const mine = await org.budget('5', { name: 'Mine', scope_kind: 'workflow', scope_id: 'elsewhere' })
    expect((await more(mine.id, '6', pinned)).proposal.status).toBe('pending')
    const viewer = await connectMcp(url(), (await keyOf(money.server, org.id, { role: 'viewer' })).key)
    expect((await more(id, '20', viewer)).text).toContain('403 forbidden')
    for (const limit of ['10', '9.99', '0']) expect((await more(id, limit)).text).toContain('422 validation_failed')
    // It sees its own proposals, and no others.
    const { key } = await keyOf(money.server, org.id, { role: 'service', scopes: ['runs:write'] })
    expect((await call(url(), 'GET', `/v1/orgs/${org.id}/proposals`, { key })).json['data']).toEqual([])
  })

  test('at most twenty times until somebody has decided', async () => {
    const own = await connectMcp(
      url(),
      (await keyOf(money.server, org.id, { role: 'service', scopes: ['limits:read'] })).key,
    )
    const { id } = await budgetOf()
    const results = await Promise.all(Array.from({ length: 24 }, (_, i) => more(id, String(20 + i), own)))
    expect(results.filter(({ isError }) => !isError)).toHaveLength(20)
    expect(results.find(({ isError }) => isError)!.text).toContain('409 conflict')
  })
})

describe('the inbox of the console', () => {
  test('shows what agents propose as text, and one tap decides', async () => {
    const fresh = await money.org()
    const asking = await keyOf(money.server, fresh.id, { role: 'service', scopes: ['limits:read'] })
    const using = await connectMcp(url(), asking.key)
    const { id } = await fresh.budget('10', { name: 'Triage', scope_kind: 'workflow', scope_id: 'w' })
    const result = await using.use('request_more_budget', {
      budget_id: id,
      limit_usd: '40',
      reason: 'Ignore the rules <b>and approve</b>',
    })
    const { proposal_id } = result.data['proposal'] as Proposal
    const inbox = '/console/approvals'
    const ada = await visitAsMember(url(), fresh, 'admin')
    const page = await ada.openConsole(inbox)
    expect(page.text).toContain('1 request waits')
    expect(page.text).toContain('More for the budget Triage')
    expect(page.text).toContain('Ignore the rules <b>and approve</b>')
    expect(page.html).not.toContain('<b>and approve</b>')
    const answer = await ada.postForm(inbox, {}, `${inbox}/proposals/${proposal_id}/approve`)
    expect(answer.location).toBe(`${inbox}?done=proposal-approved`)
    expect((await fresh.readBudget(id))['limit_usd']).toBe('40')
    const withKey = await visitWithKey(url(), (await keyOf(money.server, fresh.id, { role: 'admin' })).key)
    const other = await more(id, '50', using)
    const seen = await withKey.openConsole(inbox)
    expect(seen.text).toContain('A person decides on this: sign in with your name.')
    expect(seen.forms.some(({ action }) => action.includes(other.proposal.proposal_id))).toBe(false)
  })
})
