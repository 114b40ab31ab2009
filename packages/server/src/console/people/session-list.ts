import type { Schemas } from '../api/api.ts'
import {
  actionButton,
  badge,
  blank,
  type Column,
  counted,
  html,
  linkButton,
  note,
  nothing,
  pageHead,
  shortId,
  table,
} from '../components/components.ts'
import {
  addressWith,
  type ConsolePage,
  filterForm,
  filtersOf,
  pager,
  pageSize,
  part,
  type Visit,
} from '../frame/frame.ts'
import { memberName } from './member-list.ts'
import { here, peopleTabs } from './people-tabs.ts'

type Session = Schemas['Session']

const path = '/console/sessions'
const ways: Readonly<Record<string, string>> = {
  key: 'a key',
  link: 'a link',
  oidc: 'OpenID Connect',
  saml: 'SAML',
  passkey: 'a passkey',
}

const owner = ({ member_id, key_id }: Session, names: ReadonlyMap<string, string>) => {
  if (member_id !== null)
    return html`<a class="plain" href="${here}/${member_id}">${names.get(member_id) ?? shortId(member_id)}</a>`
  if (key_id === null) return 'unknown'
  return key_id.startsWith('key_')
    ? html`<a class="plain" href="/console/keys/${key_id}">${shortId(key_id)}</a>`
    : html`support ${shortId(key_id)}`
}

const columnsOf = ({ times, may, formKeys }: Visit, names: ReadonlyMap<string, string>): readonly Column<Session>[] => [
  { name: 'Who', kind: 'wrapped', cell: (session) => owner(session, names) },
  {
    name: 'Signed in',
    label: 'Signed in',
    cell: ({ created_at, way }) => html`${times.passed(created_at)} <span class="dim">with ${ways[way] ?? way}</span>`,
  },
  { name: 'Last used', label: 'Used', kind: 'nowrap', cell: ({ last_used_at }) => times.passed(last_used_at) },
  {
    name: 'From',
    kind: 'all wrapped',
    cell: ({ address, user_agent }) =>
      html`<span class="mono">${address}</span><span class="sub">${user_agent.length > 60 ? `${user_agent.slice(0, 60)}…` : user_agent}</span>`,
  },
  { name: 'Ends', label: 'Ends', kind: 'nowrap', cell: ({ expires_at }) => times.time(expires_at) },
  {
    name: 'Actions',
    isAction: true,
    cell: ({ id, status, is_current, address }) => {
      if (status !== 'active') return badge(status === 'revoked' ? 'Ended' : 'Expired')
      if (is_current) return html`<span class="dim">this one</span>`
      return may('keys:write', 'admin')
        ? actionButton(formKeys, `${path}/${id}/end`, 'End', { kind: 'sm quiet', of: `the session from ${address}` })
        : nothing
    },
  },
]

/** Sessions of the organization: who is signed in, from where, and a way to end each. */
export async function sessionList(visit: Visit): Promise<ConsolePage> {
  const { api, query, may } = visit
  const address = query.has('status') ? visit.address : addressWith(visit.address, { status: 'active' })
  const filters = filtersOf(new URL(address, 'http://weir.invalid').searchParams, ['status', 'key_id', 'member_id'])
  const [{ data, next_cursor }, members] = await Promise.all([
    api.get('/v1/orgs/{id}/sessions', {
      query: { ...filters, limit: pageSize, cursor: query.get('cursor') ?? undefined } as never,
    }),
    may('members:read', 'admin') ? part(api.get('/v1/orgs/{id}/members', { query: { limit: 200 } })) : undefined,
  ])
  const names = new Map(members?.value?.data.map((member) => [member.id, memberName(member)]))
  return {
    title: 'Sessions',
    here,
    body: html`${pageHead('Sessions', `${counted(data.length, 'session')}${next_cursor === null ? '' : ' on this page'}.`)}${peopleTabs(visit, 'sessions')}${query.get('done') === 'ended' ? note('info', 'The session has ended everywhere.') : nothing}${filterForm(
      address,
      [
        { name: 'member_id', label: 'Member', choices: [...names] },
        {
          name: 'status',
          label: 'State',
          choices: [
            ['active', 'Active'],
            ['revoked', 'Ended'],
            ['expired', 'Expired'],
          ],
        },
      ],
    )}${data.length === 0 ? blank('No session matches', 'Choose another member or state to see more.', linkButton(path, 'Active sessions', { kind: 'sm' })) : table(columnsOf(visit, names), data, { kind: 'sessions', caption: 'Sessions' })}${pager(address, next_cursor)}`,
  }
}

export async function endSession({ api, params }: Visit): Promise<string> {
  await api.change('post', '/v1/orgs/{id}/sessions/{session_id}/revoke', {
    path: { session_id: params['session_id'] ?? '' },
  })
  return `${path}?done=ended`
}
