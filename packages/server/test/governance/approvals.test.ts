import { describe, expect, test } from 'vitest'
import { expireApprovals } from '../../src/governance/approvals/expiry.ts'
import { parseId } from '../../src/values/id.ts'
import { actionsOf, addRule, eventsLike, ruleOf, startRun } from '../support/governed.ts'
import { type MoneyOrg, refusalIn, useMoney } from '../support/money.ts'
import { call, keyOf } from '../support/tenants.ts'

const money = useMoney()

/** An organization whose runs need an approval, with an approver beside the key that asks. */
async function governed(more: Record<string, unknown> = {}) {
  const org = await money.org()
  const rule = await addRule(org, { effect: 'require_approval', reason: 'Ask first.', ...more })
  const approver = (await keyOf(money.server, org.id, { role: 'admin' })).key
  const decide = (approval: string, verdict: string, body: unknown = {}, key = approver) =>
    org.ask('POST', `/approvals/${approval}/${verdict}`, body, key)
  const requested = async (body: Record<string, unknown> = {}) => {
    const answer = await startRun(org, body)
    expect(refusalIn(answer)).toMatchObject({ status: 403, code: 'policy_approval_required' })
    return answer.json.error!.details['approval_id'] as string
  }
  const approved = async (grant: Record<string, unknown>, body: Record<string, unknown> = {}) => {
    const id = await requested(body)
    expect((await decide(id, 'approve', grant)).status).toBe(200)
    return id
  }
  return { org, rule, approver, decide, requested, approved }
}

const pendingOf = async (org: MoneyOrg) =>
  ((await org.ask('GET', '/approvals?status=pending')).json as unknown as { data: { id: string }[] }).data

describe('a rule that wants an approval', () => {
  test('refuses, and asks once for all attempts that are the same', async () => {
    const { org, rule, requested } = await governed()
    const answers = await Promise.all(Array.from({ length: 20 }, () => requested()))
    expect(new Set(answers).size).toBe(1)
    expect(await pendingOf(org)).toMatchObject([
      { id: answers[0], status: 'pending', rule_id: rule, attempted: 'gpt-4o', requested_by: org.keyId, grant: null },
    ])
    expect(await eventsLike(org, 'approval.')).toEqual(['approval.requested'])
    expect(await actionsOf(org, 'approval.')).toEqual(['approval.requested'])
    // Another model is another attempt; more tokens are not.
    expect(await requested({ input_tokens: 7, max_output_tokens: 9 })).toBe(answers[0])
    expect(await requested({ model: 'claude-sonnet-4' })).not.toBe(answers[0])
  })

  test('a grant of 3 admits exactly 3 of 100 attempts at once, and asks once more', async () => {
    const { org, approved } = await governed()
    const id = await approved({ max_runs: 3 })
    const answers = await Promise.all(Array.from({ length: 100 }, () => startRun(org)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
    const refused = answers.filter(({ status }) => status !== 201).map(refusalIn)
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['policy_approval_required']))
    const asked = new Set(refused.map((refusal) => refusal['approval_id']))
    expect(asked.size).toBe(1)
    expect(asked).not.toContain(id)
    expect((await org.ask('GET', `/approvals/${id}`)).json).toMatchObject({
      status: 'approved',
      grant: { max_runs: 3, runs_started: 3 },
    })
    expect(await eventsLike(org, 'approval.')).toEqual([
      'approval.requested',
      'approval.approved',
      'approval.requested',
    ])
  })

  test('a grant is used up by runs that have ended, and given back by nothing but never having run', async () => {
    const { org, approved } = await governed()
    const id = await approved({ max_runs: 2 })
    const run = (await startRun(org)).json['id'] as string
    await org.post(`/v1/runs/${run}/finish`, { status: 'failed', cost_usd: '0' })
    expect((await startRun(org)).status).toBe(201)
    expect((await startRun(org)).status).toBe(403)
    expect((await org.ask('GET', `/approvals/${id}`)).json).toMatchObject({ grant: { runs_started: 2 } })
  })

  test('a start that a limit refuses takes nothing from the grant', async () => {
    const { org, approved } = await governed()
    const id = await approved({ max_runs: 1 })
    const budget = await org.budget('0.005')
    expect((await startRun(org)).json.error?.code).toBe('budget_exceeded')
    expect((await org.ask('GET', `/approvals/${id}`)).json).toMatchObject({ grant: { runs_started: 0 } })
    await org.set('PATCH', `/budgets/${budget.id}`, { limit_usd: '5' })
    expect((await startRun(org)).status).toBe(201)
  })

  test('an approved amount binds what the runs cost together', async () => {
    const { org, approved } = await governed()
    const id = await approved({ max_runs: 50, max_amount_usd: '0.025' })
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await startRun(org)).status))
    expect(statuses.filter((status) => status === 201)).toHaveLength(2)
    expect((await org.ask('GET', `/approvals/${id}`)).json).toMatchObject({
      grant: { max_amount_usd: '0.025', held_usd: '0.02' },
    })
  })

  test('a dry run asks nobody and takes nothing', async () => {
    const { org, approved } = await governed()
    const dry = () => startRun(org, { dry_run: true })
    expect(refusalIn(await dry())).toMatchObject({ code: 'policy_approval_required' })
    expect(await pendingOf(org)).toEqual([])
    await approved({ max_runs: 1 })
    for (let i = 0; i < 3; i++) expect((await dry()).status).toBe(200)
    expect((await startRun(org)).status).toBe(201)
    expect((await dry()).status).toBe(403)
  })
})

