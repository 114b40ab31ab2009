import type { Schemas } from '../api/api.ts'
import { type FormState, html, type Markup, selectField, tabs, textArea, textField } from '../components/components.ts'
import type { FormValues, Visit } from '../frame/frame.ts'
import { namesIn, type Webhook, webhooksPath } from './webhook-words.ts'

/** Fields of forms about where a webhook's events go; a form has those of one kind. */

type Kind = NonNullable<Schemas['SubscriptionInput']['destination']>['kind']

const kinds: Readonly<Record<Kind, string>> = {
  https: 'Address',
  slack: 'Slack',
  teams: 'Teams',
  pagerduty: 'PagerDuty',
  email: 'Mail',
}
const isKind = (text: string | undefined): text is Kind => text !== undefined && Object.hasOwn(kinds, text)

/** Returns the kind of destination that a form is about. */
export const kindIn = (values: FormValues): Kind => {
  const kind = values['destination.kind']
  return isKind(kind) ? kind : 'https'
}

/** Returns the kind of destination that a visitor wants for a new webhook. */
export const wantedKind = ({ query }: Visit): Kind => {
  const kind = query.get('kind') ?? undefined
  return isKind(kind) ? kind : 'https'
}

/** Links between the forms for new webhooks. */
export const kindTabs = (here: Kind): Markup =>
  tabs(
    'Where events go',
    Object.entries(kinds).map(([kind, text]) => ({
      href: `${webhooksPath}/new?kind=${kind}`,
      text,
      isHere: kind === here,
    })),
  )

const fieldNames = {
  https: ['format'],
  slack: ['webhook_url', 'bot_token', 'channel'],
  teams: ['webhook_url'],
  pagerduty: ['routing_key', 'events_url'],
  email: [],
} as const

/**
 * Returns the part of a request that says where events go. What a secret field leaves empty stays as it is, and so does what a form does
 * not ask for.
 */
export function addressOf(
  values: FormValues,
  stored?: Webhook['destination'],
): Pick<Schemas['SubscriptionInput'], 'url' | 'destination'> {
  const kind = kindIn(values)
  const given = fieldNames[kind]
    .map((name) => [name, (values[`destination.${name}`] ?? '').trim()] as const)
    .filter(([, text]) => text !== '')
  const recipients = kind === 'email' && { recipients: namesIn(values['destination.recipients'] ?? '') }
  const { digest_seconds } = stored?.kind === kind ? stored : {}
  const destination = {
    ...Object.fromEntries(given),
    ...recipients,
    ...(digest_seconds !== undefined && { digest_seconds }),
    kind,
  }
  return kind === 'https' ? { url: (values['url'] ?? '').trim(), destination } : { destination }
}

/** Returns the values of a webhook's address as its form has them. */
export const addressValues = ({ url, destination }: Webhook): Record<string, string> => ({
  url: destination.kind === 'https' ? url : '',
  'destination.kind': destination.kind,
  'destination.format': destination.format ?? 'weir',
  'destination.channel': destination.channel ?? '',
  'destination.events_url': destination.events_url ?? '',
  'destination.recipients': (destination.recipients ?? []).join('\n'),
})

const secretHint = (isKept: boolean, text: string) =>
  isKept ? `${text} Leave it empty to keep the one that is stored.` : text

const secretField = (
  state: FormState,
  isKept: boolean,
  name: string,
  label: string,
  hint: string,
  isOptional = isKept,
) =>
  textField(state, {
    name: `destination.${name}`,
    label,
    type: 'password',
    hint: secretHint(isKept, hint),
    ...(isOptional ? { isOptional } : { isRequired: true }),
  })

/** The fields of one kind of destination. `isKept` where a stored secret need not be entered again. */
export function addressFields(state: FormState, isKept: boolean): Markup {
  const kind = kindIn(state.values)
  return html`<input type="hidden" name="destination.kind" value="${kind}">${fieldsOf[kind](state, isKept)}`
}

const fieldsOf: Readonly<Record<Kind, (state: FormState, isKept: boolean) => Markup>> = {
  https: (state) =>
    html`${textField(state, { name: 'url', label: 'Address', type: 'url', placeholder: 'https://hooks.example.com/weir', isRequired: true })}${selectField(
      state,
      {
        name: 'destination.format',
        label: 'Format',
        choices: [
          { value: 'weir', text: 'JSON of Weir' },
          { value: 'cloudevents', text: 'CloudEvents 1.0, structured' },
        ],
      },
    )}`,
  slack: (state, isKept) =>
    html`${secretField(state, isKept, 'webhook_url', 'Incoming webhook', 'Its URL, as Slack shows it. Or enter a bot token and a channel.', true)}${secretField(state, isKept, 'bot_token', 'Bot token', 'Begins with xoxb-.', true)}${textField(state, { name: 'destination.channel', label: 'Channel', isOptional: true, placeholder: 'C0123456789' })}`,
  teams: (state, isKept) =>
    secretField(
      state,
      isKept,
      'webhook_url',
      'Workflow',
      'The URL of a workflow that posts to a channel when a webhook request is received.',
    ),
  email: (state) =>
    textArea(state, {
      name: 'destination.recipients',
      label: 'Recipients',
      rows: 3,
      hint: 'One a line: addresses of domains that your organization has proved, or of members, who are mailed a code first.',
    }),
  pagerduty: (state, isKept) =>
    html`${secretField(state, isKept, 'routing_key', 'Integration key', 'Of an Events API v2 integration.')}${textField(state, { name: 'destination.events_url', label: 'Address of the Events API', type: 'url', isOptional: true, placeholder: 'https://events.pagerduty.com/v2/enqueue' })}`,
}

/** The text under the title of a new webhook. */
export const kindText = (kind: Kind): string =>
  kind === 'https'
    ? 'Events are posted to it, signed with a secret of its own.'
    : `Events are told ${kind === 'pagerduty' ? 'at' : kind === 'email' ? 'by' : 'in'} ${kind === 'email' ? 'mail' : kinds[kind]}, with names, amounts and a link.`
