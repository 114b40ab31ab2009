import { ApiFault, type Schemas } from '../api/api.ts'
import {
  actionButton,
  badge,
  type Column,
  checkField,
  code,
  type FormState,
  facts,
  form,
  freshForm,
  html,
  linkButton,
  type Markup,
  note,
  nothing,
  section,
  table,
  textField,
} from '../components/components.ts'
import {
  type ConsolePage,
  type FormValues,
  formStatus,
  messageIn,
  pageSize,
  part,
  questionPage,
  refusedForm,
  shown,
  type Visit,
} from '../frame/frame.ts'
import { path, settingsHead } from './settings-tabs.ts'

export const slackPath = `${path}/slack`

type App = Schemas['SlackAppOrNotSet']
type Link = Schemas['SlackLink']

const done: Readonly<Record<string, string>> = {
  set: 'Saved. Try it, so that people can link themselves in the channel.',
  removed: 'Removed. Nothing is told or decided in Slack any more.',
  unlinked: 'This Slack user decides nothing any more.',
}

const readApp = ({ api }: Visit): Promise<App> => api.get('/v1/orgs/{id}/slack-app')

/** The Slack app: its manifest, its secrets, its channel, and the people whom it knows. */
export async function slackPage(visit: Visit, state?: FormState, test?: Schemas['SlackAppTest']): Promise<ConsolePage> {
  const { api, query, may } = visit
  const [app, manifest, links] = await Promise.all([
    readApp(visit),
    api.get('/v1/orgs/{id}/slack-app/manifest'),
    part(api.get('/v1/orgs/{id}/slack-links', { query: { limit: pageSize } })),
  ])
  const message = messageIn(done, query)
  const values = state ?? freshForm({ channel: app.channel ?? '', enabled: app.enabled === false ? '' : 'true' })
  return {
    title: 'Slack',
    here: path,
    status: state === undefined ? 200 : formStatus(state),
    body: html`${settingsHead(visit, 'slack', html`What needs approval is told in a channel, and decided there. <a href="/docs/approvals#in-slack">How it works</a>`)}${
      message === undefined ? nothing : note('info', message)
    }${test === undefined ? nothing : testNote(test)}${standing(visit, app)}<div class="grid gap16"><div class="w7">${
      may('sso:write', 'owner')
        ? section(app.created_at === null ? 'Then enter what Slack shows' : 'Change', appForm(visit, app, values))
        : section('Change', html`<p class="gap16">An owner sets the app up.</p>`)
    }</div><div class="w5">${section(
      app.created_at === null ? 'First make the app in Slack' : 'Its manifest',
      html`<p class="gap16">At <b>api.slack.com/apps</b>: Create New App, From a manifest, JSON. Then Install to Workspace.</p>${code(
        'Manifest',
        JSON.stringify(manifest, null, 2),
        'the manifest',
      )}`,
    )}</div></div>${shown(links, visit, ({ data }) => linkSection(visit, data))}`,
  }
}

const testNote = ({ ok, fault, message, team }: Schemas['SlackAppTest']): Markup =>
  ok
    ? note('info', `A message is in the channel${team === null ? '' : ` of ${team}`}. Press “Link me” there.`)
    : note('stop', html`<b class="t-stop">Slack did not take a message:</b> ${message ?? fault ?? ''}`)

function standing(visit: Visit, app: App): Markup {
  const { may, formKeys, times } = visit
  if (app.created_at === null || app.signing_secret_set_at === null || app.bot_token_set_at === null) return html``
  return section(
    'In effect',
    html`${facts([
      ['State', app.enabled === true ? 'On' : badge('Off')],
      ['Channel', html`<code>${app.channel}</code>`],
      ['Signing secret', html`entered ${times.passed(app.signing_secret_set_at)}, never shown`],
      ['Bot token', html`entered ${times.passed(app.bot_token_set_at)}, never shown`],
      ...(app.fault === null ? [] : [['Slack last refused', html`<code>${app.fault}</code>`] as const]),
    ])}<div class="actions gap16">${
      may('sso:write', 'admin')
        ? actionButton(formKeys, `${slackPath}/test`, 'Send a test message', { kind: 'primary' })
        : nothing
    }${may('sso:write', 'owner') ? linkButton(`${slackPath}/remove`, 'Remove the app', { kind: 'danger' }) : nothing}</div>`,
  )
}

