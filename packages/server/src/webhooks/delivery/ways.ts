import type { DeprecationHeaders } from '../../contract/deprecations/deprecations.ts'
import type { HttpOutcome, Outbound } from '../../platform/infra/outbound.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { formatId } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { cloudEvent } from '../destinations/cloud-event.ts'
import { takesMessages } from '../destinations/destination.ts'
import type { SendMessage } from '../destinations/sender.ts'
import { createWebhookSecrets } from '../signing/secrets.ts'
import { type DeliverySigning, signedHeaders } from '../signing/signature.ts'
import type { DueRow, EndpointRow } from './dispatch-queries.ts'
import type { DueContext } from './due-work.ts'

export interface WayOptions {
  readonly outbound: Outbound
  readonly sendMessage: SendMessage
  /** Deprecation headers of deliveries that are signed with an organization's secret. */
  readonly deprecationHeaders: DeprecationHeaders
}

/** The way of a queue's deliveries to their endpoint. */
export interface Way {
  readonly version: DeliverySigning['version']
  /** Makes one attempt at a delivery whose event is stored. */
  readonly attempt: (row: DueRow, at: Date, payload: string) => Promise<HttpOutcome>
}

export interface Ways {
  /** Returns the way to an endpoint, with its secrets; throws when one cannot be unsealed. */
  readonly to: (endpoint: EndpointRow, context: DueContext) => Way
}

export function createWays(
  { config, clock, version, addresses }: Pick<Platform, 'config' | 'clock' | 'version' | 'addresses'>,
  { outbound, sendMessage, deprecationHeaders }: WayOptions,
): Ways {
  const secrets = createWebhookSecrets(config)

  /** Signed JSON to the URL of the subscription. */
  function wayOfJson(endpoint: EndpointRow): Way {
    const signing = secrets.signingAt(clock.now().getTime(), endpoint, deprecationHeaders)
    const isCloudEvent = endpoint.destination?.format === 'cloudevents'
    return {
      version: signing.version,
      attempt: (row, at, payload) => {
        const body = isCloudEvent ? cloudEvent(payload, addresses.publicUrl()) : payload
        const message = { eventId: formatId('event', row.event_id), body, nowMs: at.getTime() }
        const type = isCloudEvent ? 'application/cloudevents+json; charset=utf-8' : 'application/json'
        const headers = { 'content-type': type, 'user-agent': `weir/${version}`, ...signedHeaders(signing, message) }
        return outbound.post(endpoint.url, headers, body)
      },
    }
  }

  /** Messages to a destination such as a channel of Slack. */
  function wayOfMessages(endpoint: EndpointRow, { names, refusals }: DueContext): Way {
    const { destination, destination_sealed: sealed, recipients = [] } = endpoint
    const owner = { orgId: endpoint.org_id, subscriptionId: endpoint.subscription_id }
    const secret = sealed === null ? {} : secrets.unsealDestination(owner, sealed)
    return {
      version: 2,
      attempt: (row, _at, payload) =>
        sendMessage(
          { destination: present(destination), secret, owner, row, payload, recipients },
          { names: names.get(endpoint.org_id) ?? new Map(), refusals: refusals.get(endpoint.org_id) ?? new Map() },
        ),
    }
  }

  return {
    to: (endpoint, context) => (takesMessages(endpoint) ? wayOfMessages(endpoint, context) : wayOfJson(endpoint)),
  }
}
