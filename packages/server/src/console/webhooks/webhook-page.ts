import type { Schemas } from '../api/api.ts'
import {
  actionButton,
  type Column,
  type Content,
  countText,
  durationText,
  type FormState,
  facts,
  figures,
  freshForm,
  html,
  linkButton,
  type Markup,
  note,
  nothing,
  pageHead,
  section,
  shareBar,
  table,
  textArea,
  textField,
} from '../components/components.ts'
import {
  type ConsolePage,
  type FormValues,
  filterForm,
  filtersOf,
  formPage,
  messageIn,
  pager,
  part,
  refusedForm,
  shown,
  type Visit,
} from '../frame/frame.ts'
import {
  deliveryBadge,
  eventsText,
  healthBadge,
  lastResult,
  namesIn,
  readWebhook,
  type ShownDelivery,
  type Webhook,
  webhooksPath,
} from './webhook-words.ts'

const idOf = ({ params }: Visit) => params['sub_id'] ?? ''
const deliveryCount = 25
const replayCount = 5

const doneWords: Readonly<Record<string, string>> = {
  changed: 'The change holds from the next delivery on.',
  on: 'The webhook is on.',
  off: 'The webhook is off and receives nothing.',
  replayed: 'The replay has begun. Its progress is below.',
  confirmed: 'The address is confirmed and gets alerts.',
}

/** One webhook: the health of its endpoint, its deliveries and its replays. */
export async function webhookPage(visit: Visit): Promise<ConsolePage> {
  const { api, query, address, may } = visit
  const path = { sub_id: idOf(visit) }
  const filters = filtersOf(query, ['status', 'type', 'from', 'to'] as const)
  const [webhook, signing, deliveries, replays] = await Promise.all([
    readWebhook(visit),
    part(api.get('/v1/orgs/{id}/webhooks/{sub_id}/signing', { path })),
    part(
      api.get('/v1/orgs/{id}/webhooks/{sub_id}/deliveries', {
        path,
        query: { ...filters, limit: deliveryCount, cursor: query.get('cursor') ?? '' } as never,
      }),
    ),
    part(
      api.get('/v1/orgs/{id}/webhooks/{sub_id}/replays', { path, query: { sort: '-created_at', limit: replayCount } }),
    ),
  ])
  const mayChange = may('webhooks:write', 'admin')
  const message = messageIn(doneWords, query)
  return {
    title: webhook.url,
    here: webhooksPath,
    body: html`${pageHead(
      html`<span class="wrapped">${webhook.url}</span> ${healthBadge(webhook)}`,
      webhook.description === '' ? html`<code>${webhook.id}</code>` : webhook.description,
      mayChange ? changeButtons(visit, webhook) : nothing,
    )}${message === undefined ? nothing : note('info', message)}${waitingRecipients(webhook, mayChange)}${healthFigures(visit, webhook)}${shown(replays, visit, ({ data }) => (data.length === 0 ? nothing : replaySection(visit, data)))}${section(
      'Deliveries',
      html`${filterForm(address, [
        {
          name: 'status',
          label: 'State',
          choices: [
            ['pending', 'Waits'],
            ['delivered', 'Delivered'],
            ['failed', 'Failed'],
          ],
        },
        { name: 'type', label: 'Kind of event' },
        { name: 'from', label: 'From', type: 'date' },
        { name: 'to', label: 'Until', type: 'date' },
      ])}${shown(deliveries, visit, ({ data, next_cursor }) =>
        data.length === 0
          ? html`<p class="dim gap16">Nothing was delivered here yet.</p>`
          : html`${table(deliveryColumns(visit), data, { caption: 'Deliveries' })}${pager(address, next_cursor)}`,
      )}`,
    )}${section('About this webhook', aboutFacts(visit, webhook, signing.value))}${
      mayChange
        ? html`<div class="actions gap">${visit.caller.kind === 'support' || webhook.destination.kind !== 'https' ? nothing : linkButton(`${webhooksPath}/${webhook.id}/rotate`, 'Rotate the secret')}${linkButton(`${webhooksPath}/${webhook.id}/replay`, 'Replay events')}${linkButton(`${webhooksPath}/${webhook.id}/delete`, 'Delete', { kind: 'danger' })}</div>`
        : nothing
    }`,
  }
}

const waitingRecipients = ({ id, unconfirmed_recipients: waiting }: Webhook, mayChange: boolean): Markup =>
  waiting.length === 0
    ? nothing
    : note(
        'warn',
        html`Not confirmed yet, so nothing is sent there: ${waiting.join(', ')}. ${mayChange ? html`<a href="${webhooksPath}/${id}/confirm">Enter a code</a>` : nothing}`,
      )

const changeButtons = ({ formKeys }: Visit, { id, enabled }: Webhook): Markup => {
  return html`${actionButton(formKeys, `${webhooksPath}/${id}/test`, 'Send a test', { kind: '' })}${actionButton(formKeys, `${webhooksPath}/${id}/state`, enabled ? 'Switch off' : 'Switch on', { kind: '', fields: { to: enabled ? 'off' : 'on' } })}${linkButton(`${webhooksPath}/${id}/edit`, 'Change', { kind: 'primary' })}`
}

