import { afterAll, beforeAll, expect, test } from 'vitest'
import { followApprovals, startSlackMessages } from '../../src/slack/slack.ts'
import { ensureRetainedPartitions, startWebhookDelivery } from '../../src/webhooks/webhooks.ts'
import { addRule, startRun } from '../support/governed.ts'
import { type MoneyOrg, useMoney } from '../support/money.ts'
import { eventually } from '../support/processes.ts'
import { callIn, openPage, signInAsMember, type TestSession } from '../support/sessions.ts'
import {
  botToken,
  interact,
  type PressOptions,
  pressBody,
  signed,
  signingSecret,
  slackEnvironment,
  team,
  useSlack,
} from '../support/slack.ts'
import { call, keyOf } from '../support/tenants.ts'

/** Approvals told and decided in Slack, of which there is one here: a real HTTP server that keeps books. */

const slack = useSlack()
const money = useMoney({ ...slackEnvironment, SVC_WEBHOOK_TIMEOUT_SECONDS: '5' })
const { server } = money
let webhooks: ReturnType<typeof startWebhookDelivery>
let messages: ReturnType<typeof startSlackMessages>
beforeAll(async () => {
  Object.assign(server.platform.config, { slackApiUrl: `${slack.url}/api` })
  await ensureRetainedPartitions(server.platform.sql, server.platform.clock.now())
  webhooks = startWebhookDelivery(server.platform, server.registry, followApprovals)
  messages = startSlackMessages(server.platform)
})
afterAll(async () => {
  await webhooks?.close()
  await messages?.close()
})

let count = 0
const app = { channel: 'C0123456789', signing_secret: signingSecret, bot_token: botToken }
const at = (org: MoneyOrg, path: string) => `/v1/orgs/${org.id}${path}`

/** An organization with an app, which a key of its own has set, and agents with other keys. */
async function organization(approver = 'anyone', by: 'key' | 'person' = 'key') {
  const org = await money.org()
  const owner = await join(org, 'owner')
  await addRule(org, {
    effect: 'require_approval',
    reason: 'Ask <!channel> first.',
    approver,
    expression: 'run.model != "free"',
  })
  const set =
    by === 'key'
      ? await org.ask('PUT', '/slack-app', app)
      : await callIn(server.url, owner.session, 'PUT', at(org, '/slack-app'), app)
  expect(set.text).toContain('signing_secret_set_at')
  const agent = (await keyOf(server, org.id, { role: 'service', scopes: ['runs:write', 'edge:decide'] })).key
  return { org, owner, agent }
}

async function join(org: MoneyOrg, role: string) {
  const email = `p${++count}@acme.example`
  // Invited by a key that has nothing to do with agents.
  const session = await signInAsMember(server.url, { orgId: org.id, key: org.key }, { email, role })
  return { email, session, memberId: session.memberId, user: slack.join(email) }
}
type Person = Awaited<ReturnType<typeof join>>

async function ask(agent: string, model = `model-${++count}`) {
  const { json } = await call(server.url, 'POST', '/v1/runs', {
    key: agent,
    body: { model, estimated_cost_usd: '0.05' },
  })
  expect(json.error?.code).toBe('policy_approval_required')
  return json.error!.details['approval_id'] as string
}

const press = async (org: MoneyOrg, options: Omit<PressOptions, 'responseUrl'>, secret = signingSecret) => {
  const path = `/respond/${++count}`
  const body = pressBody({ ...options, responseUrl: slack.url + path })
  const { status } = await interact(server.url, org.id, body, signed(body, secret))
  return { status, answers: () => slack.answersAt(path), said: () => JSON.stringify(slack.answersAt(path)) }
}

async function offered(org: MoneyOrg, user: string): Promise<string> {
  const pressed = await press(org, { user, action: 'link', value: 'link' })
  await eventually(() => pressed.answers().length > 0)
  return /code=([\w-]+)/.exec(pressed.said())?.[1] ?? pressed.said()
}

