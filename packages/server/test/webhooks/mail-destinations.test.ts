import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { sql as raw } from 'kysely'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emit } from '../../src/access/events/events.ts'
import { requireId } from '../../src/values/id.ts'
import { eventually } from '../support/processes.ts'
import { useDeliveringServer } from '../support/receiver.ts'
import { call, operatorOf, tenantOf } from '../support/tenants.ts'

/** Events by mail, handed to a real SMTP server that keeps what it took. */

interface Taken {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
}
const taken: Taken[] = []
const refusals: string[] = []
/** Until when the relay leaves the next connections without a greeting. */
const holds: Promise<void>[] = []
let connections = 0
const relay = new SMTPServer({
  disabledCommands: ['STARTTLS', 'AUTH'],
  onConnect: (_session, done) => {
    connections++
    void (async () => {
      await holds.shift()
      done()
    })()
  },
  onRcptTo: ({ address }, _session, done) => {
    const refusal = refusals.shift()
    done(refusal === undefined ? null : Object.assign(new Error(`${refusal}: ${address}`), { responseCode: 450 }))
  },
  onData: (stream, { envelope }, done) => {
    void (async () => {
      const from = envelope.mailFrom ? envelope.mailFrom.address : ''
      const to = envelope.rcptTo.map((recipient) => recipient.address)
      taken.push({ from, to, raw: await text(stream) })
      done()
    })()
  },
})

const listening = relay.listen(0, '127.0.0.1')
await once(listening, 'listening')
const address = listening.address()
const port = typeof address === 'object' ? address?.port : 0

const server = useDeliveringServer({
  SVC_WEBHOOK_RETRY_SECONDS: '1,1',
  SVC_WEBHOOK_TIMEOUT_SECONDS: '5',
  SVC_PUBLIC_URL: 'http://localhost:18080',
  SVC_SMTP_URL: `smtp://127.0.0.1:${port}`,
  // The relay is reached for mail, and for nothing else.
  SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.2/32',
  SVC_MAIL_DESTINATION_PER_HOUR: '3',
  SVC_MAIL_ORG_PER_HOUR: '6',
  SVC_MAIL_FROM: 'Weir <weir@weir.test>',
})
let operator: string
beforeAll(async () => {
  operator = (await operatorOf(server)).key
})
afterAll(() => relay.close())

const joined = new Date()
const codeIn = (mail: string) => /^mail_[\w-]+/m.exec(mail.replaceAll('=\r\n', ''))?.[0]

let count = 0
async function organization() {
  const { id: orgId, key } = await tenantOf(server, operator)
  const orgUuid = requireId('org', orgId)
  const ask = (method: string, below: string, body?: object) =>
    call(server.url, method, `/v1/orgs/${orgId}${below}`, { key, ...(body && { body }) })
  const email = `ada-${++count}@members.test`
  const invited = await ask('POST', '/members', { email, role: 'admin', name: 'Ada' })
  const inOrg = <T>(work: Parameters<typeof server.platform.sql.asOrgs<T>>[1]) =>
    server.platform.sql.asOrgs<T>([orgUuid], work)
  const setMember = (columns: object) =>
    inOrg((tx) => tx.updateTable('memberships').set(columns).where('email', '=', email).execute())
  return {
    email,
    invited,
    ask,
    setMember,
    mailTo: (...recipients: string[]) =>
      ask('POST', '/webhooks', { destination: { kind: 'email', recipients }, events: ['approval.*'] }),
    happen: (name: string) =>
      inOrg((tx) =>
        emit(tx, orgUuid, [
          {
            kind: 'approval.requested',
            subject: 'apr_01jbsteb4peb5vskx602h9mw4q',
            data: {
              approval_id: 'apr_01jbsteb4peb5vskx602h9mw4q',
              rule_id: 'rul_01jbstfsr0fdkrxk00dq0wn3e5',
              rule_name: name,
              reason: name,
              attempted: 'refund',
              requested_by: 'key_01jbsteb4peb5vskx602h9mw4q',
              estimated_cost_usd: '1234.5',
              expires_at: '2026-11-22T08:30:00.000+00:00',
            },
          },
        ]),
      ),
    inOrg,
    sent: () => taken.filter(({ to, raw: mail }) => to.includes(email) && codeIn(mail) === undefined),
    codes: () => taken.flatMap(({ to, raw: mail }) => (to.includes(email) ? (codeIn(mail) ?? []) : [])),
    /** Makes a subscription to mail, whose recipient gives away the code that they were mailed. */
    confirmed: async () => {
      await setMember({ accepted_at: joined })
      const made = await ask('POST', '/webhooks', {
        destination: { kind: 'email', recipients: [email] },
        events: ['approval.*'],
      })
      expect(made.status, made.text).toBe(201)
      expect(made.json['unconfirmed_recipients']).toEqual([email])
      const codes = () => taken.flatMap(({ to, raw: mail }) => (to.includes(email) ? (codeIn(mail) ?? []) : []))
      await eventually(() => codes().length === 1)
      const confirmed = await ask('POST', '/mail-addresses/confirm', { code: codes()[0] })
      expect(confirmed.json).toMatchObject({ address: email, confirmed_at: expect.any(String) })
      return String(made.json['id'])
    },
    attempts: async (subId: string) =>
      (
        (await ask('GET', `/webhooks/${subId}/deliveries`)).json['data'] as { attempts: Attempt[]; status: string }[]
      )[0],
  }
}

