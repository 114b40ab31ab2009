import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect } from 'vitest'
import { slackFaults } from './message-validators.ts'

export const signingSecret = '0123456789abcdef0123456789abcdef'
export const botToken = 'xoxb-1234-abcd'
export const team = 'T0123456789'

type Body = Record<string, unknown>

export interface SlackCall {
  readonly method: string
  readonly authorization: string | undefined
  readonly body: Body
}

export interface PostedMessage {
  readonly channel: string
  readonly ts: string
  text: string
  blocks: Body[]
  readonly updates: Body[][]
}

/** What Slack does with a call in place of what it usually does: an answer, or nothing where it is never answered. */
type Misbehaviour = (
  call: SlackCall,
) => { status: number; headers?: Record<string, string>; body?: string } | 'hang' | undefined

/** A Slack of one workspace: a real HTTP server that keeps books and refuses what Slack refuses. */
export function useSlack() {
  const calls: SlackCall[] = []
  const messages: PostedMessage[] = []
  const answers: { readonly path: string; readonly body: Body }[] = []
  const users = new Map<string, Body>()
  const faults: string[] = []
  let count = 0
  let misbehaviour: Misbehaviour = () => undefined

  const methods: Record<string, (body: Body) => Body> = {
    'auth.test': () => ({ ok: true, team: 'Acme', team_id: team, user_id: 'UBOT' }),
    'users.info': ({ user }) => {
      const found = users.get(String(user))
      return found ? { ok: true, user: found } : { ok: false, error: 'user_not_found' }
    },
    'chat.postMessage': (body) => {
      faults.push(...slackFaults(body))
      const message = {
        channel: String(body['channel']),
        ts: `1700000000.${String(++count).padStart(6, '0')}`,
        text: String(body['text']),
        blocks: body['blocks'] as Body[],
        updates: [],
      }
      messages.push(message)
      return { ok: true, channel: message.channel, ts: message.ts }
    },
    'chat.update': (body) => {
      faults.push(...slackFaults(body))
      const message = messages.find(({ ts, channel }) => ts === body['ts'] && channel === body['channel'])
      if (!message) return { ok: false, error: 'message_not_found' }
      message.updates.push(message.blocks)
      message.text = String(body['text'])
      message.blocks = body['blocks'] as Body[]
      return { ok: true, channel: message.channel, ts: message.ts }
    },
  }

  async function take(request: IncomingMessage) {
    const path = request.url ?? ''
    const sent = await text(request)
    const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded'
    const body = (isForm ? Object.fromEntries(new URLSearchParams(sent)) : JSON.parse(sent)) as Body
    if (path.startsWith('/respond/')) {
      answers.push({ path, body })
      return { status: 200, body: 'ok' }
    }
    const call = { method: path.replace('/api/', ''), authorization: request.headers.authorization, body }
    const isKnown = call.authorization === `Bearer ${botToken}`
    const wrong = misbehaviour(call)
    // A call whose answer is lost was made all the same.
    if (wrong === 'hang') methods[call.method]?.(body)
    calls.push(call)
    if (wrong !== undefined) return wrong
    const answer = isKnown ? methods[call.method]?.(body) : { ok: false, error: 'invalid_auth' }
    return { status: 200, body: JSON.stringify(answer ?? { ok: false, error: 'unknown_method' }) }
  }

  const server = createServer((request, response) => {
    void (async () => {
      const answer = await take(request)
      if (answer === 'hang') return
      const headers = 'headers' in answer ? answer.headers : {}
      response.writeHead(answer.status, { 'content-type': 'application/json', ...headers }).end(answer.body)
    })()
  })
  const slack = {
    url: '',
    calls,
    messages,
    answers,
    faults,
    misbehave: (how: Misbehaviour = () => undefined) => {
      misbehaviour = how
    },
    /** Adds somebody to the workspace, as `users.info` describes them. */
    join: (email: string, more: Body = {}): string => {
      const id = `U${randomBytes(5).toString('hex').toUpperCase()}`
      users.set(id, {
        id,
        team_id: team,
        name: 'somebody',
        profile: { email, display_name: email.split('@')[0] },
        ...more,
      })
      return id
    },
    messagesAbout: (approvalId: string) =>
      messages.filter(({ blocks, updates }) => JSON.stringify([blocks, updates]).includes(approvalId)),
    answersAt: (path: string) => answers.filter((answer) => answer.path === path).map(({ body }) => body),
  }
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    slack.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
    expect(faults).toEqual([])
  })
  return slack
}

/** Settings of a server whose Slack is on this machine. */
export const slackEnvironment = { SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32', SVC_WEBHOOK_ALLOWED_PORTS: '1-65535' }

export interface PressOptions {
  readonly user: string
  readonly action?: 'approve' | 'deny' | 'link'
  readonly value: string
  readonly message?: { readonly channel: string; readonly ts: string } | undefined
  readonly responseUrl?: string
  readonly team?: string
}

/** The body by which Slack tells that a button was pressed. */
export const pressBody = ({ user, action = 'approve', value, message, responseUrl, team: of = team }: PressOptions) =>
  new URLSearchParams({
    payload: JSON.stringify({
      type: 'block_actions',
      user: { id: user, team_id: of, name: 'somebody' },
      team: { id: of, domain: 'acme' },
      channel: { id: message?.channel ?? 'C0123456789' },
      message: { ts: message?.ts ?? '1.1' },
      response_url: responseUrl,
      actions: [{ type: 'button', action_id: `weir_${action}`, block_id: 'b', value, action_ts: '1.2' }],
    }),
  }).toString()

/** Signs a body as Slack does. */
export const signed = (body: string, secret = signingSecret, atSeconds = Math.floor(Date.now() / 1_000)) => ({
  'content-type': 'application/x-www-form-urlencoded',
  'x-slack-request-timestamp': String(atSeconds),
  'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:${atSeconds}:${body}`).digest('hex')}`,
})

/** Sends an interaction. */
export const interact = async (url: string, orgId: string, body: string, headers: Record<string, string>) => {
  const response = await fetch(`${url}/slack/${orgId}/interactions`, { method: 'POST', headers, body })
  return { status: response.status, text: await response.text() }
}