const postLink = (session: TestSession, fields: Record<string, string>, path = '/console/slack-link') =>
  fetch(server.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      cookie: session.cookie,
    },
    body: new URLSearchParams({ csrf_token: session.csrfToken, ...fields }).toString(),
  })

async function link(org: MoneyOrg, person: Person) {
  const code = await offered(org, person.user)
  const taken = await postLink(person.session, { code })
  expect(taken.status).toBe(303)
  return person
}
const linked = async (org: MoneyOrg, role = 'admin') => link(org, await join(org, role))

const read = async (org: MoneyOrg, id: string) => (await org.ask('GET', `/approvals/${id}`)).json
const messageOf = async (id: string) => {
  await eventually(() => slack.messagesAbout(id).length > 0)
  return slack.messagesAbout(id)[0]!
}
const shows = (words: string, id: string) =>
  eventually(() =>
    slack.messages.some((m) => JSON.stringify([m.blocks, m.updates]).includes(id) && m.text.includes(words)),
  )
const buttonsOf = (blocks: Record<string, unknown>[]) => blocks.filter(({ type }) => type === 'actions').length

test('the secrets of an app are never shown, its manifest names where Slack speaks to, and it is changed as resources are', async () => {
  const { org } = await organization()
  const shown = await org.ask('GET', '/slack-app')
  expect(shown.text).not.toContain(signingSecret)
  expect(shown.text).not.toContain(botToken)
  expect(shown.json).toMatchObject({
    channel: app.channel,
    enabled: true,
    fault: null,
    signing_secret_set_by: [org.keyId],
  })
  const patched = await org.ask('PATCH', '/slack-app', { enabled: false })
  expect(patched.json).toMatchObject({ enabled: false, signing_secret_set_at: shown.json['signing_secret_set_at'] })
  const stale = await call(server.url, 'PUT', at(org, '/slack-app'), {
    key: org.key,
    body: app,
    headers: { 'if-match': shown.headers.get('etag') ?? '' },
  })
  expect(stale.status).toBe(412)
  expect((await org.ask('DELETE', '/slack-app')).status).toBe(204)
  const bare = await org.ask('PUT', '/slack-app', { channel: 'C1' })
  expect([bare.status, bare.text]).toEqual([422, expect.stringContaining('signing_secret')])
  const log = await org.ask('GET', '/audit-log?action=slack_app.set')
  expect((log.json['data'] as unknown[]).length).toBe(2)
  expect(log.text).not.toContain(signingSecret)
})

test('a request is told with names and amounts, and decided by one press of a linked member', async () => {
  const { org, agent } = await organization()
  const admin = await linked(org)
  const id = await ask(agent)
  const message = await messageOf(id)
  const text = JSON.stringify(message.blocks)
  expect(text).toContain('Estimate: $0.05')
  expect(text).toContain('Asked by: test')
  expect(text).toContain(`/console/approvals/${id}`)
  expect(text).toContain('up to $0.06')
  expect(buttonsOf(message.blocks)).toBe(1)
  const { status } = await press(org, { user: admin.user, value: id, message })
  expect(status).toBe(200)
  expect(await read(org, id)).toMatchObject({
    status: 'approved',
    decided_by: admin.memberId,
    grant: { max_runs: 1, max_amount_usd: '0.06' },
  })
  await shows('Approved', id)
  expect(buttonsOf(message.blocks)).toBe(0)
  expect(slack.messagesAbout(id)).toHaveLength(1)
  const log = await org.ask('GET', `/audit-log?action=approval.approved&actor_id=${admin.memberId}`)
  const [entry] = log.json['data'] as { actor: object }[]
  expect(entry?.actor).toMatchObject({ kind: 'person', email: admin.email, slack_user_id: admin.user })
  expect((await org.ask('GET', '/audit-log/verify')).text).not.toContain('first_bad')
})

