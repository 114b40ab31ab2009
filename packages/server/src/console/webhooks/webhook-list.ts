import {
  blank,
  type Column,
  code,
  counted,
  countText,
  curl,
  html,
  linkButton,
  type Markup,
  note,
  nothing,
  pageHead,
  table,
  tabs,
} from '../components/components.ts'
import { type ConsolePage, pager, pageSize, type Visit } from '../frame/frame.ts'
import { eventsText, healthBadge, type Webhook, webhooksPath } from './webhook-words.ts'

/** Links between webhooks and the events that they deliver. */
export const webhookTabs = (here: 'webhooks' | 'events'): Markup =>
  tabs('Webhooks', [
    { href: webhooksPath, text: 'Webhooks', isHere: here === 'webhooks' },
    { href: `${webhooksPath}/events`, text: 'Events', isHere: here === 'events' },
  ])

const hasEnded = ({ health, disabled_reason: reason }: Webhook) =>
  health.status === 'disabled' && reason !== 'requested'
const needsSomebody = (webhook: Webhook) => webhook.health.status === 'failing' || hasEnded(webhook)

/** The list of webhooks with the health of their endpoints. */
export async function webhookList(visit: Visit): Promise<ConsolePage> {
  const { api, query, address, may } = visit
  const { data, next_cursor } = await api.get('/v1/orgs/{id}/webhooks', {
    query: { limit: pageSize, cursor: query.get('cursor') ?? '' },
  })
  const needing = data.filter(needsSomebody)
  return {
    title: 'Webhooks',
    here: webhooksPath,
    body: html`${pageHead(
      'Webhooks',
      data.length === 0
        ? 'No event is sent anywhere.'
        : `${counted(data.length, 'webhook')}${next_cursor === null ? '' : ' on this page'}. ${needing.length === 0 ? 'All endpoints take what is sent.' : `${counted(needing.length, 'endpoint')} ${needing.length === 1 ? 'needs' : 'need'} somebody.`}`,
      may('webhooks:write', 'admin')
        ? linkButton(`${webhooksPath}/new`, 'New webhook', { kind: 'primary', iconName: 'plus' })
        : nothing,
    )}${needing.map((webhook) => needNote(visit, webhook))}${webhookTabs('webhooks')}${data.length === 0 ? emptyList(visit) : table(columnsOf(visit), data, { caption: 'Webhooks' })}${pager(address, next_cursor)}`,
  }
}

const needNote = ({ times }: Visit, webhook: Webhook): Markup => {
  const { health, url, id } = webhook
  return note(
    hasEnded(webhook) ? 'stop' : 'warn',
    html`<b>${url}</b> ${hasEnded(webhook) ? 'receives nothing.' : 'does not take deliveries.'} ${health.failing_since === null ? nothing : html`It has failed since ${times.time(health.failing_since)}, ${counted(health.consecutive_failures, 'time')} in a row.`} ${counted(health.pending, 'delivery', 'deliveries')} wait.`,
    linkButton(`${webhooksPath}/${id}`, 'See why', { kind: 'sm', of: url }),
  )
}

const columnsOf = ({ times }: Visit): readonly Column<Webhook>[] => [
  {
    name: 'Endpoint',
    kind: 'all wrapped',
    cell: ({ id, url, description }) =>
      html`<a class="plain" href="${webhooksPath}/${id}">${url}</a>${description === '' ? nothing : html`<span class="sub">${description}</span>`}`,
  },
  { name: 'State', cell: healthBadge },
  { name: 'Events', kind: 'all', cell: eventsText },
  { name: 'Waiting', isNumber: true, label: 'Waiting', cell: ({ health }) => countText(health.pending) },
  {
    name: 'Last delivered',
    label: 'Last delivered',
    cell: ({ health }) => (health.last_success_at === null ? 'never' : times.passed(health.last_success_at)),
  },
]

const emptyList = ({ org, may }: Visit): Markup =>
  html`${blank(
    'No webhook yet',
    'A webhook tells your systems at once that a budget is nearly used up, that an approval is wanted, or that a key was revoked.',
    may('webhooks:write', 'admin') ? linkButton(`${webhooksPath}/new`, 'New webhook', { kind: 'sm' }) : nothing,
  )}${code(
    'Terminal',
    curl('POST', `/v1/orgs/${org.id}/webhooks`, {
      url: 'https://hooks.example.com/weir',
      events: ['budget.*', 'approval.requested'],
      signing: 'subscription',
    }),
    'the command for a webhook',
  )}`
