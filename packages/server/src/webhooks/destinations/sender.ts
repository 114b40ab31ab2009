import type { Config } from '../../config.ts'
import type { HttpOutcome, Outbound, WholeResponse } from '../../platform/infra/outbound.ts'
import type { Failure } from '../../platform/infra/outbound-failure.ts'
import { formatId } from '../../values/id.ts'
import { recordIn } from '../../values/records.ts'
import type { Destination, DestinationSecret } from './destination.ts'
import type { Digest } from './digest.ts'
import { mailOfMessage, type SendMail } from './mail.ts'
import { type Message, type MessageContext, messageOf } from './message.ts'
import { pagerdutyEvent } from './pagerduty-event.ts'
import { slackMessage } from './slack-message.ts'
import { teamsCard } from './teams-card.ts'
import { topicOf } from './topics.ts'

/** A delivery to a destination that takes messages. */
export interface MessageDelivery {
  readonly destination: Destination
  readonly secret: DestinationSecret
  readonly owner: { readonly orgId: string; readonly subscriptionId: string }
  readonly row: { readonly kind: string; readonly subject: string; readonly digest: Digest | null }
  readonly payload: string
  /** Recipients of mail who may get some now. */
  readonly recipients: readonly string[]
}

/** Sends events as messages of their destination. Every behaviour of the other side is an outcome. */
export type SendMessage = (
  delivery: MessageDelivery,
  context: Pick<MessageContext, 'names' | 'refusals'>,
) => Promise<HttpOutcome>

export interface SenderOptions {
  readonly outbound: Outbound
  readonly sendMail: SendMail
  readonly config: Pick<Config, 'slackApiUrl'>
  readonly publicUrl: () => string
  readonly userAgent: string
}

const maxAnswerBytes = 65_536

export function createMessageSender({ outbound, sendMail, config, publicUrl, userAgent }: SenderOptions): SendMessage {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'user-agent': userAgent }
  const post = (url: string, body: object) => outbound.post(url, headers, JSON.stringify(body))

  /** Calls a method of Slack's API, which answers 200 to what it refuses. */
  async function callSlack(method: string, token: string, body: object): Promise<HttpOutcome> {
    const startedMs = performance.now()
    const answer = await outbound.request({
      method: 'POST',
      url: `${config.slackApiUrl}/${method}`,
      headers: { ...headers, authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
      maxBytes: maxAnswerBytes,
    })
    return { ...slackOutcome(answer), latencyMs: Math.round(performance.now() - startedMs) }
  }

  const senders = {
    slack: ({ destination: { channel }, secret }: MessageDelivery, message: Message) =>
      channel === undefined
        ? post(secret.webhook_url ?? '', slackMessage(message))
        : callSlack('chat.postMessage', secret.bot_token ?? '', { channel, ...slackMessage(message) }),
    teams: ({ secret }: MessageDelivery, message: Message) => post(secret.webhook_url ?? '', teamsCard(message)),
    pagerduty: ({ destination, secret, owner, row, payload }: MessageDelivery, message: Message) => {
      const { data } = JSON.parse(payload) as { data: Record<string, unknown> }
      const route = {
        routingKey: secret.routing_key ?? '',
        dedupKey: `weir/${formatId('subscription', owner.subscriptionId)}/${topicOf(row.kind, row.subject, data)}`,
        isResolved: message.isEnd,
      }
      return post(destination.events_url ?? '', pagerdutyEvent(message, route))
    },
    email: ({ recipients, owner }: MessageDelivery, message: Message): Promise<HttpOutcome> =>
      recipients.length === 0
        ? Promise.resolve({
            error: 'refused_address',
            message: 'No recipient is of the organization and has confirmed the address.',
            latencyMs: 0,
          })
        : sendMail(
            mailOfMessage(message, { recipients, subscriptionId: formatId('subscription', owner.subscriptionId) }),
          ),
  }

  return async (delivery, context) => {
    const { kind } = delivery.destination
    const { digest } = delivery.row
    const message = messageOf(delivery.payload, { ...context, publicUrl: publicUrl(), digest })
    if (kind === 'https') throw new Error('a destination of the kind https takes no messages')
    return senders[kind](delivery, message)
  }
}

/** Returns what Slack's API has done: a refusal has the status 200 too, and counts as a failed attempt. */
function slackOutcome(answer: WholeResponse | Failure) {
  if ('error' in answer) return answer
  const { status, retryAfter, body } = answer
  const said = slackAnswer(body.toString('utf8'))
  const fault = typeof said['error'] === 'string' ? said['error'] : 'something else than JSON'
  if (status >= 200 && status < 300 && said['ok'] !== true)
    return {
      error: 'protocol' as const,
      message: `Slack answered ${fault.slice(0, 100)}.`,
    }
  return { status, retryAfter, excerpt: body.toString('utf8', 0, 1_024).replaceAll('\0', '') }
}

function slackAnswer(text: string): Record<string, unknown> {
  try {
    return recordIn(JSON.parse(text))
  } catch {
    return {}
  }
}
