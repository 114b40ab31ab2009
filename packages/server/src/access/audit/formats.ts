import { isIPv4, isIPv6 } from 'node:net'
import { version } from '../../platform/infra/platform.ts'
import { csvLine, escapeCell } from '../../values/csv.ts'
import { formatId } from '../../values/id.ts'
import type { SealedEntry } from './chain.ts'

type ExportedEntry = SealedEntry & { readonly cursor: string }

/** Format of an export. Every line carries, as its cursor, the place to continue after it. */
export interface Format {
  readonly contentType: string
  /** Header line, written unless the export continues another. */
  readonly header?: string
  /** Formats one entry with its line end. `previous` is the seal before it. */
  readonly line: (entry: ExportedEntry, previous: Buffer | undefined) => string
}

export const formatNames = ['ndjson', 'csv', 'cef', 'ocsf'] as const
export type FormatName = (typeof formatNames)[number]

const ids = ({ id, org_id }: SealedEntry) => ({ id: formatId('audit', id), org_id: formatId('org', org_id) })

/** NDJSON with everything that was sealed, and the seals: `verify-audit-export` needs only the master key besides. */
const ndjson: Format = {
  contentType: 'application/x-ndjson; charset=utf-8',
  line: (entry, previous) =>
    `${JSON.stringify({
      ...ids(entry),
      seq: entry.seq.toString(),
      created_at: entry.at,
      actor: entry.actor,
      action: entry.action,
      target: entry.target,
      outcome: entry.outcome,
      before: entry.before,
      after: entry.after,
      address: entry.address,
      trace_id: entry.trace_id,
      count: entry.count,
      reason: entry.reason,
      previous_mac: previous?.toString('hex') ?? null,
      mac: entry.mac.toString('hex'),
      mac_key_id: entry.mac_key_id,
      cursor: entry.cursor,
    })}\n`,
}

const orEmpty = (value: unknown) => (value === null ? '' : JSON.stringify(value))

const columns: Record<string, (entry: ExportedEntry) => string> = {
  id: (entry) => ids(entry).id,
  org_id: (entry) => ids(entry).org_id,
  seq: ({ seq }) => seq.toString(),
  created_at: ({ at }) => at,
  actor_kind: ({ actor }) => actor.kind,
  actor_id: ({ actor }) => escapeCell(actor.id),
  actor_role: ({ actor }) => actor.role,
  operator_key_id: ({ actor }) => actor.operator_key_id ?? '',
  action: ({ action }) => action,
  target_kind: ({ target }) => target.kind,
  target_id: ({ target }) => escapeCell(target.id),
  outcome: ({ outcome }) => outcome,
  before: ({ before }) => orEmpty(before),
  after: ({ after }) => orEmpty(after),
  address: ({ address }) => address ?? '',
  trace_id: ({ trace_id }) => trace_id,
  count: ({ count }) => String(count),
  mac: ({ mac }) => mac.toString('hex'),
  mac_key_id: ({ mac_key_id }) => mac_key_id,
  cursor: ({ cursor }) => cursor,
  reason: ({ reason }) => escapeCell(reason ?? ''),
}

/** CSV (RFC 4180). Text that somebody wrote, and that a spreadsheet would run as a formula, is escaped. */
const csv: Format = {
  contentType: 'text/csv; charset=utf-8; header=present',
  header: csvLine(Object.keys(columns)),
  line: (entry) => csvLine(Object.values(columns).map((column) => column(entry))),
}

const cefHeader = (text: string) => text.replaceAll(/[\r\n]+/g, ' ').replaceAll(/[\\|]/g, '\\$&')
const cefValue = (text: string) => text.replaceAll(/[\\=]/g, '\\$&').replaceAll('\r', '\\r').replaceAll('\n', '\\n')

function cefAddress(address: string | null): Record<string, string> {
  if (address === null) return {}
  if (isIPv4(address)) return { src: address }
  // CEF's `src` is an IPv4 address by definition.
  return isIPv6(address) ? { c6a2: address, c6a2Label: 'Source IPv6 Address' } : { shost: address }
}

const custom = (name: string, label: string, value: string) =>
  value === '' ? {} : { [name]: value, [`${name}Label`]: label }