test('forged, stale, replayed, unsigned, and of another organization: one answer for all, and nothing happens', async () => {
  const { org, agent } = await organization()
  const other = await organization()
  const admin = await linked(org)
  const id = await ask(agent)
  const body = pressBody({ user: admin.user, value: id })
  const now = Math.floor(Date.now() / 1_000)
  const good = signed(body)
  const othersSecret = 'f'.repeat(32)
  await other.org.ask('PATCH', '/slack-app', { signing_secret: othersSecret })
  const { 'x-slack-signature': _, ...unsigned } = good
  const wrong = [
    await interact(server.url, org.id, body, { ...good, 'x-slack-signature': `v0=${'0'.repeat(64)}` }),
    await interact(server.url, org.id, body.replace('approve', 'deny'), good),
    await interact(server.url, org.id, body, signed(body, signingSecret, now - 301)),
    await interact(server.url, org.id, body, signed(body, signingSecret, now + 400)),
    await interact(server.url, org.id, body, unsigned),
    await interact(server.url, org.id, body, signed(body, othersSecret)),
    await interact(server.url, other.org.id, body, good),
    await interact(server.url, 'org_01jbsteb4peb5vskx602h9mw4q', body, good),
    await interact(server.url, 'nobody', body, good),
  ]
  expect(new Set(wrong.map((answer) => JSON.stringify(answer)))).toEqual(new Set([JSON.stringify(wrong[0])]))
  expect(wrong[0]?.status).toBe(401)
  expect(await read(org, id)).toMatchObject({ status: 'pending' })
  // Genuine ones of the same source are taken all the while, each once.
  expect((await interact(server.url, org.id, body, good)).status).toBe(200)
  expect(await interact(server.url, org.id, body, good)).toEqual(wrong[0])
  expect((await read(org, id))['status']).toBe('approved')
  const large = `payload=${'x'.repeat(70_000)}`
  expect((await interact(server.url, org.id, large, signed(large))).status).toBe(413)
})

test('whoever is not linked gets an offer that only they can take, signed in under their own address', async () => {
  const { org, agent } = await organization()
  const [mallory, alice] = [await join(org, 'viewer'), await join(org, 'admin')]
  const id = await ask(agent)
  const pressed = await press(org, { user: mallory.user, value: id })
  await eventually(() => pressed.answers().length > 0)
  expect(pressed.answers()[0]).toMatchObject({ response_type: 'ephemeral', replace_original: false })
  expect((await read(org, id))['status']).toBe('pending')
  const code = /code=([\w-]+)/.exec(pressed.said())?.[1] ?? ''
  // The link is no bearer: without a session it leads to the sign-in.
  const stranger = await openPage(server.url, `/console/slack-link?code=${code}`)
  expect([stranger.status, stranger.headers.get('location')]).toEqual([
    303,
    expect.stringContaining('/console/signin?'),
  ])
  // Mallory's link, opened and confirmed by Alice, binds nothing.
  const lured = await openPage(server.url, `/console/slack-link?code=${code}`, alice.session.cookie)
  expect(lured.status).toBe(403)
  expect(await lured.text()).toContain('If somebody has sent it to you')
  expect((await postLink(alice.session, { code })).status).toBe(403)
  // Nor without the token of the page, nor from a page of somebody else.
  expect((await postLink(mallory.session, { code, csrf_token: 'x' })).status).toBe(403)
  const page = await openPage(server.url, `/console/slack-link?code=${code}`, mallory.session.cookie)
  expect(await page.text()).toContain(mallory.user)
  expect((await postLink(mallory.session, { code })).status).toBe(303)
  expect((await postLink(mallory.session, { code })).status).toBe(404)
  const links = (await org.ask('GET', '/slack-links')).json['data'] as { member_id: string; slack_user_id: string }[]
  expect(links).toMatchObject([{ member_id: mallory.memberId, slack_user_id: mallory.user }])
  // A viewer stays one.
  const refused = await press(org, { user: mallory.user, value: id })
  await eventually(() => refused.said().includes('Your role does not decide'))
  expect((await read(org, id))['status']).toBe('pending')
})

