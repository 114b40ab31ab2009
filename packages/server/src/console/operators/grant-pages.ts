import type { Schemas } from '../api/api.ts'
import {
  actionButton,
  blank,
  type Column,
  counted,
  type FormState,
  freshForm,
  html,
  linkButton,
  note,
  nothing,
  optionField,
  pageHead,
  selectField,
  shortId,
  table,
  textField,
} from '../components/components.ts'
import {
  type ConsolePage,
  countIn,
  type FormValues,
  filterForm,
  filtersOf,
  formPage,
  pager,
  pageSize,
  refusedForm,
  secretPage,
  type Visit,
} from '../frame/frame.ts'
import { endColumn, type SupportGrant, scopeColumn, stateColumn } from '../grant-parts/grant-parts.ts'
import { orgsPath } from './org-list.ts'

const path = '/console/support-grants'

const columnsOf = ({ times, may, formKeys }: Visit): readonly Column<SupportGrant>[] => [
  {
    name: 'Organization',
    cell: ({ org_id }) => html`<a class="plain" href="${orgsPath}/${org_id}">${shortId(org_id)}</a>`,
  },
  { name: 'Reason', kind: 'all wrapped', cell: ({ reason }) => reason },
  scopeColumn,
  stateColumn('Active', 'info'),
  { name: 'By', kind: 'gone', cell: ({ operator_key_id }) => shortId(operator_key_id) },
  endColumn(times),
  {
    name: 'Actions',
    isAction: true,
    cell: ({ id, status, reason }) =>
      status === 'active' && may('admin:write', 'operator')
        ? actionButton(formKeys, `${path}/${id}/revoke`, 'End', { kind: 'sm quiet', of: reason })
        : nothing,
  },
]

/** The list of support grants: operators inside organizations. */
export async function grantList(visit: Visit): Promise<ConsolePage> {
  const { api, query, address, may } = visit
  const filters = filtersOf(query, ['status', 'org_id'])
  const { data, next_cursor } = await api.get('/v1/admin/support-grants', {
    query: { sort: '-created_at', ...filters, limit: pageSize, cursor: query.get('cursor') ?? undefined } as never,
  })
  const active = data.filter(({ status }) => status === 'active').length
  return {
    title: 'Support access',
    here: path,
    body: html`${pageHead(
      'Support access',
      active === 0 ? 'Nobody is inside an organization.' : `${counted(active, 'grant')} active.`,
      may('admin:write', 'operator')
        ? linkButton(`${path}/new`, 'New access', { kind: 'primary', iconName: 'plus' })
        : nothing,
    )}${query.get('done') === 'ended' ? note('info', 'The access has ended everywhere.') : nothing}${filterForm(
      address,
      [
        { name: 'org_id', label: 'Organization id', type: 'search' },
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
    )}${data.length === 0 ? blank('No access was given', 'To help an organization, give yourself access to it for a while. It sees who, why and until when, and can end it.') : table(columnsOf(visit), data, { caption: 'Support access' })}${pager(address, next_cursor)}`,
  }
}

const durations = [
  { value: '3600', text: '1 hour' },
  { value: '14400', text: '4 hours' },
  { value: '86400', text: '1 day' },
  { value: '604800', text: '7 days' },
]

const grantForm = (visit: Visit, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: 'New support access',
    sub: 'The organization sees it with its reason, and everything done with it is on its audit log.',
    here: path,
    action: path,
    submit: 'Give access and show the token',
    cancel: path,
    body: html`${textField(state, { name: 'org_id', label: 'Organization id', isRequired: true, hint: 'org_…' })}${selectField(state, { name: 'duration_seconds', label: 'For', choices: durations })}${textField(state, { name: 'reason', label: 'Reason', isRequired: true, hint: 'The organization reads it. Such as: Ticket 4711, wrong budget.' })}${optionField(
      state,
      {
        name: 'scope',
        label: 'May',
        choices: [
          { value: 'read', text: 'Read', consequence: 'Nothing can be changed.' },
          { value: 'billing', text: 'Billing', consequence: 'Also limits and plans.' },
          {
            value: 'configuration',
            text: 'Configuration',
            consequence: 'All but keys, support, the audit export, signing secrets and runs.',
          },
        ],
      },
    )}`,
  })

export const newGrantPage = async (visit: Visit): Promise<ConsolePage> =>
  grantForm(
    visit,
    freshForm({ org_id: visit.query.get('org_id') ?? '', reason: '', scope: 'read', duration_seconds: '3600' }),
  )

/** Gives access to an organization, and shows the token once. */
export async function createGrant(visit: Visit, values: FormValues): Promise<ConsolePage> {
  try {
    const grant = await visit.api.change('post', '/v1/admin/support-grants', {
      body: {
        org_id: (values['org_id'] ?? '').trim(),
        reason: values['reason'] ?? '',
        scope: (values['scope'] ?? 'read') as Schemas['GrantInput']['scope'],
        duration_seconds: countIn(values['duration_seconds']) as number,
      },
    })
    return secretPage({
      title: 'Support access',
      here: path,
      heading: 'Token',
      secret: grant.token,
      body: html`<p>It works in <code>${grant.org_id}</code> until ${visit.times.long(grant.expires_at)}. Sign in with it in another browser window, or send it as a key.</p>`,
      back: { href: path, text: 'I have copied it' },
    })
  } catch (error) {
    return grantForm(visit, refusedForm(error, values))
  }
}

export async function revokeGrant({ api, params }: Visit): Promise<string> {
  await api.change('post', '/v1/admin/support-grants/{grant_id}/revoke', {
    path: { grant_id: params['grant_id'] ?? '' },
  })
  return `${path}?done=ended`
}