/** ArcSight's Common Event Format, for collectors that accept nothing else. */
const cef: Format = {
  contentType: 'text/plain; charset=utf-8',
  line: (entry) => {
    const severity = entry.outcome === 'denied' ? '6' : '3'
    const head = ['CEF:0', 'Weir', 'Weir', version, entry.action, entry.action, severity].map(cefHeader).join('|')
    const extension = {
      rt: String(Date.parse(entry.at)),
      externalId: ids(entry).id,
      deviceExternalId: ids(entry).org_id,
      suid: entry.actor.id,
      spriv: entry.actor.role,
      act: entry.action,
      outcome: entry.outcome === 'allowed' ? 'success' : 'failure',
      cnt: String(entry.count),
      ...(entry.reason !== null && { reason: entry.reason }),
      ...cefAddress(entry.address),
      ...custom('cn1', 'seq', entry.seq.toString()),
      ...custom('cs1', 'targetKind', entry.target.kind),
      ...custom('cs2', 'targetId', entry.target.id),
      ...custom('cs3', 'traceId', entry.trace_id),
      ...custom('cs4', 'before', orEmpty(entry.before)),
      ...custom('cs5', 'after', orEmpty(entry.after)),
      ...custom('cs6', 'cursor', entry.cursor),
      ...custom('flexString1', 'operatorKeyId', entry.actor.operator_key_id ?? ''),
      ...custom('flexString2', 'mac', entry.mac.toString('hex')),
    }
    const fields = Object.entries(extension).map(([key, value]) => `${key}=${cefValue(value)}`)
    return `${head}|${fields.join(' ')}\n`
  },
}

const apiActivity = 6003
const activities: [RegExp, id: number, name: string][] = [
  [/^(POST )|created$|issued$|granted$|minted$/, 1, 'Create'],
  [/^(GET |HEAD )|read$|listed$|exported$/, 2, 'Read'],
  [/^(PUT |PATCH )|updated$|changed$|rotated$|suspended$|resumed$|activated$/, 3, 'Update'],
  [/^(DELETE )|deleted$|revoked$|removed$/, 4, 'Delete'],
]

/** The Open Cybersecurity Schema Framework, class API Activity. */
const ocsf: Format = {
  contentType: 'application/x-ndjson; charset=utf-8',
  line: (entry) => {
    const { actor, action, target, address } = entry
    const [, activityId, activityName] = activities.find(([pattern]) => pattern.test(action)) ?? [/./, 99, action]
    const isAllowed = entry.outcome === 'allowed'
    return `${JSON.stringify({
      category_uid: 6,
      category_name: 'Application Activity',
      class_uid: apiActivity,
      class_name: 'API Activity',
      activity_id: activityId,
      activity_name: activityName,
      type_uid: apiActivity * 100 + activityId,
      type_name: `API Activity: ${activityId === 99 ? 'Other' : activityName}`,
      severity_id: isAllowed ? 1 : 2,
      severity: isAllowed ? 'Informational' : 'Low',
      status_id: isAllowed ? 1 : 2,
      status: isAllowed ? 'Success' : 'Failure',
      time: Date.parse(entry.at),
      count: entry.count,
      actor: { user: { uid: actor.id, type_id: 99, type: `${actor.kind} ${actor.role}` } },
      api: { operation: action },
      resources: [{ type: target.kind, uid: target.id }],
      // The class requires an endpoint with some name; actions of the service itself have no address.
      src_endpoint: address === null ? { svc_name: 'weir' } : { ip: address },
      metadata: {
        version: '1.3.0',
        product: { name: 'Weir', vendor_name: 'Weir', version },
        uid: ids(entry).id,
        tenant_uid: ids(entry).org_id,
        correlation_uid: entry.trace_id,
        log_name: 'audit',
      },
      unmapped: {
        seq: entry.seq.toString(),
        created_at: entry.at,
        actor,
        before: entry.before,
        after: entry.after,
        reason: entry.reason,
        mac: entry.mac.toString('hex'),
        mac_key_id: entry.mac_key_id,
        cursor: entry.cursor,
      },
    })}\n`
  },
}

export const formats: Record<FormatName, Format> = { ndjson, csv, cef, ocsf }