test('strangers, programs and unverified addresses are offered nothing', async () => {
  const { org } = await organization()
  const victim = await join(org, 'admin')
  const users = [
    slack.join(victim.email, { is_bot: true }),
    slack.join(victim.email, { deleted: true }),
    slack.join(victim.email, { is_stranger: true }),
    slack.join(victim.email, { team_id: 'TEVIL' }),
    slack.join(victim.email, { is_email_confirmed: false }),
    slack.join(''),
  ]
  for (const user of users) expect(await offered(org, user)).toContain('Only people of the workspace')
  const elsewhere = await press(org, {
    user: slack.join(victim.email, { team_id: 'TEVIL' }),
    team: 'TEVIL',
    action: 'link',
    value: 'link',
  })
  await eventually(() => elsewhere.said().includes('Only people of the workspace'))
})

test('a link lasts no longer than what its member may: demoted, removed, deactivated, unlinked', async () => {
  const { org, agent } = await organization()
  const id = await ask(agent)
  const undecided = async (person: Person, words: string) => {
    const pressed = await press(org, { user: person.user, value: id })
    await eventually(() => pressed.said().includes(words))
    expect((await read(org, id))['status']).toBe('pending')
  }
  const demoted = await linked(org)
  await org.ask('PATCH', `/members/${demoted.memberId}`, { role: 'member' })
  await undecided(demoted, 'Your role does not decide')
  const removed = await linked(org)
  expect((await org.ask('DELETE', `/members/${removed.memberId}`)).status).toBeLessThan(300)
  await undecided(removed, 'not linked')
  const unlinked = await linked(org)
  const { json } = await org.ask('GET', `/slack-links?member_id=${unlinked.memberId}`)
  const [found] = json['data'] as { id: string }[]
  const path = `/slack-links/${found?.id}`
  const shown = await org.ask('GET', path)
  expect(shown.json).toEqual(found)
  const conditional = { key: org.key, headers: { 'if-match': '"other"' } }
  expect((await call(server.url, 'DELETE', at(org, path), conditional)).status).toBe(412)
  expect((await org.ask('DELETE', path)).status).toBe(204)
  expect((await org.ask('GET', path)).status).toBe(404)
  await undecided(unlinked, 'not linked')
  const ended = await linked(org)
  expect((await postLink(ended.session, {}, '/console/slack-link/end')).status).toBe(303)
  await undecided(ended, 'not linked')
  // A link of its row alone, past the API, opens nothing either.
  const left = await linked(org)
  await org.rows(
    'update memberships set deactivated_at = now() where org_id = $1 and id = $2::uuid',
    await uuidOf(org, left.memberId),
  )
  await undecided(left, 'no longer a member')
})

const uuidOf = async (org: MoneyOrg, memberId: string) => {
  const { requireId } = await import('../../src/values/id.ts')
  expect(org.id).toBeTruthy()
  return requireId('member', memberId)
}

test('an organization that lists addresses is not decided for from that of Slack', async () => {
  const { org, agent } = await organization()
  const admin = await linked(org)
  const id = await ask(agent)
  await org.rows(`update orgs set ip_allow_list = '{203.0.113.0/24}' where id = $1`)
  await server.platform.sql.asOrgs([org.uuid], async () => undefined)
  const pressed = await press(org, { user: admin.user, value: id })
  await eventually(() => pressed.answers().length > 0)
  await org.rows(`update orgs set ip_allow_list = '{}' where id = $1`)
  expect(pressed.said()).toContain('Open in Weir')
  expect((await read(org, id))['status']).toBe('pending')
})

