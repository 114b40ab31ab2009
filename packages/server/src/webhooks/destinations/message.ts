import type { EventKind } from '../../access/events/events.ts'
import { formatDollars, parseUsd } from '../../values/money.ts'
import { isRecord } from '../../values/records.ts'
import type { Digest } from './digest.ts'
import { endingKinds, eventWords, factLabels, pageOfId, type Severity } from './event-words.ts'
import { plainText } from './plain-text.ts'

/** An event in words. Every text is plain: what somebody has named is cleaned, and each format still escapes it. */
export interface Message {
  readonly eventId: string
  readonly kind: string
  readonly createdAt: string
  readonly orgId: string
  readonly title: string
  readonly facts: readonly Fact[]
  readonly severity: Severity
  /** True for an event that ends what an earlier one about the same subject began. */
  readonly isEnd: boolean
  /** Page of the console with more about it. */
  readonly url: string
}

export interface Fact {
  readonly label: string
  readonly value: string
}

/** Needs of a message beside its event. */
export interface MessageContext {
  readonly publicUrl: string
  /** Names of budgets, keys and members by their public ids. */
  readonly names: ReadonlyMap<string, string>
  /** Events that the message stands for; null for the one. */
  readonly digest: Digest | null
  /** Refusals of the day (UTC) by error code, whether or not each was an event. */
  readonly refusals: ReadonlyMap<string, number>
}

const maxFacts = 16
const factLength = 300
const titleLength = 140

/** Returns the event of a stored payload in words. */
export function messageOf(payload: string, { publicUrl, names, digest, refusals }: MessageContext): Message {
  const event = JSON.parse(payload) as {
    id: string
    type: string
    created_at: string
    org_id: string
    data: Record<string, unknown>
  }
  const { data } = event
  const words = eventWords[event.type as EventKind] ?? { title: event.type, severity: 'info', page: '/console' }
  const named = nameIn(data, names)
  const facts = Object.keys(factLabels)
    .filter((field) => data[field] !== null && data[field] !== undefined && !isRecord(data[field]))
    .map((field) => ({ label: factLabels[field] ?? field, value: valueText(field, data[field], names) }))
  return {
    eventId: event.id,
    kind: event.type,
    createdAt: event.created_at,
    orgId: event.org_id,
    title: countText(digest) + plainText(named === undefined ? words.title : `${words.title}: ${named}`, titleLength),
    facts: [...countFacts(digest), ...refusalFacts(data, refusals), ...facts].slice(0, maxFacts),
    severity: words.severity,
    isEnd: endingKinds.has(event.type) || digest?.isOver === true,
    url: publicUrl + pageFor(data, words.page),
  }
}

const countText = (digest: Digest | null) => (digest === null ? '' : `${digest.count.toLocaleString('en-US')} × `)

const countFacts = (digest: Digest | null): Fact[] =>
  digest === null
    ? []
    : [
        {
          label: 'Events',
          value: `${digest.count.toLocaleString('en-US')} since ${timeText(digest.since)}; the last one is shown`,
        },
      ]

/** Returns how many calls were refused today: events of refusals are a sample. */
function refusalFacts({ error_code: code }: Record<string, unknown>, refusals: ReadonlyMap<string, number>): Fact[] {
  const count = refusals.get(String(code))
  return count === undefined ? [] : [{ label: 'Refused today (UTC)', value: `${count.toLocaleString('en-US')} calls` }]
}

/** Returns the name of what an event is about, as far as it has one. */
const nameIn = (data: Record<string, unknown>, names: ReadonlyMap<string, string>): string | undefined =>
  [
    names.get(String(data['budget_id'])),
    data['rule_name'],
    data['customer_id'],
    data['name'],
    names.get(String(data['key_id'])),
  ].find((name): name is string => typeof name === 'string' && name !== '')

function pageFor(data: Record<string, unknown>, otherwise: string): string {
  for (const [field, path] of pageOfId) {
    const id = data[field]
    if (typeof id === 'string' && id !== '') return path(encodeURIComponent(id))
  }
  return otherwise
}

function valueText(field: string, value: unknown, names: ReadonlyMap<string, string>): string {
  if (typeof value === 'string' && field.endsWith('_usd')) return dollars(value)
  if (typeof value === 'string' && /_(at|start|end)$|^sunset$/.test(field)) return timeText(value)
  if (field === 'threshold_percent') return `${String(value)} %`
  if (typeof value === 'number' && Number.isFinite(value)) return value.toLocaleString('en-US')
  const text = String(value)
  return plainText(names.get(text) ?? text, factLength)
}

function dollars(text: string): string {
  try {
    return formatDollars(parseUsd(text))
  } catch {
    return plainText(text)
  }
}

const timeText = (text: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? `${text.slice(0, 10)} ${text.slice(11, 16)} UTC` : plainText(text)
