import type { Socket } from 'node:net'
import { createTransport } from 'nodemailer'
import type { Config } from '../../config.ts'
import type { HttpOutcome, Outbound } from '../../platform/infra/outbound.ts'
import { failureOf } from '../../platform/infra/outbound-failure.ts'
import { errorCode } from '../../values/thrown.ts'
import type { Message } from './message.ts'
import { plainText } from './plain-text.ts'

/** A message as mail: text and nothing else, so that nothing in it is read as markup. */

export interface Mail {
  readonly recipients: readonly string[]
  readonly subscriptionId: string
  readonly message: Message
}

/** Sends a mail through the relay of the installation. The status of an outcome is the reply code of SMTP. */
export type SendMail = (mail: Mail) => Promise<HttpOutcome>

const subjectLength = 150
const smtpPort = 587
const smtpsPort = 465

export function createMailer(
  outbound: Pick<Outbound, 'connect'>,
  { smtpUrl, mailFrom, webhookTimeoutSeconds }: Pick<Config, 'smtpUrl' | 'mailFrom' | 'webhookTimeoutSeconds'>,
): SendMail {
  const timeoutMs = webhookTimeoutSeconds * 1_000

  /** Hands one mail to the relay on a connection of its own, whose address passes the outbound wall. */
  async function hand(mail: Mail, relay: URL, sockets: Socket[], isOver: () => boolean): Promise<string> {
    const isTls = relay.protocol === 'smtps:'
    const host = relay.hostname.replace(/^\[|\]$/g, '')
    const port = relay.port === '' ? (isTls ? smtpsPort : smtpPort) : Number(relay.port)
    const connection = await outbound.connect(host, port)
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
    const sent = await transport.sendMail(mailOf(mail, mailFrom ?? ''))
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
      return { status: 250, excerpt: response, retryAfter: undefined, latencyMs: passedSince(startedMs) }
    } catch (error) {
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
    return { status: responseCode, excerpt: response.slice(0, 1_024).replaceAll('\0', ''), retryAfter: undefined }
  if (errorCode(error) === 'ETLS') return { error: 'tls' as const, message: plainText(error.message, 300) }
  return failureOf(error)
}

const mailOf = ({ recipients, subscriptionId, message }: Mail, from: string) => {
  const { eventId, title, facts, url } = message
  return {
    from,
    to: [...recipients],
    subject: plainText(`[Weir] ${title}`, subjectLength),
    text: [
      title,
      '',
      ...facts.map(({ label, value }) => `${label}: ${value}`),
      '',
      url,
      '',
      'Sent by a webhook of your organization in Weir. Its owners and admins choose who gets this mail.',
    ].join('\n'),
    // The same at every attempt, so that a mail that arrives twice is seen once.
    messageId: `<${eventId}.${subscriptionId}@${new URL(url).hostname}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}