const appForm = (visit: Visit, app: App, state: FormState): Markup => {
  const isNew = app.created_at === null
  const kept = isNew ? {} : { isOptional: true }
  const hint = (where: string) => `${where}.${isNew ? '' : ' Empty: the one that is stored stays.'}`
  return form(
    visit.formKeys,
    slackPath,
    state,
    html`${textField(state, { name: 'signing_secret', label: 'Signing secret', type: 'password', hint: hint('Basic Information, App Credentials'), ...kept })}${textField(
      state,
      {
        name: 'bot_token',
        label: 'Bot token',
        type: 'password',
        hint: hint('OAuth & Permissions, Bot User OAuth Token; it begins with xoxb-'),
        ...kept,
      },
    )}${textField(state, { name: 'channel', label: 'Channel', hint: 'Its id, such as C0123456789, at the end of “View channel details”. Then write /invite @Weir in it.', isRequired: true })}${checkField(state, { name: 'enabled', label: 'Tell and take decisions in Slack' })}`,
    { submit: 'Save', kind: 'primary' },
  )
}

const columnsOf = ({ times, may, formKeys }: Visit): readonly Column<Link>[] => [
  {
    name: 'Slack user',
    cell: ({ slack_user_name, slack_user_id }) => html`${slack_user_name}<span class="sub">${slack_user_id}</span>`,
  },
  {
    name: 'Decides as',
    label: 'Decides as',
    cell: ({ member_id }) => html`<a href="/console/members/${member_id}"><code>${member_id}</code></a>`,
  },
  { name: 'Since', label: 'Since', cell: ({ created_at }) => times.time(created_at) },
  {
    name: 'Actions',
    isAction: true,
    cell: ({ id, slack_user_name }) =>
      may('members:write', 'admin')
        ? actionButton(formKeys, `${slackPath}/links/${id}/end`, 'End the link', {
            kind: 'sm danger',
            of: slack_user_name,
          })
        : nothing,
  },
]

const linkSection = (visit: Visit, links: readonly Link[]): Markup =>
  section(
    'People in Slack',
    links.length === 0
      ? html`<p class="dim gap16">Nobody is linked yet. Whoever presses a button in the channel is offered it.</p>`
      : table(columnsOf(visit), links, { caption: 'Slack users who are members' }),
  )

export async function changeSlack(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const given = (name: 'signing_secret' | 'bot_token') => {
    const text = values[name]?.trim() ?? ''
    return text === '' ? {} : { [name]: text }
  }
  try {
    await visit.api.change('put', '/v1/orgs/{id}/slack-app', {
      body: {
        channel: values['channel']?.trim() ?? '',
        enabled: values['enabled'] === 'true',
        ...given('signing_secret'),
        ...given('bot_token'),
      },
    })
    return `${slackPath}?done=set`
  } catch (error) {
    return slackPage(visit, refusedForm(error, values))
  }
}

/** Tries the app, and shows what Slack said. */
export async function testSlack(visit: Visit): Promise<ConsolePage> {
  return slackPage(visit, undefined, await visit.api.change('post', '/v1/orgs/{id}/slack-app/test'))
}

/** The question before the app is removed. */
export const removeSlackPage = async (visit: Visit): Promise<ConsolePage> =>
  questionPage(visit, {
    title: 'Remove the Slack app?',
    here: path,
    body: html`<p>Nothing is told or decided in Slack any more, and every link of a Slack user ends. Messages that are there stay as they are. Turning the app off keeps the links.</p>`,
    action: `${slackPath}/remove`,
    submit: 'Remove the app',
    cancel: slackPath,
  })

export async function removeSlack({ api }: Visit): Promise<string> {
  await api.change('delete', '/v1/orgs/{id}/slack-app')
  return `${slackPath}?done=removed`
}

export async function endSlackLink({ api, params }: Visit): Promise<string> {
  await api
    .change('delete', '/v1/orgs/{id}/slack-links/{slack_link_id}', {
      path: { slack_link_id: params['slack_link_id'] ?? '' },
    })
    .catch((error: unknown) => {
      // Somebody else was faster.
      if (!(error instanceof ApiFault) || error.status !== 404) throw error
    })
  return `${slackPath}?done=unlinked`
}
