import type { Schemas } from '../api/api.ts'
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
import { type ConsolePage, type FormValues, formPage, refusedForm, type Visit } from '../frame/frame.ts'
import { claimRuleLines, readClaimRules } from './rule-lines.ts'
import { here, path } from './settings-head.ts'

type Connection = Schemas['SsoConnection']
type Kind = 'oidc' | 'saml'

const kindOf = (text: string | undefined | null): Kind => (text === 'saml' ? 'saml' : 'oidc')
const kindNames = { oidc: 'OpenID Connect', saml: 'SAML' } as const
const ruleFault = 'Write each rule on a line of its own: groups = weir-admins, sre -> admin'

/** Fields of the form by their names in the API. */
const names = {
  'oidc.issuer': 'issuer',
  'oidc.client_id': 'client_id',
  'oidc.client_secret': 'client_secret',
  'saml.metadata_xml': 'metadata_xml',
  'saml.metadata_url': 'metadata_url',
  'saml.entity_id': 'entity_id',
  'saml.sso_url': 'sso_url',
  'saml.certificates': 'certificates',
  'saml.email_attribute': 'email_attribute',
} as const

const oidcFields = (state: FormState, isNew: boolean): Markup =>
  html`${textField(state, { name: 'issuer', label: 'Issuer', type: 'url', isRequired: true, hint: 'As the provider shows it, such as https://login.example.com' })}${textField(state, { name: 'client_id', label: 'Client id', isRequired: true })}${textField(
    state,
    {
      name: 'client_secret',
      label: 'Client secret',
      type: 'password',
      isOptional: true,
      hint: isNew ? 'It is stored sealed and never shown.' : 'Empty: the one that there is stays.',
    },
  )}`

const samlFields = (state: FormState): Markup =>
  html`<div class="all">${textArea(state, { name: 'metadata_xml', label: 'Metadata of the provider', rows: 5, isCode: true, isOptional: true, hint: 'As it exports it. It has all of the fields below.' })}</div>${textField(state, { name: 'metadata_url', label: 'or the address of the metadata', type: 'url', isOptional: true })}${textField(state, { name: 'email_attribute', label: 'Attribute with the e-mail address', isOptional: true, hint: 'Empty for the usual ones.' })}${textField(state, { name: 'entity_id', label: 'Entity id', isOptional: true })}${textField(state, { name: 'sso_url', label: 'Sign-on address', type: 'url', isOptional: true })}<div class="all">${textArea(state, { name: 'certificates', label: 'Certificates', rows: 5, isCode: true, isOptional: true, hint: 'One after another, as PEM. All of them hold, so that a new one can be entered before the old one goes.' })}</div>`

const commonFields = (state: FormState): Markup =>
  html`<div class="all">${textArea(state, { name: 'role_rules', label: 'Roles by what the provider says', rows: 3, isCode: true, isOptional: true, hint: 'One rule a line, the first that holds counts: groups = weir-admins, sre -> admin' })}</div>${selectField(
    state,
    {
      name: 'default_role',
      label: 'Role where no rule holds',
      choices: [
        { value: '', text: 'They may not come in' },
        ...['viewer', 'member', 'admin', 'owner'].map((value) => ({ value, text: value })),
      ],
    },
  )}<div>${checkField(state, { name: 'jit', label: 'Make members of people who sign in', hint: 'Their e-mail address must be of a domain that you have proved.' })}${checkField(state, { name: 'enabled', label: 'On', hint: 'Turning it off ends the sessions that were opened through it.' })}</div>`

const fieldsOf = (kind: Kind, state: FormState, isNew: boolean): Markup =>
  html`${textField(state, { name: 'name', label: 'Name', isRequired: true, hint: 'Such as Okta.' })}${kind === 'oidc' ? oidcFields(state, isNew) : samlFields(state)}${commonFields(state)}`

const certificatesIn = (text: string): string[] =>
  [...text.matchAll(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs)].map(([one]) => one)

