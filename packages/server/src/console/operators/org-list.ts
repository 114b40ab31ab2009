import type { Schemas } from '../api/api.ts'
import {
  badge,
  blank,
  type Column,
  code,
  counted,
  curl,
  type FormState,
  freshForm,
  html,
  linkButton,
  nothing,
  pageHead,
  shortId,
  table,
  textField,
} from '../components/components.ts'
import {
  type ConsolePage,
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

type Org = Schemas['Org']

export const orgsPath = '/console/orgs'

/** State of an organization: suspended ones are refused. */
export const orgBadge = ({ status }: Org) =>
  status === 'suspended' ? badge('Suspended', 'loud', 'stop') : html`<span class="dim">Active</span>`

const columnsOf = ({ times }: Visit): readonly Column<Org>[] => [
  {
    name: 'Organization',
    kind: 'wrapped',
    cell: ({ id, name }) =>
      html`<a class="plain" href="${orgsPath}/${id}">${name}</a><span class="sub">${shortId(id)}</span>`,
  },
  { name: 'State', kind: 'stt', cell: (org) => orgBadge(org) },
  { name: 'Why', kind: 'all wrapped', cell: ({ suspension_reason }) => suspension_reason ?? nothing },
  { name: 'Time zone', label: 'Zone', cell: ({ timezone }) => timezone },
  { name: 'Since', label: 'Since', kind: 'nowrap', cell: ({ created_at }) => times.time(created_at) },
]

/** The table of organizations; suspended ones say why. */
export const orgTable = (visit: Visit, orgs: readonly Org[]) =>
  table(columnsOf(visit), orgs, { kind: 'orgs', caption: 'Organizations' })

/** The list of organizations of the installation. */
export async function orgList(visit: Visit): Promise<ConsolePage> {
  const { api, query, address, may } = visit
  const filters = filtersOf(query, ['status', 'name'])
  const { data, next_cursor } = await api.get('/v1/admin/orgs', {
    query: { ...filters, limit: pageSize, cursor: query.get('cursor') ?? undefined } as never,
  })
  const suspended = data.filter(({ status }) => status === 'suspended').length
  return {
    title: 'Organizations',
    here: orgsPath,
    body: html`${pageHead(
      'Organizations',
      `${counted(data.length, 'organization')}${next_cursor === null ? '' : ' on this page'}, ${suspended} suspended.`,
      may('admin:write', 'operator')
        ? linkButton(`${orgsPath}/new`, 'New organization', { kind: 'primary', iconName: 'plus' })
        : nothing,
    )}${filterForm(address, [
      { name: 'name', label: 'Name', type: 'search' },
      {
        name: 'status',
        label: 'State',
        choices: [
          ['active', 'Active'],
          ['suspended', 'Suspended'],
        ],
      },
    ])}${
      data.length > 0
        ? orgTable(visit, data)
        : html`${blank('No organization matches', 'An organization has its own keys, members, limits and ledger.')}${code('Terminal', curl('POST', '/v1/admin/orgs', { name: 'Acme' }), 'the command for an organization')}`
    }${pager(address, next_cursor)}`,
  }
}

const orgForm = (visit: Visit, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: 'New organization',
    sub: 'Its first owner’s key is shown once.',
    here: orgsPath,
    action: orgsPath,
    submit: 'Create and show the key',
    cancel: orgsPath,
    body: textField(state, { name: 'name', label: 'Name', isRequired: true }),
  })

export const newOrgPage = async (visit: Visit): Promise<ConsolePage> => orgForm(visit, freshForm({ name: '' }))

/** Creates an organization, and shows its owner's key once. */
export async function createOrg(visit: Visit, values: FormValues): Promise<ConsolePage> {
  try {
    const { id, name, owner_key } = await visit.api.change('post', '/v1/admin/orgs', {
      body: { name: values['name'] ?? '' },
    })
    return ownerKeyPage(id, name, owner_key.secret)
  } catch (error) {
    return orgForm(visit, refusedForm(error, values))
  }
}

/** The page that shows an owner's key of an organization. */
export const ownerKeyPage = (id: string, name: string, secret: string): ConsolePage =>
  secretPage({
    title: `The owner’s key of ${name}`,
    here: orgsPath,
    heading: 'Key',
    secret,
    body: html`<p>Hand it to the owner in a way that only they can read. It may do everything in <code>${id}</code>.</p>`,
    back: { href: `${orgsPath}/${id}`, text: 'I have copied it' },
  })
