import type { Schemas } from '../api/api.ts'
import {
  actionButton,
  badge,
  blank,
  type Column,
  counted,
  facts,
  html,
  linkButton,
  note,
  nothing,
  pageHead,
  section,
  table,
} from '../components/components.ts'
import { type ConsolePage, messageIn, pageSize, questionPage, type Visit } from '../frame/frame.ts'
import { readConnection } from './connection-form.ts'
import { claimRuleLines } from './rule-lines.ts'
import { here, path, settingsHead } from './settings-head.ts'

type Connection = Schemas['SsoConnection']

const kindText = (kind: string) => (kind === 'saml' ? 'SAML' : kind === 'oidc' ? 'OpenID Connect' : kind)
const stateBadge = ({ enabled }: Connection) => (enabled ? html`<span class="dim">On</span>` : badge('Off'))

const columns: readonly Column<Connection>[] = [
  { name: 'Provider', cell: ({ id, name }) => html`<a class="plain" href="${path}/connections/${id}">${name}</a>` },
  { name: 'Spoken to by', label: 'by', cell: ({ kind }) => kindText(kind) },
  { name: 'State', kind: 'stt', cell: stateBadge },
  { name: 'Makes members', label: 'Makes members', cell: ({ jit }) => (jit ? 'yes' : 'no') },
  { name: 'Where to sign in', kind: 'all wrapped', cell: ({ sign_in_url }) => html`<code>${sign_in_url}</code>` },
]

/** The list of connections to identity providers. */
export async function connectionList(visit: Visit): Promise<ConsolePage> {
  const { api, query, may } = visit
  const { data } = await api.get('/v1/orgs/{id}/sso-connections', {
    query: { limit: pageSize, cursor: query.get('cursor') ?? undefined } as never,
  })
  const mayChange = may('sso:write', 'owner')
  return {
    title: 'Sign-in',
    here,
    body: html`${settingsHead(
      visit,
      'connections',
      data.length === 0
        ? 'People sign in with links, passkeys and keys.'
        : `${counted(data.length, 'identity provider')}.`,
      mayChange
        ? linkButton(`${path}/connections/new`, 'Connect a provider', { kind: 'primary', iconName: 'plus' })
        : nothing,
    )}${query.get('done') === 'deleted' ? note('info', 'The connection is gone, and the sessions that were opened through it have ended.') : nothing}${
      data.length === 0
        ? blank(
            'No identity provider yet',
            'With one, people sign in where they sign in to everything else, and lose access the moment your company removes theirs.',
            mayChange ? linkButton(`${path}/connections/new`, 'Connect a provider', { kind: 'sm' }) : nothing,
          )
        : table(columns, data, { caption: 'Identity providers' })
    }`,
  }
}

const done: Readonly<Record<string, string>> = {
  created: 'Register the addresses below at the provider, then try it.',
  changed: 'The change is saved.',
}

/** One connection: what the provider must know about us, and what it may do. */
export async function connectionPage(visit: Visit, test?: Schemas['SsoConnectionTest']): Promise<ConsolePage> {
  const { may, query, formKeys, times } = visit
  const connection = await readConnection(visit)
  const { oidc, saml, service_provider: own } = connection
  const mayChange = may('sso:write', 'owner')
  const message = messageIn(done, query)
  const mono = (text: string) => html`<code>${text}</code>`
  return {
    title: connection.name,
    here,
    body: html`${pageHead(
      connection.enabled ? connection.name : html`${connection.name} ${stateBadge(connection)}`,
      kindText(connection.kind),
      mayChange ? linkButton(`${path}/connections/${connection.id}/edit`, 'Change', { kind: 'primary' }) : nothing,
      mayChange ? actionButton(formKeys, `${path}/connections/${connection.id}/test`, 'Try it', { kind: '' }) : nothing,
    )}${message === undefined ? nothing : note('info', message)}${test === undefined ? nothing : testNote(test)}${section(
      'What the provider must know',
      facts([
        ...(connection.redirect_uri === null ? [] : [['Redirect address', mono(connection.redirect_uri)] as const]),
        ...(own === null
          ? []
          : [
              ['Entity id (audience)', mono(own.entity_id)] as const,
              ['Address for answers (ACS)', mono(own.acs_url)] as const,
              ['Our metadata', mono(own.metadata_url)] as const,
            ]),
        ['Where people sign in', mono(connection.sign_in_url)],
      ]),
    )}${section(
      'What we know of the provider',
      facts([
        ...(oidc === null
          ? []
          : [
              ['Issuer', mono(oidc.issuer)] as const,
              ['Client id', mono(oidc.client_id)] as const,
              [
                'Client secret',
                oidc.client_secret_set_at === null
                  ? 'none'
                  : html`entered ${times.passed(oidc.client_secret_set_at)}, never shown`,
              ] as const,
            ]),
        ...(saml === null
          ? []
          : [
              ['Entity id', mono(saml.entity_id)] as const,
              ['Sign-on address', mono(saml.sso_url)] as const,
              ['Certificates', String(saml.certificates.length)] as const,
            ]),
      ]),
    )}${section(
      'Who is let in',
      facts([
        [
          'Rules',
          connection.role_rules.length === 0
            ? 'none'
            : html`<pre class="mono">${claimRuleLines(connection.role_rules)}</pre>`,
        ],
        ['Where no rule holds', connection.default_role ?? 'they may not come in'],
        ['Makes members of people who sign in', connection.jit ? 'yes, of proved domains' : 'no'],
      ]),
    )}${mayChange ? html`<div class="actions gap">${linkButton(`${path}/connections/${connection.id}/delete`, 'Delete', { kind: 'danger', of: connection.name })}</div>` : nothing}`,
  }
}

const testNote = ({ ok, message, issuer }: Schemas['SsoConnectionTest']) =>
  ok
    ? note('info', html`The provider answers${issuer === null ? nothing : html` as <code>${issuer}</code>`}.`)
    : note('stop', html`<b class="t-stop">The provider does not work yet.</b> ${message ?? ''}`)

/** Asks the provider whether its settings work, and shows what came of it. */
export async function testConnection(visit: Visit): Promise<ConsolePage> {
  const test = await visit.api.change('post', '/v1/orgs/{id}/sso-connections/{connection_id}/test', {
    path: { connection_id: visit.params['connection_id'] ?? '' },
  })
  return connectionPage(visit, test)
}

/** The question before a connection is deleted. */
export async function deleteConnectionPage(visit: Visit): Promise<ConsolePage> {
  const connection = await readConnection(visit)
  return questionPage(visit, {
    title: `Delete ${connection.name}?`,
    here,
    body: html`<p>Nobody signs in through it any more, and the sessions that were opened through it end. Members stay. This cannot be undone; turning it off can.</p>`,
    action: `${path}/connections/${connection.id}/delete`,
    submit: 'Delete the connection',
    cancel: `${path}/connections/${connection.id}`,
  })
}

export async function deleteConnection({ api, params }: Visit): Promise<string> {
  await api.change('delete', '/v1/orgs/{id}/sso-connections/{connection_id}', {
    path: { connection_id: params['connection_id'] ?? '' },
  })
  return `${path}?done=deleted`
}
