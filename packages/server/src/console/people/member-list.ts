import type { Schemas } from '../api/api.ts'
import {
  type BadgeKind,
  badge,
  blank,
  type Column,
  code,
  counted,
  curl,
  html,
  linkButton,
  type Markup,
  note,
  nothing,
  pageHead,
  table,
} from '../components/components.ts'
import { type ConsolePage, filterForm, filtersOf, pager, pageSize, type Visit } from '../frame/frame.ts'
import { here, peopleTabs } from './people-tabs.ts'

type Member = Schemas['Member']

const states: Readonly<Record<string, readonly [string, BadgeKind]>> = {
  invited: ['Invited', 'info'],
  active: ['Active', ''],
  deactivated: ['Deactivated by the directory', 'warn'],
  removed: ['Removed', 'line'],
}

/** State of a member, in a word or two. */
export const memberBadge = ({ status }: Member): Markup => {
  const [text, kind] = states[status] ?? [status, '']
  return status === 'active' ? html`<span class="dim">${text}</span>` : badge(text, kind)
}

/** Name of a member: their address where no name is known. */
export const memberName = ({ name, email }: Pick<Member, 'name' | 'email'>): string => (name === '' ? email : name)

const columnsOf = ({ times, may }: Visit): readonly Column<Member>[] => [
  {
    name: 'Member',
    kind: 'wrapped',
    cell: (member) =>
      html`<a class="plain" href="${here}/${member.id}">${memberName(member)}</a>${member.name === '' ? nothing : html`<span class="sub">${member.email}</span>`}`,
  },
  { name: 'Role', label: 'Role', cell: ({ role }) => role },
  { name: 'State', kind: 'stt', cell: memberBadge },
  { name: 'From a directory', kind: 'gone', cell: ({ external_id }) => (external_id === null ? nothing : 'yes') },
  {
    name: 'Since',
    label: 'Since',
    kind: 'nowrap',
    cell: ({ accepted_at, created_at }) => times.time(accepted_at ?? created_at),
  },
  {
    name: 'Actions',
    isAction: true,
    cell: (member) =>
      may('members:write', 'admin') && member.status !== 'removed'
        ? html`${linkButton(`${here}/${member.id}/edit`, 'Change', { kind: 'sm quiet', of: memberName(member) })}${linkButton(`${here}/${member.id}/remove`, 'Remove', { kind: 'sm quiet', of: memberName(member) })}`
        : nothing,
  },
]

/** The list of members. */
export async function memberList(visit: Visit): Promise<ConsolePage> {
  const { api, address, query, may, org } = visit
  const filters = filtersOf(query, ['status', 'role', 'email'])
  const { data, next_cursor } = await api.get('/v1/orgs/{id}/members', {
    query: { ...filters, limit: pageSize, cursor: query.get('cursor') ?? undefined } as never,
  })
  const shown = filters.status === undefined ? data.filter(({ status }) => status !== 'removed') : data
  const isFiltered = Object.keys(filters).length > 0
  const invited = shown.filter(({ status }) => status === 'invited').length
  return {
    title: 'Members',
    here,
    body: html`${pageHead(
      'Members',
      `${counted(shown.length, 'member')}${next_cursor === null ? '' : ' on this page'}.${invited > 0 ? ` ${counted(invited, 'invitation waits', 'invitations wait')}.` : ''}`,
      may('members:write', 'admin')
        ? linkButton(`${here}/invite`, 'Invite somebody', { kind: 'primary', iconName: 'plus' })
        : nothing,
    )}${peopleTabs(visit, 'members')}${query.get('done') === 'removed' ? note('info', 'They were removed. Their sessions and keys have ended everywhere.') : nothing}${
      shown.length === 0 && !isFiltered
        ? html`${blank('Only keys so far', 'People who are members sign in under their own name, and the audit log names them.')}${code('Terminal', curl('POST', `/v1/orgs/${org.id}/members`, { email: 'ada@acme.example', role: 'admin' }), 'the command for an invitation')}`
        : html`${filterForm(address, [
            { name: 'email', label: 'E-mail', type: 'search' },
            {
              name: 'role',
              label: 'Role',
              choices: ['owner', 'admin', 'member', 'viewer'].map((role) => [role, role]),
            },
            {
              name: 'status',
              label: 'State',
              choices: Object.entries(states).map(([value, [text]]) => [value, text] as const),
            },
          ])}${shown.length === 0 ? blank('No member matches', 'Remove a filter to see more.', linkButton(here, 'All members', { kind: 'sm' })) : table(columnsOf(visit), shown, { kind: 'members', caption: 'Members' })}${pager(address, next_cursor)}`
    }`,
  }
}
