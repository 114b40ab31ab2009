import type { Schemas } from '../api/api.ts'
import {
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
  shortId,
  table,
} from '../components/components.ts'
import {
  addressWith,
  type ConsolePage,
  filterForm,
  filtersOf,
  messageIn,
  pager,
  pageSize,
  type Visit,
} from '../frame/frame.ts'
import { endsSoon, isUnpinned, isUnused, isWorking, keyFreezes, keyState, memberNames, pinTexts } from './key-states.ts'

type Key = Schemas['Key']

const path = '/console/keys'

/** Words about the owner of a key: a member by name, nobody for a key without one. */
export const ownerText = (ownerId: string | null, names: ReadonlyMap<string, string>) =>
  ownerId === null
    ? html`<span class="dim">nobody</span>`
    : html`<a class="plain" href="/console/members/${ownerId}">${names.get(ownerId) ?? shortId(ownerId)}</a>`

export const pinChips = (key: Pick<Key, 'pins'>): Markup => {
  const pins = pinTexts(key)
  return pins.length === 0
    ? html`<span class="dim">nothing</span>`
    : html`<span class="chips">${pins.map((pin) => html`<span class="chip">${pin}</span>`)}</span>`
}

interface Row {
  readonly key: Key
  readonly isFrozen: boolean
}

const columnsOf = (visit: Visit, names: ReadonlyMap<string, string>): readonly Column<Row>[] => [
  {
    name: 'Key',
    cell: ({ key }) =>
      html`<a class="plain" href="${path}/${key.id}">${key.name}</a><span class="sub">${shortId(key.id)}</span>`,
  },
  {
    name: 'Owner',
    kind: 'own',
    cell: ({ key }) =>
      html`${ownerText(key.owner_id, names)}<span class="sub">${key.role}, ${counted(key.scopes.length, 'scope')}</span>`,
  },
  { name: 'Pinned to', label: 'Pinned to', kind: 'all', cell: ({ key }) => pinChips(key) },
  {
    name: 'Last used',
    kind: 'nowrap',
    label: 'Used',
    cell: ({ key }) => (key.last_used_at === null ? 'never' : visit.times.passed(key.last_used_at)),
  },
  {
    name: 'Ends',
    kind: 'nowrap',
    label: 'Ends',
    cell: ({ key }) => (key.expires_at === null ? 'never' : visit.times.time(key.expires_at)),
  },
  {
    name: 'State',
    kind: 'stt',
    cell: ({ key, isFrozen }) => {
      const state = keyState(key, isFrozen, visit.times)
      return state.badge === undefined
        ? html`<span class="dim">${state.text}</span>`
        : badge(state.text, state.badge, state.icon)
    },
  },
  {
    name: 'Actions',
    isAction: true,
    cell: ({ key }) =>
      mayRevoke(visit, key)
        ? html`${
            key.rotated_to === null
              ? linkButton(`${path}/${key.id}/rotate`, 'Rotate', { kind: 'sm quiet', of: key.name })
              : nothing
          }${linkButton(`${path}/${key.id}/revoke`, 'Revoke', { kind: 'sm quiet', of: key.name })} <label><input type="checkbox" name="key_id" value="${key.id}"><span class="hidden">Choose ${key.name}</span></label>`
        : nothing,
  },
]

const mayRevoke = ({ may }: Visit, key: Key) =>
  may('keys:write', 'admin') && (isWorking(key) || key.status === 'pending')

/** The list as a form: what is ticked in it is revoked together, after a question. */
const selectable = ({ may }: Visit, list: Markup): Markup =>
  may('keys:write', 'admin')
    ? html`<form method="get" action="${path}/revoke">${list}<div class="actions gap16"><button class="btn danger" type="submit">Revoke those that are ticked</button></div></form>`
    : list

/** The list of keys: who answers for each, what it is pinned to, and whether it is used. */
export async function keyList(visit: Visit): Promise<ConsolePage> {
  const { api, query, may, times } = visit
  const address = query.has('status') ? visit.address : addressWith(visit.address, { status: 'active' })
  const filters = filtersOf(new URL(address, 'http://weir.invalid').searchParams, [
    'role',
    'status',
    'owner_id',
    'minted_by',
    'sort',
  ])
  const [{ data, next_cursor }, names, freezes] = await Promise.all([
    api.get('/v1/orgs/{id}/keys', {
      query: { ...filters, limit: pageSize, cursor: query.get('cursor') ?? undefined } as never,
    }),
    memberNames(visit),
    keyFreezes(visit),
  ])
  const byId = new Map(data.map((key) => [key.id, key]))
  const isFrozen = (key: Key): boolean => {
    const before = key.rotated_from === null ? undefined : byId.get(key.rotated_from)
    return freezes.has(key.id) || (before !== undefined && isFrozen(before))
  }
  const message = messageIn({ revoked: 'No server accepts these keys any more.' }, query)
  const rows = data.map((key) => ({ key, isFrozen: isFrozen(key) }))
  return {
    title: 'Keys',
    here: path,
    body: html`${pageHead(
      'Keys',
      summary(data, next_cursor !== null, times.now),
      may('keys:write', 'admin')
        ? linkButton(`${path}/new`, 'New key', { kind: 'primary', iconName: 'plus' })
        : nothing,
    )}${message === undefined ? nothing : note('info', message)}${filterForm(address, [
      {
        name: 'role',
        label: 'Role',
        choices: ['service', 'member', 'viewer', 'admin', 'owner'].map((role) => [role, role]),
      },
      { name: 'owner_id', label: 'Owner', choices: [...names].map(([id, name]) => [id, name] as const) },
      {
        name: 'status',
        label: 'State',
        choices: [
          ['active', 'All that work'],
          ['pending', 'Not yet'],
          ['expired', 'Ended'],
          ['revoked', 'Revoked'],
        ],
      },
      {
        name: 'sort',
        label: 'Order',
        choices: [
          ['name', 'By name'],
          ['-created_at', 'Newest first'],
        ],
      },
    ])}${
      rows.length === 0
        ? html`${blank('No key matches', 'Choose another state or role to see more.', linkButton(`${path}?status=`, 'All keys', { kind: 'sm' }))}${code(
            'Terminal',
            curl('POST', `/v1/orgs/${visit.org.id}/keys`, {
              name: 'support-agent',
              role: 'service',
              scopes: ['edge:decide'],
              pins: { workflow_id: 'support-triage' },
            }),
            'the command for a key',
          )}`
        : selectable(visit, table(columnsOf(visit, names), rows, { kind: 'keys', caption: 'Keys' }))
    }${pager(address, next_cursor)}`,
  }
}

function summary(keys: readonly Key[], hasMore: boolean, now: Date): string {
  const working = keys.filter(isWorking)
  const count = working.length
  const soon = working.filter((key) => endsSoon(key, now) && key.rotated_to === null).length
  const open = working.filter(isUnpinned).length
  const idle = working.filter((key) => isUnused(key, now)).length
  const parts = [
    soon > 0 ? `${soon} ${soon === 1 ? 'ends' : 'end'} within a week` : '',
    open > 0 ? `${open} ${open === 1 ? 'spends and is' : 'spend and are'} not pinned` : '',
    idle > 0 ? `${idle} ${idle === 1 ? 'was' : 'were'} not used for 90 days` : '',
  ].filter(Boolean)
  const first = `${counted(count, 'key')} ${hasMore ? 'on this page ' : ''}${count === 1 ? 'works' : 'work'}.`
  return parts.length === 0 ? first : `${first} ${parts.join(', ').replace(/^./, (letter) => letter.toUpperCase())}.`
}
