import type { ChangeTools, PageTools } from '../../access/changes/changes.ts'
import { type Caller, isWithinPins, makerText } from '../../access/identity/identity.ts'
import { ApiError, isApiError, validationFailed } from '../../contract/errors.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { parseUsd } from '../../values/money.ts'
import { present } from '../../values/present.ts'
import { dayMs } from '../../values/time.ts'
import { type Approver, lockSet, renewRuleSet } from '../policies/policies.ts'
import { expireByRule } from './expiry-queries.ts'
import {
  type ApprovalDecision,
  type ApprovalRow,
  decideApproval,
  findApproval,
  isBehind,
  isWithinReach,
  lockApproval,
  lockRule,
  revokeApproval,
} from './queries.ts'
import type { ApprovalView, ApproveInput, DenyInput } from './schema.ts'
import { approvalViews, requestData } from './views.ts'

export { expireApprovalsJob } from './expiry.ts'
export { findApproval } from './queries.ts'
export { type ApprovalService, createApprovals } from './requests.ts'
export type { ApprovalView } from './schema.ts'
export { approvalViews } from './views.ts'

const defaultGrantMs = dayMs
const maxGrantMs = 90 * dayMs
/** For this long a denied attempt creates no new request. */
const denialMs = dayMs

/** Somebody who decides: a caller, and whoever else could have sent the same in their place, as the keepers of a Slack app could. */
export interface Decider {
  readonly caller: Caller
  readonly now: Date
  readonly proxies?: readonly Pick<Caller, 'kind' | 'id'>[]
}

/** Locks and returns a request that the caller may decide now. `isDecided` is true when the wanted decision was already made. */
async function lockDecidable(
  tx: Tx,
  orgId: string,
  id: string,
  { caller, now, proxies = [] }: Decider,
  wanted: ApprovalDecision['status'],
) {
  // The rule is locked first, as by whoever changes it, because a rule that changes expires its requests.
  const request = await findApproval(tx, orgId, id)
  if (!request || !isWithinPins(caller.pins, request.attempt)) throw new ApiError('not_found')
  const rule = await lockRule(tx, orgId, request.rule_id)
  const row = present(await lockApproval(tx, orgId, id))
  await requireApprover(tx, row, caller, rule?.approver)
  for (const proxy of proxies)
    await requireApprover(tx, row, { ...proxy, orgId }, rule?.approver).catch((error: unknown) => {
      throw isApiError(error, 'forbidden') ? ofProxy() : error
    })
  if (row.status === wanted) return { row, isDecided: true }
  if (row.status !== 'pending') throw conflict(`The request is already ${row.status}.`)
  if (rule?.version !== row.rule_version)
    throw conflict('The rule has changed since the request was made. The next attempt creates a new request.')
  if (row.expires_at <= now) throw conflict('The request has expired. The next attempt creates a new request.')
  return { row, isDecided: false }
}

/** Refuses whoever could be the asking key under another name, and whoever the rule does not ask. */
async function requireApprover(
  tx: Tx,
  row: ApprovalRow,
  caller: Pick<Caller, 'kind' | 'id' | 'orgId'>,
  approver: Approver | undefined,
) {
  if (caller.kind === 'support') throw forbidden('A support grant cannot decide on the approvals of an organization.')
  if (caller.kind === 'key' && approver !== undefined && approver !== 'anyone')
    throw forbidden('The rule asks for a person: sign in to decide on this request.')
  if (await isWithinReach(tx, caller.orgId, row.requested_by, caller.id))
    throw forbidden(
      'The key that requested an approval cannot decide on it, nor can a key or a person that it created, rotated or invited.',
    )
  if (approver === 'another_person' && (await isBehind(tx, caller.orgId, row.requested_by, caller.id)))
    throw forbidden('The rule asks for another person than the one behind the key that requested the approval.')
}

/** Refuses whoever is no person, or is the one behind a key that asked, or somebody whom that key has let in. */
export async function requireAnotherPerson(tx: Tx, { kind, orgId, id }: Caller, requestedBy: string) {
  if (kind !== 'person') throw forbidden('A person decides on this: sign in as a member. No key does, nor support.')
  if (await isWithinReach(tx, orgId, requestedBy, id))
    throw forbidden('The key that asked has invited this person, so another one decides.')
  if (await isBehind(tx, orgId, requestedBy, id))
    throw forbidden('This person is behind the key that asked, so another one decides.')
}

/** The columns that say who decided. */
const deciderColumns = ({ kind, id }: Caller) => ({
  decided_by: kind === 'key' ? id : null,
  decided_by_member: kind === 'person' ? id : null,
})

const ofProxy = () =>
  forbidden(
    'Whoever set the signing secret of the Slack app could press this button, and may not decide on this request. Decide in the console.',
  )
