import { operatorsOrgId } from '../../values/id.ts'
import type { Schemas } from '../api/api.ts'
import {
  badge,
  blank,
  type Column,
  countText,
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
  type Download,
  filterForm,
  filtersOf,
  pager,
  pageSize,
  part,
  shown,
  type Visit,
} from '../frame/frame.ts'

type Entry = Schemas['AuditLogEntry']

/** The log that a visit is about: that of the organization, or that of those who run the installation. */
export const auditLogOf = ({ caller, may }: Visit) =>
  caller.orgId === operatorsOrgId
    ? ({
        path: '/console/operator-audit-log',
        list: '/v1/admin/audit-log',
        verification: '/v1/admin/audit-log/verify',
        file: '/v1/admin/audit-log/export',
        mayExport: may('admin:read', 'operator'),
      } as const)
    : ({
        path: '/console/audit-log',
        list: '/v1/orgs/{id}/audit-log',
        verification: '/v1/orgs/{id}/audit-log/verify',
        file: '/v1/orgs/{id}/audit-log/export',
        mayExport: caller.kind !== 'support' && may('audit:read', 'admin'),
      } as const)

const filterNames = ['action', 'actor_id', 'target_id', 'outcome'] as const

/** Returns the window of the address, in days of the organization, as the API takes it. */
function windowOf({ query, times }: Visit) {
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? '']
  return { from: times.startOfDay(from) ?? from, to: times.endOfDay(to) ?? to }
}

/** Returns who acted, as people know them. */
export const actorText = ({ actor }: Entry): string => actor.email ?? actor.id

const columnsOf = ({ times }: Visit, path: string): readonly Column<Entry>[] => [
  {
    name: 'Action',
    cell: ({ seq, action, created_at, outcome }) =>
      html`<a class="plain" href="${path}/${seq}?at=${encodeURIComponent(created_at)}">${action}</a> ${outcome === 'denied' ? badge('Denied', 'stop') : nothing}`,
  },
  {
    name: 'Who',
    label: 'Who',
    cell: (entry) => html`${entry.actor.email ?? shortId(entry.actor.id)}<span class="sub">${entry.actor.role}</span>`,
  },
  {
    name: 'Target',
    label: 'Target',
    cell: ({ target }) => html`${shortId(target.id)}<span class="sub">${target.kind}</span>`,
  },
  { name: 'Why', label: 'Why', cell: ({ reason }) => reason ?? nothing },
  { name: 'When', label: 'When', isNumber: true, cell: ({ created_at }) => times.time(created_at) },
]

const faults: Readonly<Record<string, string>> = {
  bad_seal: 'the entry, or the one before it, differs from what was sealed',
  head_mismatch: 'the stored end of the log is not the seal of this entry',
  missing: 'the entry is missing',
  repeated: 'a second entry has this number, or entries are out of order',
  retired_key: 'it is sealed with a master key that had been retired',
  truncated: 'entries after it are missing',
  unknown_key: 'it names a master key that is not configured',
}

const verdict = ({ valid, entries, first_bad: bad, next_cursor: next }: Schemas['AuditVerification']): Markup =>
  valid
    ? note(
        'info',
        html`<b>${next === null ? 'The log is sound.' : 'Sound so far.'}</b> ${countText(entries)} entries are as they were written: none altered, none missing.${next === null ? nothing : ' The log is long; the API verifies the rest.'}`,
      )
    : note(
        'stop',
        html`<b class="t-stop">The log cannot be trusted from entry ${bad?.seq ?? ''} on:</b> ${faults[bad?.reason ?? ''] ?? bad?.reason ?? 'it differs'}. ${countText(entries)} entries before it are sound.`,
      )

/** The audit log, newest first, with its filters in the address; verified when asked. */
export async function entryList(visit: Visit): Promise<ConsolePage> {
  const { api, address, query, times } = visit
  const filters = filtersOf(query, filterNames)
  const window = windowOf(visit)
  const log = auditLogOf(visit)
  const [entries, verification] = await Promise.all([
    part(
      api.get(log.list, {
        query: {
          ...filters,
          ...window,
          sort: '-created_at',
          limit: pageSize,
          cursor: query.get('cursor') ?? undefined,
        } as never,
      }),
    ),
    query.has('verify') ? part(api.get(log.verification)) : undefined,
  ])
  const exported = (format: string) =>
    `${log.path}/export?${new URLSearchParams({ format, from: query.get('from') ?? '', to: query.get('to') ?? '' })}`
  return {
    title: 'Audit log',
    here: log.path,
    body: html`${pageHead(
      'Audit log',
      `Who changed what, and why. Times are of ${times.zone}.`,
      ...(log.mayExport
        ? [
            linkButton(addressWith(address, { verify: '1' }), 'Verify'),
            linkButton(exported('csv'), 'Export CSV', { iconName: 'export' }),
            linkButton(exported('ndjson'), 'Export NDJSON', { iconName: 'export' }),
          ]
        : []),
    )}${verification === undefined ? nothing : shown(verification, visit, verdict)}${filterForm(address, [
      { name: 'action', label: 'Action', type: 'search' },
      { name: 'actor_id', label: 'Who, by id' },
      { name: 'target_id', label: 'Target, by id' },
      {
        name: 'outcome',
        label: 'Outcome',
        choices: [
          ['allowed', 'Allowed'],
          ['denied', 'Denied'],
        ],
      },
      { name: 'from', label: 'From', type: 'date' },
      { name: 'to', label: 'To', type: 'date' },
    ])}${shown(entries, visit, ({ data, next_cursor }) =>
      data.length === 0
        ? blank('No entry matches', 'Remove a filter to see more.', linkButton(log.path, 'All entries', { kind: 'sm' }))
        : html`${table(columnsOf(visit, log.path), data, { caption: 'Entries of the audit log' })}${pager(addressWith(address, { verify: undefined, cursor: query.get('cursor') ?? undefined }), next_cursor)}`,
    )}`,
  }
}

/** The log as a file, in the window of the address. */
export async function exportedLog(visit: Visit): Promise<Download> {
  const format = visit.query.get('format') === 'csv' ? 'csv' : 'ndjson'
  const { text, type } = await visit.api.text(auditLogOf(visit).file, {
    query: { ...windowOf(visit), format } as never,
  })
  return { text, type, name: `audit-log.${format}` }
}
