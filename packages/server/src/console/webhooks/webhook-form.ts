import {
  checkField,
  type FormState,
  freshForm,
  html,
  type Markup,
  selectField,
  textArea,
  textField,
} from '../components/components.ts'
import {
  type ConsolePage,
  type FormValues,
  formPage,
  questionPage,
  refusedForm,
  secretPage,
  type Visit,
} from '../frame/frame.ts'
import {
  addressFields,
  addressOf,
  addressValues,
  kindIn,
  kindTabs,
  kindText,
  wantedKind,
} from './destination-fields.ts'
import { namesIn, readWebhook, type Webhook, webhooksPath } from './webhook-words.ts'

const idOf = ({ params }: Visit) => params['sub_id'] ?? ''

/** Returns the fields of a webhook as the API takes them. */
const bodyOf = (values: FormValues, stored?: Webhook['destination']) => ({
  ...addressOf(values, stored),
  ...commonBody(values),
})

const commonBody = ({ events = '', description = '', ordered }: FormValues) => ({
  events: namesIn(events),
  description,
  ordered: ordered === 'true',
})

const commonFields = (state: FormState, isKept: boolean): Markup =>
  html`${addressFields(state, isKept)}${textField(state, { name: 'description', label: 'Description', isOptional: true })}${textArea(state, { name: 'events', label: 'Events', rows: 4, isCode: true, isOptional: true, hint: html`Kinds such as <code>approval.requested</code>, or groups such as <code>budget.*</code>, one a line. Empty: every kind that is not opt-in.` })}${checkField(state, { name: 'ordered', label: 'Deliver the events of one subject in order', hint: 'Each waits until the ones before it were delivered or have failed.' })}`

const freshWebhook = (visit: Visit) =>
  freshForm({ url: '', description: '', events: '', ordered: '', 'destination.kind': wantedKind(visit) })

/** The form for a new webhook: one for each kind of destination. */
export function newWebhookPage(visit: Visit, state: FormState = freshWebhook(visit)): ConsolePage {
  const kind = kindIn(state.values)
  return formPage(visit, state, {
    title: 'New webhook',
    sub: kindText(kind),
    here: webhooksPath,
    action: webhooksPath,
    body: html`${kindTabs(kind)}${commonFields(state, false)}`,
    submit: 'Create webhook',
    cancel: webhooksPath,
  })
}

const secretOf = (id: string, secret: string, title: string): ConsolePage =>
  secretPage({
    title,
    here: webhooksPath,
    heading: 'Signing secret',
    secret,
    body: html`<p>Verify with it that a delivery comes from Weir. <a href="/docs/webhooks">The guide to webhooks</a> has the code.</p>`,
    back: { href: `${webhooksPath}/${id}`, text: 'To the webhook' },
  })

/** Creates a webhook from the form, and shows its secret. */
export async function createWebhook(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  try {
    const made = await visit.api.change('post', '/v1/orgs/{id}/webhooks', {
      body: { ...bodyOf(values), signing: 'subscription' },
    })
    // Only what is posted is signed.
    if (made.secret === undefined) return `${webhooksPath}/${made.id}`
    return secretOf(made.id, made.secret, 'The webhook is created')
  } catch (error) {
    return newWebhookPage(visit, refusedForm(error, values))
  }
}

/** The form that changes a webhook. */
export const editWebhookPage = async (visit: Visit): Promise<ConsolePage> => {
  const webhook = await readWebhook(visit)
  return editForm(visit, webhook, webhookForm(webhook))
}

const webhookForm = (webhook: Webhook): FormState => {
  const { description, events, ordered } = webhook
  return freshForm({ ...addressValues(webhook), description, events: events.join('\n'), ordered: String(ordered) })
}

const editForm = (visit: Visit, { id, url }: Webhook, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: 'Change the webhook',
    sub: url,
    here: webhooksPath,
    action: `${webhooksPath}/${id}/edit`,
    body: commonFields(state, true),
    submit: 'Save changes',
    cancel: `${webhooksPath}/${id}`,
  })