interface Attempt {
  readonly status: number | null
  readonly error: string | null
  readonly response: string | null
}

test('a member gets a mail with a link that signs nobody in, and headers stay ours whatever things are called', async () => {
  const { confirmed, happen, sent, email } = await organization()
  await confirmed()
  await happen('evil.example Refunds\r\nBcc: everybody@evil.test\r\n\r\n<script>')
  await eventually(() => sent().length === 1)
  const { from, to, raw } = sent()[0]!
  const [head = '', ...body] = raw.split('\r\n\r\n')
  expect([from, to]).toEqual(['weir@weir.test', [email]])
  expect(head).not.toMatch(/^bcc:/im)
  expect(head).toMatch(/^Auto-Submitted: auto-generated$/m)
  expect(head).toMatch(/^Content-Type: text\/plain/m)
  const shown = body.join('\n').replaceAll('=\r\n', '')
  expect(shown).toContain('$1,234.50')
  expect(shown).toContain('http://localhost:18080/console/approvals/apr_01jbsteb4peb5vskx602h9mw4q')
  expect(shown).not.toMatch(/token|weir_|[?&]/)
  // Readers of mail make links of bare names of hosts.
  expect(shown).toContain('evil.=E2=80=8Bexample')
  expect(raw.replaceAll('=\r\n', '')).not.toMatch(/(?:evil|everybody@evil)\.(?:example|test)/)
})

test('strangers get no mail: neither who was only invited, nor who has left, nor who was never a member', async () => {
  const { setMember, mailTo, confirmed, happen, sent, email, attempts } = await organization()
  const fields = async (address: string) => (await mailTo(address)).json.error?.details['fields']
  const stranger = [expect.objectContaining({ field: 'destination.recipients.0', code: 'invalid_value' })]
  expect(await fields('somebody@elsewhere.test')).toEqual(stranger)
  expect(await fields('a@members.test, b@elsewhere.test')).toEqual(stranger)
  expect(await fields(email)).toEqual(stranger)
  const subId = await confirmed()
  await setMember({ deactivated_at: joined })
  await happen('Refunds')
  await eventually(async () => ((await attempts(subId))?.attempts.length ?? 0) > 0)
  expect((await attempts(subId))?.attempts[0]).toMatchObject({ status: null, error: 'refused_address' })
  expect(sent()).toEqual([])
})

test('a member whom an administrator has made gets one code, and nothing else until they have given it away', async () => {
  const { ask, setMember, mailTo, sent, codes, email, attempts } = await organization()
  await setMember({ accepted_at: joined })
  const subId = String((await mailTo(email)).json['id'])
  await ask('POST', `/webhooks/${subId}/test`)
  await eventually(async () => (await attempts(subId))?.attempts[0]?.error === 'refused_address')
  await eventually(() => codes().length === 1)
  // Asking again, in any way, mails nothing more.
  for (const description of ['a', 'b']) await ask('PATCH', `/webhooks/${subId}`, { description })
  await mailTo(email)
  const other = await organization()
  const confirm = (org: typeof other, code?: string) => org.ask('POST', '/mail-addresses/confirm', { code })
  for (const [org, code] of [
    [other, codes()[0]],
    [other, 'mail_guess'],
  ] as const)
    expect((await confirm(org, code)).json.error?.details).toMatchObject({ fields: [{ field: 'code' }] })
  expect((await ask('POST', '/mail-addresses/confirm', { code: codes()[0] })).status).toBe(200)
  expect((await ask('POST', '/mail-addresses/confirm', { code: codes()[0] })).status).toBe(422)
  expect((await ask('GET', `/webhooks/${subId}`)).json['unconfirmed_recipients']).toEqual([])
  expect(sent()).toEqual([])
  await ask('POST', `/webhooks/${subId}/test`)
  await eventually(() => sent().length > 0)
  expect(codes()).toHaveLength(1)
})

