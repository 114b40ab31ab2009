import type { Schemas } from '../api/api.ts'
import {
  badge,
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
  questionPage,
  refusedForm,
  secretPage,
  type Visit,
} from '../frame/frame.ts'

type Key = Schemas['Key']

const path = '/console/operator-keys'

const columnsOf = ({ times, may }: Visit): readonly Column<Key>[] => [
  { name: 'Key', kind: 'wrapped', cell: ({ id, name }) => html`${name}<span class="sub">${shortId(id)}</span>` },
  { name: 'May', label: 'May', cell: ({ scopes }) => (scopes.includes('admin:write') ? 'read and change' : 'read') },
  {
    name: 'Last used',
    label: 'Used',
    cell: ({ last_used_at }) => (last_used_at === null ? 'never' : times.passed(last_used_at)),
  },
  { name: 'Ends', label: 'Ends', cell: ({ expires_at }) => (expires_at === null ? 'never' : times.time(expires_at)) },
  {
    name: 'State',
    kind: 'stt',
    cell: ({ status }) => (status === 'active' ? html`<span class="dim">Works</span>` : badge(status)),
  },
  {
    name: 'Actions',
    isAction: true,
    cell: ({ id, name, status, rotated_to }) =>
      may('admin:write', 'operator') && status === 'active'
        ? html`${rotated_to === null ? linkButton(`${path}/${id}/rotate`, 'Rotate', { kind: 'sm quiet', of: name }) : nothing}${linkButton(`${path}/${id}/revoke`, 'Revoke', { kind: 'sm quiet', of: name })}`
        : nothing,
  },
]

/** The list of operators' keys. */
export async function operatorKeyList(visit: Visit): Promise<ConsolePage> {
  const { api, query, address, may } = visit
  const filters = filtersOf(query, ['status'])
  const { data, next_cursor } = await api.get('/v1/admin/operator-keys', {
    query: { ...filters, limit: pageSize, cursor: query.get('cursor') ?? undefined } as never,
  })
  return {
    title: 'Operator keys',
    here: path,
    body: html`${pageHead(
      'Operator keys',
      `${counted(data.filter(({ status }) => status === 'active').length, 'key works', 'keys work')}.`,
      may('admin:write', 'operator')
        ? linkButton(`${path}/new`, 'New key', { kind: 'primary', iconName: 'plus' })
        : nothing,
    )}${query.get('done') === 'revoked' ? note('info', 'No server accepts the key any more.') : nothing}${filterForm(
      address,
      [
        {
          name: 'status',
          label: 'State',
          choices: [
            ['active', 'Works'],
            ['expired', 'Ended'],
            ['revoked', 'Revoked'],
          ],
        },
      ],
    )}${table(columnsOf(visit), data, { kind: 'operator-keys', caption: 'Operator keys' })}${pager(address, next_cursor)}`,
  }
}

const keyForm = (visit: Visit, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: 'New operator key',
    sub: 'Its secret is shown once.',
    here: path,
    action: path,
    submit: 'Create and show it',
    cancel: path,
    body: html`${textField(state, { name: 'name', label: 'Name', isRequired: true, hint: 'Whose it is.' })}${textField(state, { name: 'last_day', label: 'Last day', type: 'date', isOptional: true, hint: 'In UTC. Empty: as long as your own.' })}${optionField(
      state,
      {
        name: 'may',
        label: 'May',
        choices: [
          { value: 'read', text: 'Read', consequence: 'Sees organizations, grants, prices and the audit log.' },
          { value: 'write', text: 'Read and change', consequence: 'Also suspends, tops up and gives support access.' },
        ],
      },
    )}`,
  })

export const newOperatorKeyPage = async (visit: Visit): Promise<ConsolePage> =>
  keyForm(visit, freshForm({ name: '', last_day: '', may: 'read' }))

const secret = (key: Schemas['KeyWithSecret']): ConsolePage =>
  secretPage({
    title: `The operator key ${key.name}`,
    here: path,
    heading: 'Key',
    secret: key.secret,
    back: { href: path, text: 'I have copied it' },
  })

export async function createOperatorKey(visit: Visit, values: FormValues): Promise<ConsolePage> {
  const { name = '', last_day = '' } = values
  try {
    return secret(
      await visit.api.change('post', '/v1/admin/operator-keys', {
        body: {
          name,
          scopes: values['may'] === 'write' ? ['admin:read', 'admin:write'] : ['admin:read'],
          ...(last_day !== '' && { expires_at: visit.times.endOfDay(last_day) ?? last_day }),
        },
      }),
    )
  } catch (error) {
    return keyForm(visit, refusedForm(error, values, { expires_at: 'last_day' }))
  }
}

const readKey = ({ api, params }: Visit): Promise<Key> =>
  api.get('/v1/admin/operator-keys/{key_id}', { path: { key_id: params['key_id'] ?? '' } })

const rotateForm = (visit: Visit, key: Key, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: `Rotate ${key.name}`,
    sub: 'A new key takes its place. The grants that it has given continue.',
    here: path,
    action: `${path}/${key.id}/rotate`,
    submit: 'Rotate and show the new key',
    cancel: path,
    body: selectField(state, {
      name: 'overlap_seconds',
      label: 'The old key',
      choices: [
        { value: '0', text: 'Ends now' },
        { value: '3600', text: 'Works for another hour' },
        { value: '86400', text: 'Works for another day' },
      ],
    }),
  })

export async function rotateOperatorKeyPage(visit: Visit): Promise<ConsolePage> {
  return rotateForm(visit, await readKey(visit), freshForm({ overlap_seconds: '3600' }))
}

export async function rotateOperatorKey(visit: Visit, values: FormValues): Promise<ConsolePage> {
  try {
    return secret(
      await visit.api.change('post', '/v1/admin/operator-keys/{key_id}/rotate', {
        path: { key_id: visit.params['key_id'] ?? '' },
        body: { overlap_seconds: countIn(values['overlap_seconds']) ?? 0 },
      }),
    )
  } catch (error) {
    return rotateForm(visit, await readKey(visit), refusedForm(error, values))
  }
}

export async function revokeOperatorKeyPage(visit: Visit): Promise<ConsolePage> {
  const key = await readKey(visit)
  return questionPage(visit, {
    title: `Revoke ${key.name}?`,
    here: path,
    body: html`<p>From this moment no server accepts it, nor any support access that was given with it. This cannot be undone.</p>`,
    action: `${path}/${key.id}/revoke`,
    submit: 'Revoke key',
    cancel: path,
  })
}

export async function revokeOperatorKey({ api, params }: Visit): Promise<string> {
  await api.change('post', '/v1/admin/operator-keys/{key_id}/revoke', {
    path: { key_id: params['key_id'] ?? '' },
    body: {},
  })
  return `${path}?done=revoked`
}