describe('what waits', () => {
  test('is bounded: beyond a thousand requests an attempt is refused without asking', async () => {
    const { org, requested } = await governed()
    const first = await requested()
    await org.rows(
      `insert into approvals (org_id, id, status, rule_id, rule_version, rule_name, reason, fingerprint, attempted, attempt,
         estimated_nano, requested_by, expires_at)
       select org_id, gen_random_uuid(), 'pending', rule_id, rule_version, rule_name, reason, sha256(n::text::bytea), attempted,
         attempt, 0, gen_random_uuid(), expires_at from approvals, generate_series(1, 999) n where org_id = $1`,
    )
    expect(refusalIn(await startRun(org, { workflow_id: 'one more' }))).not.toHaveProperty('approval_id')
    expect(await requested()).toBe(first)
  })
})

describe('deciding on a request', () => {
  test('who asked cannot approve or deny', async () => {
    const { org, requested, decide } = await governed()
    const id = await requested()
    for (const verdict of ['approve', 'deny'])
      expect(refusalIn(await decide(id, verdict, {}, org.key))).toMatchObject({ status: 403, code: 'forbidden' })
    expect(await pendingOf(org)).toHaveLength(1)
  })

  describe('by a key that the one who asked could have', () => {
    const scopes = ['keys:write', 'policies:write', 'runs:write']
    /** An admin key that has asked, and a way to send requests about keys. */
    async function asked() {
      const { org, decide } = await governed()
      const asker = await keyOf(money.server, org.id, { role: 'admin', scopes })
      const { json } = await call(money.server.url, 'POST', '/v1/runs', {
        key: asker.key,
        body: { model: 'gpt-4o', estimated_cost_usd: '0.01' },
      })
      const approval = json.error!.details['approval_id'] as string
      const sent = async (key: string, path: string, body: object = {}) => {
        const answer = await org.ask('POST', `/keys${path}`, body, key)
        expect(answer.json).toMatchObject({ secret: expect.stringMatching(/^weir_/) })
        return { id: String(answer.json['id']), key: String(answer.json['secret']) }
      }
      const admin = { name: 'another', role: 'admin', scopes }
      return { org, asker, admin, sent, verdict: (key: string) => decide(approval, 'approve', {}, key) }
    }
    const refused = { status: 403, code: 'forbidden' }

    test('is refused: one that it has rotated, and what follows from that', async () => {
      const { org, asker, sent, verdict } = await asked()
      const sibling = await keyOf(money.server, org.id, { role: 'admin', scopes })
      const successor = await sent(asker.key, `/${sibling.id}/rotate`, { overlap_seconds: 600 })
      expect(refusalIn(await verdict(successor.key))).toMatchObject(refused)
      const next = await sent(successor.key, `/${successor.id}/rotate`)
      expect(refusalIn(await verdict(next.key))).toMatchObject(refused)
    })

    test('is refused: one that a key of its making has made', async () => {
      const { asker, admin, sent, verdict } = await asked()
      const child = await sent(asker.key, '', admin)
      const grandchild = await sent(child.key, '', admin)
      const rotated = await sent(grandchild.key, `/${grandchild.id}/rotate`)
      for (const { key } of [child, rotated]) expect(refusalIn(await verdict(key))).toMatchObject(refused)
    })

    test('is refused: one that its predecessor or its successor has made', async () => {
      const { asker, admin, sent, verdict } = await asked()
      const before = await sent(asker.key, '', admin)
      const successor = await sent(asker.key, `/${asker.id}/rotate`)
      const after = await sent(successor.key, '', admin)
      for (const { key } of [successor, before, after]) expect(refusalIn(await verdict(key))).toMatchObject(refused)
    })

    test('is not meant: the maker of the one who asked, or another key of that maker', async () => {
      const { org, decide } = await governed()
      const minted = async (role: string) => {
        const { json } = await org.ask('POST', '/keys', { name: 'k', role, scopes: ['runs:write', 'policies:write'] })
        return String(json['secret'])
      }
      for (const approver of [org.key, await minted('admin')]) {
        const { json } = await call(money.server.url, 'POST', '/v1/runs', {
          key: await minted('service'),
          body: { model: 'gpt-4o', estimated_cost_usd: '0.01' },
        })
        expect((await decide(json.error!.details['approval_id'] as string, 'approve', {}, approver)).status).toBe(200)
      }
    })
  })

  test('what is denied stays refused and asks nobody again for a day', async () => {
    const { org, requested, decide } = await governed()
    const id = await requested()
    expect((await decide(id, 'deny', { note: 'No.' })).json).toMatchObject({ status: 'denied', note: 'No.' })
    const again = await startRun(org)
    expect(again.json.error).toMatchObject({
      message: expect.stringMatching(/Denied until .*: No\./),
      details: { approval_id: id, approval_status: 'denied' },
    })
    expect((await decide(id, 'deny')).status).toBe(200)
    expect(refusalIn(await decide(id, 'approve'))).toMatchObject({ status: 409, code: 'conflict' })
    expect(await eventsLike(org, 'approval.')).toEqual(['approval.requested', 'approval.denied'])
    expect(await actionsOf(org, 'approval.')).toEqual(['approval.requested', 'approval.denied'])
  })

  test('approving again changes nothing', async () => {
    const { approved, decide } = await governed()
    const id = await approved({ max_runs: 2 })
    expect((await decide(id, 'approve', { max_runs: 2 })).json).toMatchObject({ grant: { max_runs: 2 } })
    expect(refusalIn(await decide(id, 'approve', { max_runs: 9 }))).toMatchObject({ status: 409 })
    expect(refusalIn(await decide(id, 'deny'))).toMatchObject({ status: 409 })
  })

  test('a grant is taken back: nothing more starts on it, what has started goes on', async () => {
    const { org, approved, decide } = await governed()
    const id = await approved({ max_runs: 5 })
    const run = (await startRun(org)).json['id'] as string
    expect((await decide(id, 'revoke')).json).toMatchObject({ status: 'expired', grant: { runs_started: 1 } })
    expect((await decide(id, 'revoke')).status).toBe(200)
    expect((await startRun(org)).json.error?.details).toMatchObject({ approval_status: 'pending' })
    expect((await org.post(`/v1/runs/${run}/finish`, { status: 'succeeded', cost_usd: '0.001' })).status).toBe(200)
    expect(await actionsOf(org, 'approval.')).toContain('approval.revoked')
    expect(await eventsLike(org, 'approval.expired')).toHaveLength(1)
  })

  test('a changed rule takes requests and grants with it', async () => {
    const { org, rule, approved, requested, decide } = await governed({ name: 'r', priority: 7 })
    const granted = await approved({ max_runs: 5 })
    const waiting = await requested({ model: 'claude-sonnet-4' })
    const changed = ruleOf({ name: 'r', priority: 7, effect: 'require_approval', reason: 'Ask again.' })
    await org.set('PUT', `/policies/${rule}`, changed)
    expect(refusalIn(await startRun(org))).toMatchObject({ code: 'policy_approval_required' })
    expect(refusalIn(await decide(waiting, 'approve'))).toMatchObject({ status: 409, code: 'conflict' })
    for (const id of [granted, waiting])
      expect((await org.ask('GET', `/approvals/${id}`)).json).toMatchObject({ status: 'expired' })
    expect((await eventsLike(org, 'approval.expired')).length).toBe(2)
    expect((await actionsOf(org, 'approval.expired')).length).toBe(2)
  })

  test('an expired grant admits nothing, whether or not anybody has noticed yet', async () => {
    const { org, approved, requested } = await governed()
    const id = await approved({ max_runs: 5, expires_at: new Date(Date.now() + 3_600_000).toISOString() })
    expect((await startRun(org)).status).toBe(201)
    await org.rows(
      `update approvals set expires_at = now() - interval '1 second' where id = $2 and org_id = $1`,
      parseId('approval', id),
    )
    expect(await requested()).not.toBe(id)
    await expireApprovals(money.server.platform)
    expect((await org.ask('GET', `/approvals/${id}`)).json).toMatchObject({ status: 'expired' })
    expect((await eventsLike(org, 'approval.expired')).length).toBe(1)
    expect((await actionsOf(org, 'approval.expired')).length).toBe(1)
  })

  test('nobody is waited for longer than a week', async () => {
    const { org, requested, decide } = await governed()
    const id = await requested()
    await org.rows(
      `update approvals set expires_at = now() - interval '1 second' where id = $2 and org_id = $1`,
      parseId('approval', id),
    )
    expect(refusalIn(await decide(id, 'approve'))).toMatchObject({ status: 409 })
    await expireApprovals(money.server.platform)
    expect((await org.ask('GET', `/approvals/${id}`)).json).toMatchObject({ status: 'expired' })
    expect(await requested()).not.toBe(id)
  })

  test('a grant lies within the next 90 days', async () => {
    const { requested, decide } = await governed()
    const id = await requested()
    for (const expires_at of ['2020-01-01T00:00:00Z', '2999-01-01T00:00:00Z'])
      expect((await decide(id, 'approve', { expires_at })).json.error?.details).toMatchObject({
        fields: [{ field: 'expires_at', code: 'out_of_range' }],
      })
  })

  test('another organization sees nothing of it', async () => {
    const { requested } = await governed()
    const id = await requested()
    const other = await money.org()
    const seen = await call(money.server.url, 'GET', `/v1/orgs/${other.id}/approvals/${id}`, { key: other.key })
    expect(seen.status).toBe(404)
  })
})
