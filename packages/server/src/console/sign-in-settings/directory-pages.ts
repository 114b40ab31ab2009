import type { Schemas } from '../api/api.ts'
import {
  blank,
  type Column,
  type FormState,
  facts,
  freshForm,
  html,
  linkButton,
  note,
  nothing,
  section,
  selectField,
  table,
  textArea,
  textField,
} from '../components/components.ts'
import {
  type ConsolePage,
  type FormValues,
  formPage,
  messageIn,
  part,
  questionPage,
  refusedForm,
  secretPage,
  shown,
  type Visit,
} from '../frame/frame.ts'
import { groupRuleLines, readGroupRules } from './rule-lines.ts'
import { here, path, settingsHead } from './settings-head.ts'

type ScimToken = Schemas['ScimToken']
type MemberRole = Schemas['MemberInput']['role']

const directoryPath = `${path}/directory`

const columnsOf = ({ times, may }: Visit): readonly Column<ScimToken>[] => [
  { name: 'Token', kind: 'wrapped', cell: ({ name }) => name },
  { name: 'Made', label: 'Made', cell: ({ created_at }) => times.time(created_at) },
  {
    name: 'Last used',
    label: 'Used',
    cell: ({ last_used_at }) => (last_used_at === null ? 'never' : times.passed(last_used_at)),
  },
  {
    name: 'Actions',
    isAction: true,
    cell: ({ id, name }) =>
      may('sso:write', 'owner')
        ? linkButton(`${directoryPath}/tokens/${id}/revoke`, 'Revoke', { kind: 'sm quiet', of: name })
        : nothing,
  },
]

const done: Readonly<Record<string, string>> = {
  revoked: 'The directory can no longer use the token.',
  roles: 'The roles are saved. They bind members whom the directory keeps.',
}

/** The directory that keeps members: its tokens, and roles by its groups. */
export async function directoryPage(visit: Visit): Promise<ConsolePage> {
  const { api, may, query } = visit
  const [tokens, roles] = await Promise.all([
    part(api.get('/v1/orgs/{id}/scim-tokens', { query: { status: 'active', limit: 100 } })),
    part(api.get('/v1/orgs/{id}/directory-roles')),
  ])
  const mayChange = may('sso:write', 'owner')
  const message = messageIn(done, query)
  return {
    title: 'Directory',
    here,
    body: html`${settingsHead(
      visit,
      'directory',
      'A directory such as Okta or Microsoft Entra ID keeps members by SCIM.',
      mayChange
        ? linkButton(`${directoryPath}/tokens/new`, 'New token', { kind: 'primary', iconName: 'plus' })
        : nothing,
    )}${message === undefined ? nothing : note('info', message)}${section(
      'Tokens',
      shown(tokens, visit, ({ data }) =>
        data.length === 0
          ? blank('No directory yet', 'With a token your directory adds, changes and removes members by itself.')
          : table(columnsOf(visit), data, { caption: 'Tokens of directories' }),
      ),
    )}${section(
      'Roles by groups',
      shown(roles, visit, ({ rules, default_role }) =>
        facts([
          ['Rules', rules.length === 0 ? 'none' : html`<pre class="mono">${groupRuleLines(rules)}</pre>`],
          ['In no such group', default_role],
        ]),
      ),
      mayChange ? linkButton(`${directoryPath}/roles`, 'Change', { kind: 'sm', of: 'roles by groups' }) : nothing,
    )}`,
  }
}

const tokenForm = (visit: Visit, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: 'New directory token',
    sub: 'Its secret is shown once, with the address for the directory.',
    here,
    action: `${directoryPath}/tokens`,
    submit: 'Create and show it',
    cancel: directoryPath,
    body: textField(state, { name: 'name', label: 'Name', isRequired: true, hint: 'Such as Okta production.' }),
  })

export const newTokenPage = async (visit: Visit): Promise<ConsolePage> => tokenForm(visit, freshForm({ name: '' }))

export async function createToken(visit: Visit, values: FormValues): Promise<ConsolePage> {
  try {
    const token = await visit.api.change('post', '/v1/orgs/{id}/scim-tokens', {
      body: { name: values['name'] ?? '' },
    })
    return secretPage({
      title: `The token ${token.name}`,
      here,
      heading: 'Token',
      secret: token.secret,
      body: html`<p>Address for the directory: <code>${token.base_url}</code></p>`,
      back: { href: directoryPath, text: 'I have copied it' },
    })
  } catch (error) {
    return tokenForm(visit, refusedForm(error, values))
  }
}

/** The question before a token is revoked. */
export async function revokeTokenPage(visit: Visit): Promise<ConsolePage> {
  const { api, params, times } = visit
  const token = await api.get('/v1/orgs/{id}/scim-tokens/{scim_token_id}', {
    path: { scim_token_id: params['scim_token_id'] ?? '' },
  })
  return questionPage(visit, {
    title: `Revoke ${token.name}?`,
    here,
    body: html`<p>The directory that uses it can no longer add, change or remove members: whoever leaves the company stays a member until another token is entered there. ${token.last_used_at === null ? 'It was never used.' : html`It was last used ${times.passed(token.last_used_at)}.`}</p>`,
    action: `${directoryPath}/tokens/${token.id}/revoke`,
    submit: 'Revoke the token',
    cancel: directoryPath,
  })
}

export async function revokeToken({ api, params }: Visit): Promise<string> {
  await api.change('post', '/v1/orgs/{id}/scim-tokens/{scim_token_id}/revoke', {
    path: { scim_token_id: params['scim_token_id'] ?? '' },
  })
  return `${directoryPath}?done=revoked`
}

const rolesForm = (visit: Visit, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: 'Roles by groups',
    sub: 'Members whom the directory keeps have the role of the first rule whose group they are in.',
    here,
    action: `${directoryPath}/roles`,
    submit: 'Save roles',
    cancel: directoryPath,
    body: html`<div class="all">${textArea(state, { name: 'rules', label: 'Rules', rows: 6, isCode: true, isOptional: true, hint: 'One a line: weir-admins -> admin' })}</div>${selectField(
      state,
      {
        name: 'default_role',
        label: 'In no such group',
        choices: ['viewer', 'member', 'admin', 'owner'].map((value) => ({ value, text: value })),
      },
    )}`,
  })

export async function rolesPage(visit: Visit): Promise<ConsolePage> {
  const { rules, default_role } = await visit.api.get('/v1/orgs/{id}/directory-roles')
  return rolesForm(visit, freshForm({ rules: groupRuleLines(rules), default_role }))
}

export async function changeRoles(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const rules = readGroupRules(values['rules'] ?? '')
  if (!rules)
    return rolesForm(visit, { values, faults: { rules: 'Write each rule on a line of its own: weir-admins -> admin' } })
  try {
    await visit.api.change('put', '/v1/orgs/{id}/directory-roles', {
      body: { rules, default_role: (values['default_role'] ?? 'viewer') as MemberRole },
    })
    return `${directoryPath}?done=roles`
  } catch (error) {
    return rolesForm(visit, refusedForm(error, values))
  }
}