const healthFigures = ({ times }: Visit, { health }: Webhook): Markup =>
  figures([
    {
      label: 'Last delivered',
      big: health.last_success_at === null ? 'never' : times.ago(health.last_success_at),
      foot:
        health.last_attempt_at === null ? 'Not tried yet' : html`Last tried ${times.passed(health.last_attempt_at)}`,
    },
    {
      label: 'Failed in a row',
      big: countText(health.consecutive_failures),
      foot: health.failing_since === null ? 'It does not fail' : html`Since ${times.time(health.failing_since)}`,
    },
    {
      label: 'Waiting',
      big: countText(health.pending),
      foot:
        health.oldest_pending_at === null
          ? 'Nothing waits'
          : html`The oldest from ${times.time(health.oldest_pending_at)}`,
    },
    { label: 'Response time', big: health.latency_ms === null ? 'unknown' : durationText(health.latency_ms) },
  ])

const deliveryColumns = ({ times, params }: Visit): readonly Column<ShownDelivery>[] => [
  {
    name: 'Event',
    cell: ({ id, type, trigger }) =>
      html`<a class="plain" href="${webhooksPath}/${params['sub_id'] ?? ''}/deliveries/${id}"><code>${type}</code></a>${trigger === 'event' ? nothing : html`<span class="sub">${trigger}</span>`}`,
  },
  { name: 'State', cell: deliveryBadge },
  { name: 'Result', label: 'Result', cell: lastResult },
  { name: 'Attempts', isNumber: true, label: 'Attempts', cell: ({ attempt_count }) => attempt_count },
  { name: 'When', label: 'When', cell: ({ created_at }) => times.passed(created_at) },
]

const replaySection = ({ times }: Visit, replays: readonly Schemas['Replay'][]): Markup =>
  section(
    'Replays',
    html`<ul class="todo bare">${replays.map(
      ({ id, status, from, to, event_count, told_count, created_at }) =>
        html`<li><div><p class="what">${times.long(from)} to ${times.long(to)}</p><p><span class="mono">${id}</span>, begun ${times.passed(created_at)}. ${countText(told_count)} of ${countText(event_count)} events sent${status === 'finished' ? ', finished' : ''}.</p>${shareBar(event_count === 0 ? 100 : (100 * told_count) / event_count)}</div></li>`,
    )}</ul>`,
  )

const aboutFacts = ({ times }: Visit, webhook: Webhook, signing: Schemas['Signing'] | undefined): Markup => {
  const rows: (readonly [string, Content])[] = [
    ['Events', eventsText(webhook)],
    ['Order', webhook.ordered ? 'Events of one subject arrive in order' : 'Events arrive as soon as they can'],
    ['Id', html`<code>${webhook.id}</code>`],
    ['Created', times.time(webhook.created_at)],
  ]
  if (signing !== undefined && webhook.destination.kind === 'https')
    rows.push([
      'Signing',
      html`${signing.version === 2 ? 'With a secret of its own' : 'With the secret of the organization, which is deprecated: rotate to give it one of its own'}${signing.rotated_at === null ? nothing : html`, rotated ${times.passed(signing.rotated_at)}`}${signing.previous_expires_at === null ? nothing : html`, also with the one before until ${times.time(signing.previous_expires_at)}`}`,
    ])
  return facts(rows)
}

/** Sends a test event, and leads to its delivery. */
export async function testWebhook(visit: Visit): Promise<string> {
  const { id } = await visit.api.change('post', '/v1/orgs/{id}/webhooks/{sub_id}/test', {
    path: { sub_id: idOf(visit) },
  })
  return `${webhooksPath}/${idOf(visit)}/deliveries/${id}`
}

const freshReplay = freshForm({ from: '', to: '', events: '' })

/** The form that delivers the events of a time again. */
export async function replayPage(visit: Visit, state: FormState = freshReplay): Promise<ConsolePage> {
  const { id, url } = await readWebhook(visit)
  return formPage(visit, state, {
    title: 'Replay events',
    sub: html`The events of a time are delivered again to ${url}. They keep their ids, so that an endpoint can tell.`,
    here: webhooksPath,
    action: `${webhooksPath}/${id}/replay`,
    body: html`${textField(state, { name: 'from', label: 'From', type: 'date', isRequired: true })}${textField(state, { name: 'to', label: 'Until', type: 'date', hint: 'Empty for now.', isOptional: true })}${textArea(state, { name: 'events', label: 'Events', rows: 3, isCode: true, hint: 'Kinds or groups, one a line. Empty for those that the webhook asks for.', isOptional: true })}`,
    submit: 'Replay events',
    cancel: `${webhooksPath}/${id}`,
  })
}

export async function startReplay(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const { from = '', to = '', events = '' } = values
  try {
    await visit.api.change('post', '/v1/orgs/{id}/webhooks/{sub_id}/replay', {
      path: { sub_id: idOf(visit) },
      body: { from, ...(to !== '' && { to }), ...(namesIn(events).length > 0 && { events: namesIn(events) }) },
    })
    return `${webhooksPath}/${idOf(visit)}?done=replayed`
  } catch (error) {
    return replayPage(visit, refusedForm(error, values))
  }
}
