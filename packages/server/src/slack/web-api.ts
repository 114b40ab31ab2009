import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Outbound } from '../platform/infra/outbound.ts'
import { recordIn } from '../values/records.ts'
import { parseRetryAfter } from '../webhooks/webhooks.ts'

/** Slack's answer to a call: what it says, or the fault in its words or those of the way there. */
export type SlackAnswer =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly fault: string; readonly waitSeconds: number; readonly isRefusal: boolean }

/** Calls a method of Slack's Web API with the token of a bot. */
export type CallSlack = (method: string, token: string, body: Readonly<Record<string, unknown>>) => Promise<SlackAnswer>

export interface SlackClient {
  readonly call: CallSlack
  /** Answers whoever has pressed, at the address that came with it; tries again when Slack cannot be reached. */
  readonly respond: (responseUrl: string, body: Readonly<Record<string, unknown>>) => Promise<void>
}

const maxAnswerBytes = 262_144
/** Slack takes up to five at one address. */
const maxResponses = 3
const responsePauseMs = 500
const json = 'application/json; charset=utf-8'
/** Methods that read, which Slack takes as forms only. */
const asForm = new Set(['users.info'])

export function createSlackClient(
  outbound: Outbound,
  config: Pick<Config, 'slackApiUrl'>,
  version: string,
  nowMs: () => number,
): SlackClient {
  const common = { 'user-agent': `weir/${version}` }

  return {
    call: async (method, token, body) => {
      const isForm = asForm.has(method)
      const answer = await outbound.request({
        method: 'POST',
        url: `${config.slackApiUrl}/${method}`,
        headers: {
          ...common,
          'content-type': isForm ? 'application/x-www-form-urlencoded' : json,
          authorization: `Bearer ${token}`,
        },
        body: isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body),
        maxBytes: maxAnswerBytes,
      })
      if ('error' in answer) return failed(answer.message)
      const { status, retryAfter } = answer
      const waitSeconds = parseRetryAfter(retryAfter, nowMs())
      const said = parsed(answer.body.toString('utf8'))
      if (status >= 200 && status < 300 && said['ok'] === true) return { ok: true, body: said }
      const { error } = said
      const fault = typeof error === 'string' ? error.slice(0, 100) : `Slack answered with the status ${status}.`
      const isRefusal = status < 300 && typeof error === 'string' && !passing.has(error)
      return { ok: false, fault, waitSeconds, isRefusal }
    },
    respond: async (responseUrl, body) => {
      for (let attempt = 1; ; attempt++) {
        const answer = await outbound.post(responseUrl, { ...common, 'content-type': json }, JSON.stringify(body))
        if (attempt === maxResponses || ('status' in answer && answer.status < 500)) return
        await sleep(attempt * responsePauseMs, undefined, { ref: false })
      }
    },
  }
}

/** Errors that go by. Others stand until somebody changes something. */
const passing = new Set([
  'ratelimited',
  'rate_limited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
])

const failed = (fault: string): SlackAnswer => ({ ok: false, fault, waitSeconds: 0, isRefusal: false })

function parsed(text: string): Record<string, unknown> {
  try {
    return recordIn(JSON.parse(text))
  } catch {
    return {}
  }
}
