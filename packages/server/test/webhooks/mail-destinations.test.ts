import { once } from 'node:events'
import { text } from 'node:stream/consumers'
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
const relay = new SMTPServer({
  disabledCommands: ['STARTTLS', 'AUTH'],
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

const server = useDeliveringServer({
  SVC_WEBHOOK_RETRY_SECONDS: '1,1',
  SVC_WEBHOOK_TIMEOUT_SECONDS: '5',
  SVC_PUBLIC_URL: 'http://localhost:18080',
  SVC_SMTP_URL: `smtp://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
  SVC_MAIL_FROM: 'Weir <weir@weir.test>',
})
let operator: string
beforeAll(async () => {
  operator = (await operatorOf(server)).key
})
afterAll(() => relay.close())

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
    sent: () => taken.filter(({ to }) => to.includes(email)),
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

const joined = new Date()

test('a member gets a mail with a link that signs nobody in, and headers stay ours whatever things are called', async () => {
  const { setMember, mailTo, happen, sent, email } = await organization()
  await setMember({ accepted_at: joined })
  expect((await mailTo(email)).status).toBe(201)
  await happen('Refunds\r\nBcc: everybody@evil.test\r\n\r\n<script>')
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
})

test('strangers get no mail: neither who was only invited, nor who has left, nor who was never a member', async () => {
  const { setMember, mailTo, happen, sent, email, attempts } = await organization()
  const fields = async (address: string) => (await mailTo(address)).json.error?.details['fields']
  const stranger = [expect.objectContaining({ field: 'destination.recipients.0', code: 'invalid_value' })]
  expect(await fields('somebody@elsewhere.test')).toEqual(stranger)
  expect(await fields('a@members.test, b@elsewhere.test')).toEqual(stranger)
  expect(await fields(email)).toEqual(stranger)
  await setMember({ accepted_at: joined })
  const subId = String((await mailTo(email)).json['id'])
  await setMember({ deactivated_at: joined })
  await happen('Refunds')
  await eventually(async () => ((await attempts(subId))?.attempts.length ?? 0) > 0)
  expect((await attempts(subId))?.attempts[0]).toMatchObject({ status: null, error: 'refused_address' })
  expect(sent()).toEqual([])
})

test('what the relay refuses is tried again, and its reply is shown', async () => {
  const { setMember, mailTo, happen, sent, email, attempts } = await organization()
  await setMember({ accepted_at: joined })
  refusals.push('busy')
  const subId = String((await mailTo(email)).json['id'])
  await happen('Refunds')
  await eventually(() => sent().length === 1)
  await eventually(async () => (await attempts(subId))?.status === 'delivered')
  const tried = (await attempts(subId))?.attempts
  expect(tried?.map(({ status }) => status)).toEqual([450, 250])
  expect(tried?.[0]?.response).toContain('busy')
})