const forbidden = (message: string) => new ApiError('forbidden', {}, { message })
const conflict = (message: string) => new ApiError('conflict', {}, { message })

async function loadView(tx: Tx, orgId: string, row: ApprovalRow) {
  const [view] = await approvalViews(tx, orgId, [row])
  return present(view)
}

export async function approve(
  { tx, audit, emit }: PageTools,
  orgId: string,
  id: string,
  decider: Decider,
  { max_runs = 1, max_amount_usd = null, expires_at, note }: ApproveInput,
): Promise<ApprovalView> {
  const { caller, now } = decider
  const until = new Date(expires_at === undefined ? now.getTime() + defaultGrantMs : Date.parse(expires_at))
  if (until <= now || until.getTime() > now.getTime() + maxGrantMs)
    throw validationFailed([
      { field: 'expires_at', code: 'out_of_range', message: 'This must be within the next 90 days.' },
    ])
  const { row, isDecided } = await lockDecidable(tx, orgId, id, decider, 'approved')
  const before = await loadView(tx, orgId, row)
  const maxAmountNano = max_amount_usd === null ? null : parseUsd(max_amount_usd)
  const differs =
    row.max_runs !== max_runs ||
    row.max_amount_nano !== maxAmountNano ||
    (expires_at !== undefined && row.expires_at.getTime() !== until.getTime())
  if (isDecided && differs)
    throw conflict('The request is already approved, and a grant cannot be changed. Revoke it instead.')
  if (isDecided) return before
  const decided = await decideApproval(tx, orgId, id, {
    status: 'approved',
    ...deciderColumns(caller),
    decided_at: now,
    note: note ?? null,
    max_runs,
    max_amount_nano: maxAmountNano,
    expires_at: until,
  })
  const after = await loadView(tx, orgId, decided)
  audit({ action: 'approval.approved', target: { kind: 'approval', id: after.id }, before, after })
  emit({
    kind: 'approval.approved',
    subject: after.id,
    data: {
      ...requestData(decided),
      decided_by: makerText(caller),
      note: decided.note,
      max_runs,
      max_amount_usd: present(after.grant).max_amount_usd,
    },
  })
  return after
}

export async function deny(
  { tx, audit, emit }: PageTools,
  orgId: string,
  id: string,
  decider: Decider,
  { note }: DenyInput,
): Promise<ApprovalView> {
  const { caller, now } = decider
  const { row, isDecided } = await lockDecidable(tx, orgId, id, decider, 'denied')
  const before = await loadView(tx, orgId, row)
  if (isDecided) return before
  const decided = await decideApproval(tx, orgId, id, {
    status: 'denied',
    ...deciderColumns(caller),
    decided_at: now,
    note: note ?? null,
    expires_at: new Date(now.getTime() + denialMs),
  })
  const after = await loadView(tx, orgId, decided)
  audit({ action: 'approval.denied', target: { kind: 'approval', id: after.id }, before, after })
  emit({
    kind: 'approval.denied',
    subject: after.id,
    data: { ...requestData(decided), decided_by: makerText(caller), note: decided.note },
  })
  return after
}

/** Revokes a grant. Once this returns, no run starts on it, not even one whose start is in progress. */
export async function revokeApprovalGrant(
  tools: ChangeTools,
  { orgId, pins }: Caller,
  id: string,
  now: Date,
): Promise<ApprovalView> {
  const { tx, audit, emit, accessChanged } = tools
  // Locks in the same order as whoever changes the rule.
  await lockSet(tx, orgId)
  const row = await lockApproval(tx, orgId, id)
  if (!row || !isWithinPins(pins, row.attempt)) throw new ApiError('not_found')
  const before = await loadView(tx, orgId, row)
  if (row.status === 'expired') return before
  if (row.status !== 'approved') throw conflict(`The request is ${row.status}.`)
  const revoked = await revokeApproval(tx, orgId, id, now)
  await renewRuleSet(tx, orgId)
  const after = await loadView(tx, orgId, revoked)
  audit({ action: 'approval.revoked', target: { kind: 'approval', id: after.id }, before, after })
  emit({ kind: 'approval.expired', subject: after.id, data: requestData(revoked) })
  accessChanged()
  return after
}

/** Expires the requests and grants of a rule that is changed or removed. */
export async function expireWithRule({ tx, audit, emit }: ChangeTools, orgId: string, ruleId: string) {
  for (const row of await expireByRule(tx, orgId, ruleId)) {
    const data = requestData(row)
    audit({ action: 'approval.expired', target: { kind: 'approval', id: data.approval_id }, after: data })
    emit({ kind: 'approval.expired', subject: data.approval_id, data })
  }
}
