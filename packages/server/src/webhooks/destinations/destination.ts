import type { FieldFault } from '../../contract/errors.ts'
import { normalEmail } from '../../people/members/members.ts'
import { defaultDigestSeconds } from './digest.ts'

export const destinationKinds = ['https', 'slack', 'teams', 'pagerduty', 'email'] as const
export type DestinationKind = (typeof destinationKinds)[number]

/** The destination of a subscription's messages, as it is stored and shown: without secrets. */
export interface Destination {
  readonly kind: DestinationKind
  /** Of `https`: the format of the body. */
  readonly format?: 'weir' | 'cloudevents'
  /** Of `slack`, with a bot token: the channel to which it writes. */
  readonly channel?: string
  /** Of `pagerduty`: the address of the Events API. */
  readonly events_url?: string
  /** Of `email`: members of the organization, or addresses of its proved domains. */
  readonly recipients?: string[]
  /** Of all but `https`: what follows a message about the same is told together after so long. */
  readonly digest_seconds?: number
}

/** The secret of a destination. Each kind has one; Slack has one of two. */
export interface DestinationSecret {
  readonly webhook_url?: string
  readonly bot_token?: string
  readonly routing_key?: string
}

/** A destination as it is asked for. */
export type WantedDestination = Destination & DestinationSecret

export const standardDestination: Destination = { kind: 'https', format: 'weir' }
export const pagerdutyEventsUrl = 'https://events.pagerduty.com/v2/enqueue'

const fieldsOfKinds: Readonly<Record<DestinationKind, readonly (keyof WantedDestination)[]>> = {
  https: ['format'],
  slack: ['webhook_url', 'bot_token', 'channel', 'digest_seconds'],
  teams: ['webhook_url', 'digest_seconds'],
  pagerduty: ['routing_key', 'events_url', 'digest_seconds'],
  email: ['recipients', 'digest_seconds'],
}

/** Returns the faults of fields that do not belong together. Whether a secret is missing is known only with the stored one. */
export function destinationFaults(wanted: WantedDestination | undefined): FieldFault[] {
  if (wanted === undefined) return []
  const fitting: readonly string[] = fieldsOfKinds[wanted.kind]
  const foreign = Object.keys(wanted).filter((name) => name !== 'kind' && !fitting.includes(name))
  const faults: FieldFault[] = foreign.map((name) => ({
    field: `destination.${name}`,
    code: 'invalid_value' as const,
    message: `A destination of the kind ${wanted.kind} has no such field.`,
  }))
  if (wanted.webhook_url !== undefined && (wanted.bot_token !== undefined || wanted.channel !== undefined))
    faults.push(fault('webhook_url', 'Give a webhook URL, or a bot token with a channel.'))
  if (wanted.bot_token !== undefined && wanted.channel === undefined)
    faults.push(fault('channel', 'A bot token needs the channel to which it writes.'))
  if (wanted.kind === 'email' && wanted.recipients === undefined)
    faults.push({ field: 'destination.recipients', code: 'required', message: 'A mail needs recipients.' })
  return faults
}

const fault = (field: keyof WantedDestination, message: string) => ({
  field: `destination.${field}`,
  code: 'invalid_value' as const,
  message,
})

/** Returns what of a destination may be stored in the clear and shown. */
export function shownPart(wanted: WantedDestination): Destination {
  const { kind, format, channel, events_url, recipients = [], digest_seconds = defaultDigestSeconds } = wanted
  if (kind === 'https') return { kind, format: format ?? 'weir' }
  return {
    kind,
    digest_seconds,
    ...(kind === 'pagerduty' && { events_url: events_url ?? pagerdutyEventsUrl }),
    ...(kind === 'email' && { recipients: recipients.map(normalEmail) }),
    ...(channel !== undefined && { channel }),
  }
}

/** Returns the secret that a destination names; undefined when it names none. */
export function secretPart({ webhook_url, bot_token, routing_key }: WantedDestination): DestinationSecret | undefined {
  if (webhook_url !== undefined) return { webhook_url }
  if (bot_token !== undefined) return { bot_token }
  return routing_key === undefined ? undefined : { routing_key }
}

/** Returns the name of the field that holds the secret of a destination; undefined for one without. */
export function secretField({ kind, channel }: Destination): keyof DestinationSecret | undefined {
  if (kind === 'https' || kind === 'email') return undefined
  if (kind === 'pagerduty') return 'routing_key'
  return kind === 'slack' && channel !== undefined ? 'bot_token' : 'webhook_url'
}

/** True when a stored secret may serve another destination: it goes to the same address, and to nobody who has just been named. */
export const mayKeepSecret = (stored: Destination, wanted: Destination): boolean =>
  stored.kind === wanted.kind && secretField(stored) === secretField(wanted) && stored.events_url === wanted.events_url

/**
 * Returns the address that stands for a destination in lists and in the log. It is no address of HTTP: a process that does not know
 * destinations must not send events there.
 */
export function shownUrl(destination: Destination, { webhook_url }: DestinationSecret): string {
  const { kind, channel, events_url, recipients } = destination
  if (recipients !== undefined) return `mailto:${recipients.join(',')}`
  if (channel !== undefined) return `slack:${channel.replace('#', '')}`
  return `${kind}:${new URL(webhook_url ?? events_url ?? pagerdutyEventsUrl).host}`
}

/** True for a stored destination that takes messages in place of JSON. */
export const takesMessages = ({ destination }: { readonly destination: Destination | null }): boolean =>
  destination !== null && destination.kind !== 'https'
