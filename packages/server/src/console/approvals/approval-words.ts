import { formatId } from '../../values/id.ts'
import { formatUsd, parseUsd } from '../../values/money.ts'
import { dayMs } from '../../values/time.ts'
import { usualAmount } from '../../values/usual-grant.ts'
import type { Schemas } from '../api/api.ts'
import {
  type BadgeKind,
  type Content,
  counted,
  gauge,
  moneyText,
  nothing,
  shareBar,
  shortId,
  type Times,
} from '../components/components.ts'

import { part, type Visit } from '../frame/frame.ts'

export type Approval = Schemas['Approval']

/** Path of the inbox. */
export const inboxPath = '/console/approvals'

/** Returns a field of the attempt that is a text or a number; undefined where the attempt did not say it. */
export function attemptField({ attempt }: Pick<Approval, 'attempt'>, name: string): string | undefined {
  const value = attempt[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** Returns what is asked for, in words: `Run gpt-5 on contract-diff`, `Action refund on support-triage`. */
export function titleOf(approval: Approval): string {
  const isAction = attemptField(approval, 'action') === approval.attempted
  const workflow = attemptField(approval, 'workflow_id')
  return `${isAction ? 'Action' : 'Run'} ${approval.attempted}${workflow === undefined ? '' : ` on ${workflow}`}`
}

/** Bounds of a grant, as a form sends them. */
export interface Bounds {
  readonly max_runs: string
  readonly max_amount_usd: string
}

/** Returns the bounds that a tap grants: one run, and the usual amount. */
export function usualBounds({ estimated_cost_usd: estimate }: Approval): Bounds {
  const amount = usualAmount(parseUsd(estimate))
  return { max_runs: '1', max_amount_usd: amount === undefined ? '' : formatUsd(amount) }
}

/** Returns bounds in words: `1 run up to $0.60`. */
export const boundsText = ({ max_runs, max_amount_usd }: Bounds): string =>
  `${counted(Number(max_runs), 'run')} ${max_amount_usd === '' ? 'of any cost' : `up to ${moneyText(max_amount_usd, 'cents')}`}`

/** Returns when a grant ends that is made now and not bounded otherwise. */
export const usualEnd = ({ now }: Times): Date => new Date(now.getTime() + dayMs)

/** State of a request, in the words of the console. */
export function stateOf({ status, grant, expires_at }: Approval, { now }: Times): { text: string; kind: BadgeKind } {
  if (status === 'pending') return { text: 'Waits', kind: 'info' }
  if (status === 'denied') return { text: 'Denied', kind: 'stop' }
  if (status !== 'approved' || Date.parse(expires_at) <= now.getTime()) return { text: 'Ended', kind: 'line' }
  return grant !== null && grant.runs_started >= grant.max_runs
    ? { text: 'Used up', kind: 'line' }
    : { text: 'Approved', kind: 'ok' }
}

/** Returns true while runs may start on the grant of a request. */
export const isInUse = (approval: Approval, times: Times): boolean => stateOf(approval, times).text === 'Approved'

/** Rules by their ids that ask for a person; a key may not decide on what they ask about. */
export type PersonRules = ReadonlySet<string>

const maxRules = 200

/** Reads which rules ask for a person, for a reader who is none. */
export async function readPersonRules({ api, caller }: Visit): Promise<PersonRules> {
  if (caller.kind !== 'key') return new Set()
  const { value } = await part(
    api.get('/v1/orgs/{id}/policies', { query: { effect: 'require_approval', limit: maxRules } }),
  )
  return new Set(value?.data.filter(({ approver }) => approver !== 'anyone').map(({ id }) => id))
}

/** Returns why the reader cannot decide on a request, as far as it can be told beforehand; undefined when they may try. */
export function obstacleOf({ caller, may }: Visit, approval: Approval, ofPersons: PersonRules): string | undefined {
  if (!may('policies:write', 'admin')) return 'An admin or owner decides on this.'
  if (caller.kind === 'support') return 'Support cannot decide on the approvals of an organization.'
  if (caller.kind === 'key' && approval.rule_id !== null && ofPersons.has(approval.rule_id))
    return 'The rule asks for a person: somebody who signs in with their name decides.'
  if (caller.kind === 'key' && formatId('key', caller.id) === approval.requested_by)
    return 'You asked for this: somebody else decides.'
  return undefined
}

/** Names of keys and members by their ids. */
export type Names = (id: string) => Content

const maxNamed = 200

/** Reads the names of keys and members; those that are not to be seen, or not found, keep their ids. */
export async function readNames({ api, may }: Visit): Promise<Names> {
  const [keys, members] = await Promise.all([
    may('keys:read', 'admin') ? part(api.get('/v1/orgs/{id}/keys', { query: { limit: maxNamed } })) : undefined,
    may('members:read', 'admin') ? part(api.get('/v1/orgs/{id}/members', { query: { limit: maxNamed } })) : undefined,
  ])
  const named = new Map([
    ...(keys?.value?.data ?? []).map(({ id, name }) => [id, name] as const),
    ...(members?.value?.data ?? []).map(({ id, name, email }) => [id, name === '' ? email : name] as const),
  ])
  return (id) => named.get(id) ?? shortId(id)
}

/** The picture of a grant: money where it has an amount, runs otherwise. */
export function grantPicture(approval: Approval): Content {
  const { grant } = approval
  if (grant === null) return nothing
  const { max_amount_usd: limit, spent_usd: spent, held_usd: held } = grant
  return limit === null ? shareBar((100 * grant.runs_started) / grant.max_runs) : gauge({ spent, held, limit })
}

/** Returns what is used of a grant: `1 of 3 runs, $5.92 of $20.00`. */
export function grantText({ grant }: Approval): string {
  if (grant === null) return ''
  const { max_runs, runs_started, max_amount_usd: limit, spent_usd: spent, held_usd: held } = grant
  const kept = held === '0' ? '' : ` and ${moneyText(held)} held`
  return `${runs_started} of ${counted(max_runs, 'run')}, ${moneyText(spent)}${kept}${limit === null ? '' : ` of ${moneyText(limit)}`}`
}