export async function changeWebhook(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const webhook = await readWebhook(visit)
  try {
    await visit.api.change('patch', '/v1/orgs/{id}/webhooks/{sub_id}', {
      path: { sub_id: idOf(visit) },
      body: bodyOf(values, webhook.destination),
    })
    return `${webhooksPath}/${idOf(visit)}?done=changed`
  } catch (error) {
    return editForm(visit, webhook, refusedForm(error, values))
  }
}

/** Switches a webhook on or off. */
export async function switchWebhook(visit: Visit, values: FormValues): Promise<string> {
  const isOn = values['to'] === 'on'
  await visit.api.change('patch', '/v1/orgs/{id}/webhooks/{sub_id}', {
    path: { sub_id: idOf(visit) },
    body: { enabled: isOn },
  })
  return `${webhooksPath}/${idOf(visit)}?done=${isOn ? 'on' : 'off'}`
}

const overlaps = [
  { value: '86400', text: 'for a day' },
  { value: '3600', text: 'for an hour' },
  { value: '604800', text: 'for a week' },
  { value: '0', text: 'no longer' },
] as const

/** The form that gives a webhook another signing secret. */
export async function rotatePage(visit: Visit): Promise<ConsolePage> {
  const { id, url } = await readWebhook(visit)
  const state = freshForm({ overlap_seconds: '86400' })
  return formPage(visit, state, {
    title: 'Rotate the signing secret',
    sub: url,
    here: webhooksPath,
    action: `${webhooksPath}/${id}/rotate`,
    body: selectField(state, {
      name: 'overlap_seconds',
      label: 'Sign with the old secret too',
      choices: overlaps,
      hint: 'Until your endpoint knows the new one.',
    }),
    submit: 'Rotate the secret',
    kind: 'danger solid',
    cancel: `${webhooksPath}/${id}`,
  })
}

export async function rotateSecret(visit: Visit, values: FormValues): Promise<ConsolePage> {
  const overlap = overlaps.find(({ value }) => value === values['overlap_seconds'])?.value ?? '0'
  const { secret } = await visit.api.change('post', '/v1/orgs/{id}/webhooks/{sub_id}/signing/rotate', {
    path: { sub_id: idOf(visit) },
    body: { overlap_seconds: Number(overlap) },
  })
  return secretOf(idOf(visit), secret, 'The secret is rotated')
}

/** The form that takes the code which a recipient of mail was sent. */
export async function confirmPage(visit: Visit, state: FormState = freshForm({ code: '' })): Promise<ConsolePage> {
  const { id, unconfirmed_recipients: waiting } = await readWebhook(visit)
  return formPage(visit, state, {
    title: 'Confirm an address',
    sub: `A code was mailed to ${waiting.join(', ')}. Whoever wants the alerts gives it to you.`,
    here: webhooksPath,
    action: `${webhooksPath}/${id}/confirm`,
    body: textField(state, { name: 'code', label: 'Code', hint: 'Begins with mail_.', isRequired: true }),
    submit: 'Confirm the address',
    cancel: `${webhooksPath}/${id}`,
  })
}

export async function confirmAddress(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  try {
    await visit.api.change('post', '/v1/orgs/{id}/mail-addresses/confirm', {
      body: { code: (values['code'] ?? '').trim() },
    })
    return `${webhooksPath}/${idOf(visit)}?done=confirmed`
  } catch (error) {
    return confirmPage(visit, refusedForm(error, values))
  }
}

/** The question before a webhook is deleted. */
export async function deleteWebhookPage(visit: Visit): Promise<ConsolePage> {
  const { id, url, health } = await readWebhook(visit)
  return questionPage(visit, {
    title: 'Delete this webhook?',
    here: webhooksPath,
    body: html`<p><b>${url}</b> receives nothing more, and ${health.pending} waiting deliveries are dropped.</p>`,
    action: `${webhooksPath}/${id}/delete`,
    submit: 'Delete the webhook',
    cancel: `${webhooksPath}/${id}`,
  })
}

export async function deleteWebhook(visit: Visit): Promise<string> {
  await visit.api.change('delete', '/v1/orgs/{id}/webhooks/{sub_id}', {
    path: { sub_id: idOf(visit) },
  })
  return webhooksPath
}