test('mail is bounded: tests and redeliveries above the limit are refused, events and replays wait in one digest', async () => {
  const { ask, confirmed, happen, sent, inOrg, mailTo, email } = await organization()
  const subId = await confirmed()
  const path = `/webhooks/${subId}`
  const tried = async (what = `${path}/test`) => {
    const { status, json, headers } = await ask('POST', what)
    return status === 429 ? `${json.error?.code} ${headers.get('retry-after') !== null}` : status
  }
  expect(await tried()).toBe(200)
  // The hour does not end while the test runs.
  await inOrg((tx) => raw`update mail_uses set hour = 'infinity'`.execute(tx))
  expect([await tried(), await tried(), await tried()]).toEqual([200, 200, 'rate_limited true'])
  await eventually(() => sent().length === 3)
  const { json } = await ask('GET', `${path}/deliveries`)
  const [delivery] = json['data'] as { id: string }[]
  expect(await tried(`${path}/deliveries/${delivery?.id}/redeliver`)).toBe('rate_limited true')
  for (const name of ['first', 'second']) await happen(name)
  const counted = async () =>
    (await inOrg((tx) => raw<{ n: number }>`select sum(event_count)::int as n from webhook_digests`.execute(tx)))
      .rows[0]?.n
  await eventually(async () => (await counted()) === 2)
  const from = new Date(Date.now() - 3_600_000).toISOString()
  const replay = await ask('POST', `${path}/replay`, { from, to: new Date(Date.now() + 3_600_000).toISOString() })
  expect(replay.json, replay.text).toMatchObject({ event_count: 2 })
  await eventually(async () => (await counted()) === 4)
  const close = () => inOrg((tx) => raw`update webhook_digests set closes_at = clock_timestamp()`.execute(tx))
  await close()
  await eventually(async () => {
    const { rows } = await inOrg((tx) =>
      raw`select from webhook_digests where closes_at > clock_timestamp()`.execute(tx),
    )
    return rows.length === 1
  })
  expect(await counted()).toBe(4)
  // Another destination of the organization has what is left of its own limit.
  const other = `/webhooks/${String((await mailTo(email)).json['id'])}/test`
  expect([await tried(other), await tried(other), await tried(other)]).toEqual([200, 200, 'rate_limited true'])
  await eventually(() => sent().length === 5)
  await inOrg((tx) => raw`update mail_uses set used = 0`.execute(tx))
  await close()
  await eventually(() => sent().length === 6)
  expect(sent()[5]?.raw.replaceAll('=\r\n', '')).toMatch(/^4 =C3=97 An approval is wanted/m)
})

test('the address of the relay is open to mail and to no webhook', async () => {
  const { ask, confirmed, happen, sent, inOrg } = await organization()
  await confirmed()
  const url = `http://127.0.0.1:${port}/`
  expect((await ask('POST', '/webhooks', { url })).json.error?.details).toMatchObject({ fields: [{ field: 'url' }] })
  const made = await ask('POST', '/webhooks', { url: 'http://127.0.0.2:9/', events: ['approval.*'] })
  expect(made.status, made.text).toBe(201)
  await inOrg((tx) => tx.updateTable('webhook_subscriptions').set({ url }).where('url', 'like', 'http:%').execute())
  const before = connections
  await happen('Refunds')
  const deliveries = async () =>
    (await ask('GET', `/webhooks/${String(made.json['id'])}/deliveries`)).json['data'] as { attempts: Attempt[] }[]
  await eventually(async () => (await deliveries())[0]?.attempts[0]?.error === 'refused_address')
  await eventually(() => sent().length === 1)
  expect(connections - before).toBe(1)
})

test('what the relay refuses is tried again, and of its reply nothing is shown but the codes', async () => {
  const { confirmed, happen, sent, attempts } = await organization()
  const subId = await confirmed()
  refusals.push('4.3.2 mx7.internal is busy')
  await happen('Refunds')
  await eventually(() => sent().length === 1)
  await eventually(async () => (await attempts(subId))?.status === 'delivered')
  const tried = (await attempts(subId))?.attempts
  expect(tried?.map(({ status }) => status)).toEqual([450, 250])
  expect(tried?.[0]?.response).toBe('450 4.3.2')
  expect(JSON.stringify(tried)).not.toMatch(/internal|busy|127/)
})

test('a relay that wakes up late does not get the mail twice', async () => {
  const { confirmed, happen, sent, attempts } = await organization()
  const subId = await confirmed()
  const late = Promise.withResolvers<void>()
  holds.push(late.promise)
  await happen('Refunds')
  await eventually(async () => (await attempts(subId))?.status === 'delivered')
  expect((await attempts(subId))?.attempts[0]).toMatchObject({ status: null, error: 'timeout' })
  late.resolve()
  const next = await organization()
  await next.confirmed()
  expect(sent()).toHaveLength(1)
})