test('nobody decides in Slack on what somebody behind the request could press: the keeper of the secret is asked too', async () => {
  // The agent's own key has set the app.
  const own = await organization()
  const admin = await linked(own.org)
  const request = await ask(own.org.key)
  const pressed = await press(own.org, { user: admin.user, value: request })
  await eventually(() => pressed.answers().length > 0)
  expect((await read(own.org, request))['status']).toBe('pending')
  // A rule asks for a person, and a key could press.
  const keyed = await organization('person')
  const second = await linked(keyed.org)
  const wanted = await ask(keyed.agent)
  const refused = await press(keyed.org, { user: second.user, value: wanted })
  await eventually(() => refused.said().includes('signing secret'))
  expect((await read(keyed.org, wanted))['status']).toBe('pending')
  // Where a person has set the app, it is decided; not on requests of agents that this person is behind.
  const manned = await organization('another_person', 'person')
  const third = await linked(manned.org)
  const fine = await ask(manned.agent)
  await press(manned.org, { user: third.user, value: fine })
  expect((await read(manned.org, fine))['status']).toBe('approved')
  const minted = await callIn(server.url, manned.owner.session, 'POST', at(manned.org, '/keys'), {
    name: 'agent',
    role: 'service',
    scopes: ['runs:write', 'edge:decide'],
  })
  const kept = await ask(String(minted.json['secret']))
  const barred = await press(manned.org, { user: third.user, value: kept })
  await eventually(() => barred.said().includes('signing secret'))
  expect((await read(manned.org, kept))['status']).toBe('pending')
  const inConsole = await callIn(server.url, third.session, 'POST', at(manned.org, `/approvals/${kept}/approve`), {})
  expect(inConsole.status).toBe(200)
})

test('a message shows what was decided elsewhere, taken back, expired and used', async () => {
  const { org, agent } = await organization()
  const admin = await linked(org)
  const [denied, revoked, expired, used] = [
    await ask(agent),
    await ask(agent),
    await ask(agent),
    await ask(agent, 'gpt-4o'),
  ]
  for (const id of [denied, revoked, expired, used]) await shows('Approval wanted', id)
  await callIn(server.url, admin.session, 'POST', at(org, `/approvals/${denied}/deny`), { note: 'Use the small one.' })
  await shows('Denied', denied)
  expect(JSON.stringify((await messageOf(denied)).blocks)).toContain('Use the small one.')
  await callIn(server.url, admin.session, 'POST', at(org, `/approvals/${revoked}/approve`), {})
  await shows('Approved', revoked)
  await callIn(server.url, admin.session, 'POST', at(org, `/approvals/${revoked}/revoke`))
  await shows('Approval ended', revoked)
  await org.rows(
    `update approvals set expires_at = now() - interval '1 second' where org_id = $1 and id = $2::uuid`,
    await approvalUuid(expired),
  )
  const { expireApprovals } = await import('../../src/governance/approvals/expiry.ts')
  await expireApprovals(server.platform)
  await shows('Expired undecided', expired)
  await callIn(server.url, admin.session, 'POST', at(org, `/approvals/${used}/approve`), { max_amount_usd: '1' })
  await shows('Approved', used)
  const run = await startRun(
    { ...org, post: (path: string, body: unknown) => call(server.url, 'POST', path, { key: agent, body }) },
    {
      estimated_cost_usd: '0.05',
    },
  )
  expect(run.status).toBe(201)
  await org.rows('update slack_messages set due_at = now() where org_id = $1 and due_at is not null')
  await org.rows('update slack_apps set due_at = now() where org_id = $1')
  await shows('Approved and used', used)
  for (const id of [denied, revoked, expired, used]) {
    expect(slack.messagesAbout(id)).toHaveLength(1)
    expect(buttonsOf((await messageOf(id)).blocks)).toBe(0)
  }
  // A late press changes nothing and says so.
  const late = await press(org, { user: admin.user, value: denied, message: await messageOf(denied) })
  await eventually(() => late.said().includes('already denied'))
})

const approvalUuid = async (id: string) => (await import('../../src/values/id.ts')).requireId('approval', id)

