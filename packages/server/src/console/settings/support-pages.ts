import { actionButton, blank, type Column, counted, html, nothing, shortId, table } from '../components/components.ts'
import { type ConsolePage, pager, pageSize, type Visit } from '../frame/frame.ts'
import { endColumn, type SupportGrant, scopeColumn, stateColumn } from '../grant-parts/grant-parts.ts'
import { path, settingsHead } from './settings-tabs.ts'

const supportPath = `${path}/support`

const columnsOf = ({ times, may, formKeys }: Visit): readonly Column<SupportGrant>[] => [
  {
    name: 'Reason',
    kind: 'wrapped',
    cell: ({ reason, operator_key_id }) => html`${reason}<span class="sub">operator ${shortId(operator_key_id)}</span>`,
  },
  scopeColumn,
  stateColumn('Has access', 'warn'),
  { name: 'From', label: 'From', kind: 'nowrap', cell: ({ created_at }) => times.time(created_at) },
  endColumn(times),
  {
    name: 'Actions',
    isAction: true,
    cell: ({ id, status, reason }) =>
      status === 'active' && may('support:write', 'admin')
        ? actionButton(formKeys, `${supportPath}/${id}/end`, 'End access', { kind: 'sm danger', of: reason })
        : nothing,
  },
]

/** Operators with access to the organization: who, why, and a way to end it. */
export async function supportPage(visit: Visit): Promise<ConsolePage> {
  const { api, query, address } = visit
  const { data, next_cursor } = await api.get('/v1/orgs/{id}/support-grants', {
    query: { limit: pageSize, sort: '-created_at', cursor: query.get('cursor') ?? undefined } as never,
  })
  const inside = data.filter(({ status }) => status === 'active').length
  return {
    title: 'Support access',
    here: path,
    body: html`${settingsHead(
      visit,
      'support',
      inside === 0
        ? 'Nobody from the installation has access.'
        : `${counted(inside, 'operator has', 'operators have')} access now. All that they do is on your audit log.`,
    )}${
      data.length === 0
        ? blank(
            'Nobody has had access',
            'When you ask for help, those who run the installation get access for a while, with a reason. You see it here and can end it.',
          )
        : html`${table(columnsOf(visit), data, { caption: 'Support access' })}${pager(address, next_cursor)}`
    }`,
  }
}

export async function endSupport({ api, params }: Visit): Promise<string> {
  await api.change('post', '/v1/orgs/{id}/support-grants/{grant_id}/revoke', {
    path: { grant_id: params['grant_id'] ?? '' },
  })
  return `${supportPath}?done=ended`
}
