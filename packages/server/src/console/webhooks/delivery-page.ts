import type { Schemas } from '../api/api.ts'
import {
  actionButton,
  blank,
  type Column,
  code,
  durationText,
  facts,
  html,
  linkButton,
  type Markup,
  nothing,
  pageHead,
  section,
  shortId,
  table,
} from '../components/components.ts'
import { type ConsolePage, filterForm, filtersOf, pager, pageSize, part, shown, type Visit } from '../frame/frame.ts'
import { webhookTabs } from './webhook-list.ts'
import { deliveryBadge, readWebhook, type ShownDelivery, webhooksPath } from './webhook-words.ts'

type EventEntry = Schemas['LoggedEvent']

const pathOf = ({ params }: Visit) => ({ sub_id: params['sub_id'] ?? '', delivery_id: params['delivery_id'] ?? '' })

/** One delivery: every attempt with what the endpoint answered, and the body that was sent. */
export async function deliveryPage(visit: Visit): Promise<ConsolePage> {
  const { api, times, may, formKeys } = visit
  const path = pathOf(visit)
  const [webhook, delivery] = await Promise.all([
    readWebhook(visit),
    api.get('/v1/orgs/{id}/webhooks/{sub_id}/deliveries/{delivery_id}', { path }),
  ])
  const event = await part(api.get('/v1/orgs/{id}/events/{event_id}', { path: { event_id: delivery.event_id } }))
  return {
    title: `Delivery of ${delivery.type}`,
    here: webhooksPath,
    body: html`${pageHead(
      html`<code>${delivery.type}</code> ${deliveryBadge(delivery)}`,
      html`To <a href="${webhooksPath}/${webhook.id}">${webhook.url}</a>, ${times.passed(delivery.created_at)}`,
      may('webhooks:write', 'admin')
        ? actionButton(formKeys, `${webhooksPath}/${webhook.id}/deliveries/${delivery.id}/redeliver`, 'Deliver again', {
            kind: 'primary',
          })
        : nothing,
    )}${facts([
      ['Delivery', html`<code>${delivery.id}</code>`],
      ['Event', html`<a href="${webhooksPath}/events/${delivery.event_id}"><code>${delivery.event_id}</code></a>`],
      ['Because of', delivery.trigger === 'event' ? 'the event itself' : `a ${delivery.trigger}`],
      [
        delivery.next_attempt_at === null ? 'Ended' : 'Next attempt',
        delivery.next_attempt_at === null
          ? delivery.ended_at === null
            ? 'not yet'
            : times.time(delivery.ended_at)
          : times.long(delivery.next_attempt_at),
      ],
    ])}${section('Attempts', attemptList(visit, delivery))}${section(
      'Body',
      shown(event, visit, (value) => eventCode(value)),
    )}`,
  }
}

const attemptList = ({ times }: Visit, { attempts }: ShownDelivery): Markup =>
  attempts.length === 0
    ? html`<p class="dim gap16">Not tried yet.</p>`
    : html`<ul class="todo bare">${attempts.map(
        ({ at, status, error, error_message, latency_ms, response }) =>
          html`<li><div><p class="what">${status === null ? (error_message ?? error ?? 'No response') : `HTTP ${status}`}</p><p>${times.long(at)}, after ${durationText(latency_ms)}</p>${response === null || response === '' ? nothing : html`<div class="code"><pre tabindex="0" role="region" aria-label="Beginning of the response"><code>${response}</code></pre></div>`}</div></li>`,
      )}</ul>`

/** The event as it is sent: what receivers see as the body. */
const eventCode = ({ subject: _subject, ...body }: EventEntry): Markup =>
  html`<div class="gap16">${code('JSON', JSON.stringify(body, null, 2), 'the body')}</div>`

/** Delivers an event again, as a delivery of its own. */
export async function redeliver(visit: Visit): Promise<string> {
  const path = pathOf(visit)
  const { id } = await visit.api.change('post', '/v1/orgs/{id}/webhooks/{sub_id}/deliveries/{delivery_id}/redeliver', {
    path,
  })
  return `${webhooksPath}/${path.sub_id}/deliveries/${id}`
}

const columnsOf = ({ times }: Visit): readonly Column<EventEntry>[] => [
  {
    name: 'Event',
    cell: ({ id, type }) => html`<a class="plain" href="${webhooksPath}/events/${id}"><code>${type}</code></a>`,
  },
  { name: 'About', label: 'About', kind: 'wrapped', cell: ({ subject }) => html`<code>${subject}</code>` },
  { name: 'When', label: 'When', cell: ({ created_at }) => times.passed(created_at) },
  { name: 'Id', kind: 'gone', cell: ({ id }) => shortId(id) },
]

/** The list of events, whether or not a webhook asked for them. */
export async function eventList(visit: Visit): Promise<ConsolePage> {
  const { api, query, address } = visit
  const filters = filtersOf(query, ['type', 'subject', 'from', 'to'] as const)
  const { data, next_cursor } = await api.get('/v1/orgs/{id}/events', {
    query: { ...filters, sort: '-created_at', limit: pageSize, cursor: query.get('cursor') ?? '' },
  })
  return {
    title: 'Events',
    here: webhooksPath,
    body: html`${pageHead('Events', 'What happened, newest first, whether or not a webhook asked for it.')}${webhookTabs('events')}${filterForm(
      address,
      [
        { name: 'type', label: 'Kind, such as budget.*' },
        { name: 'subject', label: 'About (an id)', type: 'search' },
        { name: 'from', label: 'From', type: 'date' },
        { name: 'to', label: 'Until', type: 'date' },
      ],
    )}${data.length === 0 ? blank('No event', 'Events appear when a limit is crossed, an approval is wanted, or something is changed.', linkButton(webhooksPath, 'To the webhooks', { kind: 'sm' })) : table(columnsOf(visit), data, { caption: 'Events' })}${pager(address, next_cursor)}`,
  }
}

/** One event with its data. */
export async function eventPage({ api, params, times }: Visit): Promise<ConsolePage> {
  const event = await api.get('/v1/orgs/{id}/events/{event_id}', { path: { event_id: params['event_id'] ?? '' } })
  return {
    title: event.type,
    here: webhooksPath,
    body: html`${pageHead(html`<code>${event.type}</code>`, html`${times.long(event.created_at)}, about <code>${event.subject}</code>`)}${eventCode(event)}<p class="small faint gap16"><code>${event.id}</code></p>`,
  }
}