/** Returns what the form says, as the API takes it. */
function bodyOf(kind: Kind, values: FormValues, rules: Schemas['SsoConnectionInput']['role_rules']) {
  const given = (name: string) => {
    const value = (values[name] ?? '').trim()
    return value === '' ? {} : { [name]: value }
  }
  const certificates = certificatesIn(values['certificates'] ?? '')
  const hasMetadata = (values['metadata_xml'] ?? '').trim() !== ''
  const defaultRole = values['default_role'] ?? ''
  return {
    name: values['name'] ?? '',
    ...(kind === 'oidc'
      ? {
          oidc: {
            issuer: (values['issuer'] ?? '').trim(),
            client_id: (values['client_id'] ?? '').trim(),
            ...given('client_secret'),
          },
        }
      : {
          saml: {
            ...given('metadata_xml'),
            ...given('email_attribute'),
            ...given('metadata_url'),
            ...(hasMetadata
              ? {}
              : { ...given('entity_id'), ...given('sso_url'), ...(certificates.length > 0 && { certificates }) }),
          },
        }),
    role_rules: rules ?? [],
    default_role: defaultRole === '' ? null : (defaultRole as Schemas['MemberInput']['role']),
    jit: values['jit'] === 'true',
    enabled: values['enabled'] === 'true',
  }
}

/** The form for a connection to an identity provider. */
export const newConnectionPage = (visit: Visit, state: FormState): ConsolePage => {
  const kind = kindOf(state.values['kind'])
  return formPage(visit, state, {
    title: `Connect by ${kindNames[kind]}`,
    sub:
      kind === 'oidc'
        ? html`The next page shows the address to register at the provider. <a href="?kind=saml">Use SAML instead</a>`
        : html`The next page shows the addresses to register at the provider. <a href="?kind=oidc">Use OpenID Connect instead</a>`,
    here,
    action: `${path}/connections`,
    submit: 'Connect',
    cancel: path,
    body: html`<input type="hidden" name="kind" value="${kind}">${fieldsOf(kind, state, true)}`,
  })
}

export const freshConnection = (query: URLSearchParams): FormState =>
  freshForm({ kind: kindOf(query.get('kind')), enabled: 'true', default_role: 'viewer' })

/** Creates a connection by the form. */
export async function createConnection(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const kind = kindOf(values['kind'])
  const rules = readClaimRules(values['role_rules'] ?? '')
  if (!rules) return newConnectionPage(visit, { values, faults: { role_rules: ruleFault } })
  try {
    const connection = await visit.api.change('post', '/v1/orgs/{id}/sso-connections', {
      body: { kind, ...bodyOf(kind, values, rules) },
    })
    return `${path}/connections/${connection.id}?done=created`
  } catch (error) {
    return newConnectionPage(visit, refusedForm(error, values, names))
  }
}

export const readConnection = ({ api, params }: Visit): Promise<Connection> =>
  api.get('/v1/orgs/{id}/sso-connections/{connection_id}', { path: { connection_id: params['connection_id'] ?? '' } })

const changeForm = (visit: Visit, connection: Connection, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: `Change ${connection.name}`,
    here,
    action: `${path}/connections/${connection.id}/edit`,
    submit: 'Save changes',
    cancel: `${path}/connections/${connection.id}`,
    body: fieldsOf(kindOf(connection.kind), state, false),
  })

/** The form that changes a connection. */
export async function changeConnectionPage(visit: Visit): Promise<ConsolePage> {
  const connection = await readConnection(visit)
  const { oidc, saml } = connection
  return changeForm(
    visit,
    connection,
    freshForm({
      name: connection.name,
      issuer: oidc?.issuer ?? '',
      client_id: oidc?.client_id ?? '',
      entity_id: saml?.entity_id ?? '',
      sso_url: saml?.sso_url ?? '',
      certificates: saml?.certificates.join('\n') ?? '',
      email_attribute: saml?.email_attribute ?? '',
      metadata_url: saml?.metadata_url ?? '',
      role_rules: claimRuleLines(connection.role_rules),
      default_role: connection.default_role ?? '',
      jit: String(connection.jit),
      enabled: String(connection.enabled),
    }),
  )
}

export async function changeConnection(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const connection = await readConnection(visit)
  const rules = readClaimRules(values['role_rules'] ?? '')
  if (!rules) return changeForm(visit, connection, { values, faults: { role_rules: ruleFault } })
  try {
    await visit.api.change('patch', '/v1/orgs/{id}/sso-connections/{connection_id}', {
      path: { connection_id: connection.id },
      body: bodyOf(kindOf(connection.kind), values, rules),
    })
    return `${path}/connections/${connection.id}?done=changed`
  } catch (error) {
    return changeForm(visit, connection, refusedForm(error, values, names))
  }
}
