import type { Socket } from 'node:net'
import type { Config } from '../../config.ts'
import type { Log } from '../../platform/infra/log.ts'
import type { HttpOutcome } from '../../platform/infra/outbound.ts'
import type { FailureKind } from '../../platform/infra/outbound-failure.ts'
import { connectTrusted } from '../../platform/infra/trusted-connection.ts'
import { errorCode } from '../../values/thrown.ts'
import type { Message } from './message.ts'
import { plainText } from './plain-text.ts'

/** A message as mail: text and nothing else, so that nothing in it is read as markup. */

export interface Mail {
  readonly recipients: readonly string[]
  /** Names it at every attempt, so that a mail that arrives twice is seen once. */
  readonly id: string
  readonly subject: string
  readonly lines: readonly string[]
}

/**
 * Sends a mail through the relay of the installation. The status of an outcome is the reply code of SMTP. The words of the relay are for the
 * operator's log: they may name machines, queues and people that are nobody else's business.
 */
export type SendMail = (mail: Mail) => Promise<HttpOutcome>

const subjectLength = 150
const smtpPort = 587
const smtpsPort = 465

export interface MailerOptions {
  readonly config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'webhookTimeoutSeconds'>
  readonly log: Log
  /** Host in the ids of mails. */
  readonly host: () => string
}

export function createMailer({ config, log, host: ownHost }: MailerOptions): SendMail {
  const { smtpUrl, mailFrom, webhookTimeoutSeconds } = config
  const timeoutMs = webhookTimeoutSeconds * 1_000

  /** Hands one mail to the relay on a connection of its own: the operator's relay, so no wall is between. */
  async function hand(mail: Mail, relay: URL, sockets: Socket[], isOver: () => boolean): Promise<string> {
    const isTls = relay.protocol === 'smtps:'
    const host = relay.hostname.replace(/^\[|\]$/g, '')
    const port = relay.port === '' ? (isTls ? smtpsPort : smtpPort) : Number(relay.port)
    const { createTransport } = await import('nodemailer')
    const connection = await connectTrusted(host, port)
    sockets.push(connection)
    if (isOver()) {
      connection.destroy()
      throw new MailTimeout()
    }
    const transport = createTransport({
      host,
      port,
      secure: isTls,
      // A password goes over nothing but TLS.
      requireTLS: relay.username !== '',
      connection,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
      ...(relay.username !== '' && {
        auth: { user: decodeURIComponent(relay.username), pass: decodeURIComponent(relay.password) },
      }),
    })
    const sent = await transport.sendMail(mailOf(mail, mailFrom ?? '', ownHost()))
    return sent.response
  }

  return async (mail) => {
    const startedMs = performance.now()
    const sockets: Socket[] = []
    let isOver = false
    const timeout = Promise.withResolvers<never>()
    const timer = setTimeout(() => timeout.reject(new MailTimeout()), timeoutMs)
    try {
      if (smtpUrl === undefined) throw new Error('this installation sends no mail')
      const response = await Promise.race([
        hand(mail, new URL(smtpUrl.reveal()), sockets, () => isOver),
        timeout.promise,
      ])
      return { status: 250, excerpt: shownReply(response), retryAfter: undefined, latencyMs: passedSince(startedMs) }
    } catch (error) {
      log.warn({ error, mail: mail.id }, 'the relay did not take a mail')
      return { ...mailFailure(error as Error, timeoutMs), latencyMs: passedSince(startedMs) }
    } finally {
      clearTimeout(timer)
      isOver = true
      for (const socket of sockets) socket.destroy()
    }
  }
}

class MailTimeout extends Error {}

const passedSince = (startedMs: number) => Math.round(performance.now() - startedMs)

/** Returns an outcome for what went wrong: the reply of the relay, or the reason that there was none. */
function mailFailure(error: Error & { responseCode?: number; response?: string }, timeoutMs: number) {
  if (error instanceof MailTimeout)
    return { error: 'timeout' as const, message: `The relay did not take the mail within ${timeoutMs / 1_000} s.` }
  const { responseCode, response = '' } = error
  if (responseCode !== undefined)
    return { status: responseCode, excerpt: shownReply(`${responseCode} ${response}`), retryAfter: undefined }
  const code = errorCode(error) ?? ''
  const [kind, message] = failures.find(([codes]) => codes.test(code))?.[1] ?? unreachable
  return { error: kind, message }
}

const unreachable: readonly [FailureKind, string] = ['connection', 'The connection to the relay failed.']
/** Words for failures without a reply. */
const failures: readonly (readonly [RegExp, readonly [FailureKind, string]])[] = [
  [/^(?:ETLS|EPROTO|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS|ERR_SSL)/, ['tls', 'TLS with the relay failed.']],
  [/^(?:ENOTFOUND|EAI_AGAIN|EDNS)/, ['dns', 'The name of the relay does not resolve.']],
  [/^ETIMEDOUT/, ['timeout', 'The relay did not answer in time.']],
]

/** Returns of a reply its code, and its enhanced status where it has one. */
const shownReply = (reply: string): string => {
  const [, code = '', enhanced] = /^(\d{3})(?:[ -]\d{3})?(?:[ -]([245]\.\d{1,3}\.\d{1,3})\b)?/.exec(reply) ?? []
  return enhanced === undefined ? code : `${code} ${enhanced}`
}

const mailOf = ({ recipients, id, subject, lines }: Mail, from: string, host: string) => ({
  from,
  to: [...recipients],
  subject: plainText(subject, subjectLength),
  text: lines.join('\n'),
  messageId: `<${id}@${host}>`,
  headers: { 'Auto-Submitted': 'auto-generated' },
})

/** Returns a message as a mail of a subscription. */
export const mailOfMessage = (
  { eventId, title, facts, url }: Message,
  { recipients, subscriptionId }: { readonly recipients: readonly string[]; readonly subscriptionId: string },
): Mail => ({
  recipients,
  id: `${eventId}.${subscriptionId}`,
  subject: `[Weir] ${title}`,
  lines: [
    title,
    '',
    ...facts.map(({ label, value }) => `${label}: ${value}`),
    '',
    url,
    '',
    'Sent by a webhook of your organization in Weir. Its owners and admins choose who gets this mail.',
  ],
})
