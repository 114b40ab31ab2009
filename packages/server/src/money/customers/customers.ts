import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError, validationFailed } from '../../contract/errors.ts'
import { type DesiredState, notSet } from '../../contract/replaceable.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, newUuid } from '../../values/id.ts'
import { parseUsd } from '../../values/money.ts'
import { normalForm } from '../../values/normal-form.ts'
import { elementAt, one, present } from '../../values/present.ts'
import { budgetExceeded } from '../budgets/budgets.ts'
import {
  allowanceAt,
  ascending,
  claimOn,
  crossedAmounts,
  type DefaultLimit,
  defaultSchedule,
  eventSubject,
  gateNames,
  type LimitKind,
  limitIdIn,
  loadUsage,
  lockLedger,
  lockLedgerForConfigChange,
  mergeSchedule,
  newSchedule,
  newSubjectGateOf,
  noSubject,
  type OwnLimit,
  periodView,
  rearmAllSubjects,
  replaceSchedule,
  rowTimesView,
  stoppedAmounts,
  usageView,
  usdOrNull,
  withRequestedSchedule,
} from '../ledger/ledger.ts'
import { customerLimitOf } from './own-limits.ts'
import {
  type CustomerLimitRow,
  findCustomerLimit,
  insertCustomerLimit,
  removeCustomerLimit,
  updateCustomerLimit,
} from './queries.ts'
import {
  type CustomerDefaultInput,
  CustomerDefault as CustomerDefaultShape,
  type CustomerDefaultView,
  CustomerLimit,
  type CustomerLimitInput,
  type CustomerLimitView,
} from './schema.ts'

export { customerLimitOf } from './own-limits.ts'
export { CustomerPath } from './schema.ts'

/** Returns the id of a customer in the form in which decisions know it. */
export function customerNamed(customerId: string): string {
  const form = normalForm(customerId)
  if (form === '')
    throw validationFailed([
      { field: 'customer_id', code: 'empty', message: 'Must have a character that can be seen.' },
    ])
  return form
}

const defaultMaxNewPerDay = 10_000

/** The limit of a customer: its own, or else the default, which applies to each customer separately. */
export const customerKind: LimitKind = {
  kind: 'customer',
  journalNames: ['customer', ...gateNames('customer')],
  idKind: 'customerLimit',
  guide: 'limits',
  surfaces: ['edge', 'route', 'start', 'record'],
  errors: ['budget_exceeded'],
  events: ['customer_limit.threshold_crossed', 'customer_limit.exceeded', 'customer_limit.stopped'],
  thresholds: 'configured',
  source: 'row',
  bind: ({ customerId }, { customerDefault }, customer, nowMs) => {
    if (customerId === undefined) return []
    if (customer?.own)
      return [claimOn(customerKind, allowanceAt(customer.own, customer.own.countedAs ?? customerId, nowMs))]
    if (!customerDefault) return []
    const newSubjectGate = newSubjectGateOf(customerDefault, 'customer', customerId, nowMs)
    return [{ ...claimOn(customerKind, allowanceAt(customerDefault, customerId, nowMs)), newSubjectGate }]
  },
  refuse: (refusal) => budgetExceeded(refusal, limitIdIn(customerKind, refusal.allowance), { scopeKind: 'customer' }),
  eventOf: (crossing) => {
    const { allowance, threshold } = crossing
    const id = limitIdIn(customerKind, allowance)
    const data = {
      customer_limit_id: id,
      customer_id: allowance.subject === noSubject ? null : allowance.subject,
      ...crossedAmounts(crossing),
      ...periodView(allowance),
    }
    const subject = eventSubject(id, allowance)
    const stopped = stoppedAmounts(crossing)
    if (stopped) return { kind: 'customer_limit.stopped', subject, data: { ...data, ...stopped } }
    if (threshold === 0) return { kind: 'customer_limit.exceeded', subject, data }
    return { kind: 'customer_limit.threshold_crossed', subject, data: { threshold_percent: threshold, ...data } }
  },
  adjustment: {
    requires: ['amount_usd', 'customer_id'],
    find: async (tx, orgId, limitId, { customer_id }, atMs) => {
      const found = await findLimitOfCustomer(tx, orgId, customer_id!)
      return found?.id === limitId ? allowanceAt(found, found.countedAs ?? normalForm(customer_id!), atMs) : undefined
    },
  },
}

export async function loadCustomerDefault(tx: Tx, orgId: string): Promise<DefaultLimit | null> {
  const row = await findCustomerLimit(tx, orgId, noSubject)
  return row ? { ...customerLimitOf(row), maxNewPerDay: BigInt(present(row.max_new_customers_per_day)) } : null
}

/** Returns the limit that a customer has of its own. */
export async function ownLimitOfCustomer(tx: Tx, orgId: string, customerId: string): Promise<OwnLimit | null> {
  const own = await findCustomerLimit(tx, orgId, customerId)
  return own ? customerLimitOf(own) : null
}

/** Returns the limit that applies to a customer: its own, or else the default. */
async function findLimitOfCustomer(tx: Tx, orgId: string, customerId: string): Promise<OwnLimit | null> {
  return (await ownLimitOfCustomer(tx, orgId, customerId)) ?? loadCustomerDefault(tx, orgId)
}