test('50 races of Slack and console: one decision each, which message and page both show', async () => {
  const { org, agent } = await organization()
  const [inSlack, inConsole] = [await linked(org), await join(org, 'admin')]
  const ids: string[] = []
  for (let i = 0; i < 50; i++) ids.push(await ask(agent))
  await Promise.all(
    ids.map(async (id, i) => {
      const [first, second] = i % 2 === 0 ? (['approve', 'deny'] as const) : (['deny', 'approve'] as const)
      const [pressed, answer] = await Promise.all([
        press(org, { user: inSlack.user, action: first, value: id }),
        callIn(server.url, inConsole.session, 'POST', at(org, `/approvals/${id}/${second}`), {}),
      ])
      expect([200, 409]).toContain(answer.status)
      // Whoever comes second is told, and nobody else; so is whoever a busy server failed.
      const isSecond = answer.status === 200
      const isTold = () => pressed.said().includes('already')
      await eventually(() => !isSecond || isTold() || pressed.said().includes('This failed'))
      expect(isTold() && !isSecond).toBe(false)
    }),
  )
  const winners = new Set<string>()
  for (const id of ids) {
    const approval = await read(org, id)
    const status = String(approval['status'])
    winners.add(String(approval['decided_by']))
    expect(['approved', 'denied']).toContain(status)
    await shows(status === 'approved' ? 'Approved' : 'Denied', id)
    expect(slack.messagesAbout(id).length).toBeLessThanOrEqual(1)
  }
  expect([...winners].every((by) => [inSlack.memberId, inConsole.memberId].includes(by))).toBe(true)
  const decided = await org.rows<{ kind: string }>(
    `select action from audit_log where org_id = $1 and action in ('approval.approved', 'approval.denied') and outcome = 'allowed'`,
  )
  expect(decided).toHaveLength(50)
})

test('Slack asks to wait, refuses, and loses an answer: one message in the end, or a copy that mends itself', async () => {
  const { org, agent } = await organization()
  const admin = await linked(org)
  let refusals = 0
  slack.misbehave(({ method }) => {
    if (method !== 'chat.postMessage' || refusals++ >= 2) return undefined
    return refusals === 1
      ? { status: 429, headers: { 'retry-after': '1' }, body: '{"ok":false,"error":"ratelimited"}' }
      : { status: 200, body: '{"ok":false,"error":"not_in_channel"}' }
  })
  const id = await ask(agent)
  await eventually(async () => (await org.ask('GET', '/slack-app')).json['fault'] === 'not_in_channel')
  await messageOf(id)
  await eventually(async () => (await org.ask('GET', '/slack-app')).json['fault'] === null)
  expect(slack.messagesAbout(id)).toHaveLength(1)
  let lost = 0
  slack.misbehave(({ method }) => (method === 'chat.postMessage' && lost++ === 0 ? 'hang' : undefined))
  const second = await ask(agent)
  await eventually(() => slack.messagesAbout(second).length === 2)
  slack.misbehave()
  const [copy, kept] = slack.messagesAbout(second)
  const pressed = await press(org, { user: admin.user, action: 'deny', value: second, message: copy })
  expect((await read(org, second))['status']).toBe('denied')
  await shows('Denied', second)
  await eventually(() =>
    pressed
      .answers()
      .some((answer) => answer['replace_original'] === true && JSON.stringify(answer).includes('Denied')),
  )
  expect(kept?.text).toContain('Denied')
  expect(team).toBe('T0123456789')
})

test('the test of an app posts to its channel, and says what is wrong in words', async () => {
  const { org } = await organization()
  const good = await org.ask('POST', '/slack-app/test')
  expect(good.json).toEqual({ ok: true, fault: null, message: null, team: 'Acme' })
  await org.ask('PATCH', '/slack-app', { bot_token: 'xoxb-9999-zzzz' })
  const bad = await org.ask('POST', '/slack-app/test')
  expect(bad.json).toMatchObject({ ok: false, fault: 'invalid_auth', message: expect.stringContaining('token') })
})
