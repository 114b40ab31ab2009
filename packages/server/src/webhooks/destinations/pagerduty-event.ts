import type { Message } from './message.ts'

/** An event for the Events API v2 of PagerDuty. */

const summaryLength = 1_024
const dedupKeyLength = 255

export interface PagerdutyRoute {
  readonly routingKey: string
  /** Names the incident: events with the same one update it, and one of them resolves it. */
  readonly dedupKey: string
  readonly isResolved: boolean
}

export function pagerdutyEvent(message: Message, { routingKey, dedupKey, isResolved }: PagerdutyRoute) {
  const { title, facts, severity, url, kind, createdAt, orgId } = message
  const key = { routing_key: routingKey, dedup_key: dedupKey.slice(0, dedupKeyLength) }
  if (isResolved) return { ...key, event_action: 'resolve' }
  return {
    ...key,
    event_action: 'trigger',
    payload: {
      summary: title.slice(0, summaryLength),
      source: new URL(url).host,
      severity,
      timestamp: createdAt,
      group: orgId,
      class: kind,
      custom_details: Object.fromEntries(facts.map(({ label, value }) => [label, value])),
    },
    client: 'Weir',
    client_url: url,
    links: [{ href: url, text: 'Open in Weir' }],
  }
}