export async function customerLimitViews(
  tx: Tx,
  orgId: string,
  nowMs: number,
  rows: readonly CustomerLimitRow[],
): Promise<CustomerLimitView[]> {
  const asked = rows.map((row) => [customerLimitOf(row), row.customer_id] as const)
  const found = await loadUsage(tx, orgId, nowMs, asked)
  return rows.map((row, i) => ({
    id: formatId('customerLimit', row.id),
    customer_id: row.customer_id,
    limit_usd: usdOrNull(row.amount),
    ...usageView(elementAt(found, i), nowMs),
    thresholds: row.thresholds,
    ...rowTimesView(row),
  }))
}

const limitView = async (tx: Tx, orgId: string, nowMs: number, row: CustomerLimitRow): Promise<CustomerLimitView> =>
  one(await customerLimitViews(tx, orgId, nowMs, [row]))

async function defaultView(tx: Tx, orgId: string, nowMs: number, row: CustomerLimitRow): Promise<CustomerDefaultView> {
  const { customer_id: _none, ...view } = await limitView(tx, orgId, nowMs, row)
  return { ...view, max_new_customers_per_day: present(row.max_new_customers_per_day) }
}

const absentLimit = (customerId: string) => ({ ...notSet(CustomerLimit), customer_id: customerId })

export async function getCustomerLimit(tx: Tx, orgId: string, nowMs: number, customerId: string) {
  const row = await findCustomerLimit(tx, orgId, customerId)
  return row ? limitView(tx, orgId, nowMs, row) : absentLimit(customerId)
}

export async function getCustomerDefault(tx: Tx, orgId: string, nowMs: number) {
  const row = await findCustomerLimit(tx, orgId, noSubject)
  return row ? defaultView(tx, orgId, nowMs, row) : notSet(CustomerDefaultShape)
}

export async function putCustomerLimit(
  tools: ChangeTools,
  orgId: string,
  customerId: string,
  wanted: DesiredState<CustomerLimitInput>,
  keepsNext: boolean,
): Promise<CustomerLimitView> {
  return put(tools, orgId, customerId, wanted, keepsNext, {
    name: 'customer_limit',
    viewOf: limitView,
    absent: absentLimit(customerId),
  })
}

export async function putCustomerDefault(
  tools: ChangeTools,
  orgId: string,
  wanted: DesiredState<CustomerDefaultInput>,
  keepsNext: boolean,
): Promise<CustomerDefaultView> {
  return put(tools, orgId, noSubject, wanted, keepsNext, {
    name: 'customer_limit_default',
    viewOf: defaultView,
    absent: notSet(CustomerDefaultShape),
  })
}

/** Chooses the lock: processes cache the default; a customer's own limit is read with each decision. */
const lockFor = (customerId: string) => (customerId === noSubject ? lockLedgerForConfigChange : lockLedger)

/** The audit log's view of a limit: its name, and how it is shown. */
interface AuditView<V> {
  readonly name: string
  readonly viewOf: (tx: Tx, orgId: string, nowMs: number, row: CustomerLimitRow) => Promise<V>
}

async function put<V extends { readonly id: string }>(
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  customerId: string,
  wanted: DesiredState<CustomerLimitInput & Pick<CustomerDefaultInput, 'max_new_customers_per_day'>>,
  keepsNext: boolean,
  { name, viewOf, absent }: AuditView<V> & { readonly absent: object },
): Promise<V> {
  const nowMs = await lockFor(customerId)(tx, orgId)
  const found = await findCustomerLimit(tx, orgId, customerId)
  const before = found && (await viewOf(tx, orgId, nowMs, found))
  replaces(before, absent)
  const {
    limit_usd,
    thresholds = [],
    max_new_customers_per_day: maxNew = defaultMaxNewPerDay,
    ...schedule
  } = wanted(found && withRequestedSchedule(present(before), found))
  const fields = {
    amount: limit_usd === null ? null : parseUsd(limit_usd),
    thresholds: ascending(thresholds),
    max_new_customers_per_day: customerId === noSubject ? maxNew : null,
    ...(found
      ? replaceSchedule(found, schedule, { nowMs, keepsNext })
      : newSchedule(mergeSchedule(schedule, defaultSchedule))),
  }
  const row = found
    ? await updateCustomerLimit(tx, orgId, found.customer_id, fields)
    : await insertCustomerLimit(tx, orgId, { id: newUuid(), customer_id: customerId, ...fields })
  if (found && found.amount !== row.amount) await rearmAllSubjects(tx, orgId, row.id, row.amount)
  const after = await viewOf(tx, orgId, nowMs, row)
  audit({ action: `${name}.set`, target: { kind: name, id: after.id }, before, after })
  return after
}

export const deleteCustomerLimit = (tools: ChangeTools, orgId: string, customerId: string) =>
  remove(tools, orgId, customerId, { name: 'customer_limit', viewOf: limitView })

export const deleteCustomerDefault = (tools: ChangeTools, orgId: string) =>
  remove(tools, orgId, noSubject, { name: 'customer_limit_default', viewOf: defaultView })

async function remove<V extends { readonly id: string }>(
  { tx, audit, replaces }: ChangeTools,
  orgId: string,
  customerId: string,
  { name, viewOf }: AuditView<V>,
): Promise<null> {
  const nowMs = await lockFor(customerId)(tx, orgId)
  const found = await findCustomerLimit(tx, orgId, customerId)
  if (!found) throw new ApiError('not_found')
  const before = await viewOf(tx, orgId, nowMs, found)
  replaces(before)
  await removeCustomerLimit(tx, orgId, found.customer_id)
  audit({ action: `${name}.deleted`, target: { kind: name, id: before.id }, before })
  return null
}
