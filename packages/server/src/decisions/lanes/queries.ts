import { sql as raw } from 'kysely'
import { keyIdentity, liveClaimCondition } from '../../access/idempotency/idempotency.ts'
import type { MakerColumns } from '../../access/identity/identity.ts'
import { type NamedAllowanceRow, type ScheduleColumns, stoppedThreshold } from '../../money/ledger/ledger.ts'
import { textArray, uuidArray } from '../../platform/infra/binary-arrays.ts'
import { type BoundStatement, type Statement, statement } from '../../platform/infra/pipelined-connection.ts'
import type { Sql } from '../../platform/infra/sql.ts'

/**
 * The statements of a lane. Rows are reached one by one through their key (`cross join lateral … limit 1`) and written through
 * the `ctid` under which they were found: no other form keeps its plan when an organization has grown to a million rows since the
 * statistics were taken. Each statement that reads comes after the one that locks, and so sees what was committed before the
 * lock.
 */

const send = (to: Statement, ...values: unknown[]): BoundStatement => ({ statement: to, values })

const beginStatement = statement('begin', 'begin')
const commitStatement = statement('commit', 'commit')
const rollbackStatement = statement('rollback', 'rollback')
const tenantsStatement = statement('tenants', `select set_config('app.orgs', $1, true)`)

export const begin = send(beginStatement)
export const commit = send(commitStatement)
export const rollback = send(rollbackStatement)
export const tenants = (orgIds: readonly string[]) => send(tenantsStatement, orgIds.join(','))

const keyLocksStatement = statement(
  'key_locks',
  `select pg_try_advisory_xact_lock(hashtextextended(k, 0)) as is_ours from unnest($1::text[]) k`,
)
/** Takes the lock that other routes take on an idempotency key. Where it is taken, another request with the key is in flight. */
export const lockIdempotencyKeys = (keys: readonly { orgId: string; key: string }[]) =>
  send(
    keyLocksStatement,
    keys.map(({ orgId, key }) => keyIdentity(orgId, key)),
  )

export interface LedgerRow {
  readonly org_id: string
  readonly seq: bigint
  readonly config_version: bigint
}

const lockText = `select org_id, seq, config_version from org_ledgers where org_id = any($1::uuid[]) order by org_id for no key update`
const lockStatement = statement('lock', lockText)
const lockFreeStatement = statement('lock_free', `${lockText} skip locked`)
/**
 * Locks ledgers. With several organizations, those that another process has locked are skipped: they must not delay the others.
 */
export const lockLedgers = (orgIds: readonly string[]) =>
  send(orgIds.length === 1 ? lockStatement : lockFreeStatement, uuidArray(orgIds))

/** Locks all ledgers in order, and waits for each. */
export const lockLedgersWaiting = (orgIds: readonly string[]) => send(lockStatement, uuidArray(orgIds))

const clockStatement = statement('clock', 'select clock_timestamp() as now')
export const clock = send(clockStatement)

/** The columns that a decision needs of an allowance that it has planned; the others it knows. */
export interface CounterRow {
  readonly org_id: string
  readonly key: string
  readonly place: string
  readonly spent: bigint
  readonly held: bigint
  readonly last_seq: bigint
}

/** A full row of an allowance that only a hold refers to. */
export type AllowanceRow = CounterRow & NamedAllowanceRow

export const counterColumns = `key, ctid::text as place, spent, held, last_seq`
const allowanceColumns = `${counterColumns}, limit_id, kind, subject, unit, period_label, period_start, period_end`
const byKey = (columns: string) =>
  `select t.org_id, a.* from unnest($1::uuid[], $2::uuid[]) as t (org_id, wanted) cross join lateral (
     select ${columns} from allowances where org_id = t.org_id and key = t.wanted limit 1) a`
const countersStatement = statement('counters', byKey(counterColumns))
const allowancesStatement = statement('allowances', byKey(allowanceColumns))

type Keys = readonly { readonly orgId: string; readonly key: string }[]
const ofKeys = (wanted: Keys) => [uuidArray(wanted.map(({ orgId }) => orgId)), uuidArray(wanted.map(({ key }) => key))]

export const readCounters = (wanted: Keys) => send(countersStatement, ...ofKeys(wanted))
export const readAllowances = (wanted: Keys) => send(allowancesStatement, ...ofKeys(wanted))

const holdColumns = `id, state, on_expiry, held_at, expires_at, amount_nano, keys, amounts, draws, charged_nano, overrun_nano, estimate, inputs, key_id, grant_id, lineage_id`
const theHolds = `from unnest($1::uuid[], $2::uuid[]) as t (org_id, wanted) cross join lateral (
     select ${holdColumns} from holds where org_id = t.org_id and id = t.wanted limit 1) h`

/** A charge by estimate as it is stored. */
export interface StoredEstimate {
  readonly costs: readonly string[]
  readonly report: object
}

export interface HoldRow extends MakerColumns {
  readonly org_id: string
  readonly id: string
  readonly state: 'open' | 'settled' | 'released' | 'expired'
  readonly on_expiry: 'release' | 'charge'
  readonly held_at: Date
  readonly expires_at: Date
  readonly amount_nano: bigint
  readonly keys: string[]
  readonly amounts: string[]
  readonly draws: number[]
  readonly charged_nano: bigint | null
  readonly overrun_nano: bigint | null
  readonly estimate: StoredEstimate | null
  /** Set only where it differs from the maker. */
  readonly lineage_id: string | null
  readonly inputs: unknown
}

const holdsStatement = statement('holds', `select t.org_id, h.* ${theHolds}`)
const holdAllowancesStatement = statement(
  'hold_allowances',
  `select distinct on (t.org_id, a.key) t.org_id, a.* ${theHolds} cross join lateral unnest(h.keys) as k cross join lateral (
     select ${allowanceColumns} from allowances where org_id = t.org_id and key = k limit 1) a`,
)
/** More than any customer has; the bound keeps the plan an index lookup. */
const maxPacks = 1_000
/** Packs that can still be drawn on, or could when a stored hold was made. */
const drawable = `voided_at is null and (expires_at is null or expires_at > clock_timestamp() - interval '9 days')`
const packColumns = `owner, id, amount, priority, expires_at, voided_at, created_at`
const holdPacksStatement = statement(
  'hold_packs',
  `select distinct on (t.org_id, p.id) t.org_id, p.* ${theHolds} cross join lateral (
     select ${packColumns} from packs where org_id = t.org_id and owner = lower(h.inputs ->> 'customer_id') and ${drawable} order by id limit ${maxPacks}) p`,
)
const holdPackAllowancesStatement = statement(
  'hold_pack_allowances',
  `select distinct on (t.org_id, a.key) t.org_id, a.* ${theHolds} cross join lateral (
     select id from packs where org_id = t.org_id and owner = lower(h.inputs ->> 'customer_id') and ${drawable} order by id limit ${maxPacks}) p cross join lateral (
     select ${counterColumns} from allowances where org_id = t.org_id and key = p.id limit 1) a`,
)
/** Reads holds, and every row that ending them can touch. */
export function readHolds(wanted: readonly { orgId: string; holdId: string }[]) {
  const values = [uuidArray(wanted.map(({ orgId }) => orgId)), uuidArray(wanted.map(({ holdId }) => holdId))]
  return [holdsStatement, holdAllowancesStatement, holdPacksStatement, holdPackAllowancesStatement].map((to) =>
    send(to, ...values),
  )
}

export interface SnapshotCustomerLimitRow extends ScheduleColumns {
  readonly org_id: string
  readonly customer_id: string
  readonly id: string
  readonly amount: bigint | null
  readonly thresholds: number[]
}
export interface SnapshotPackRow {
  readonly org_id: string
  readonly owner: string
  readonly id: string
  readonly amount: bigint
  readonly priority: number
  readonly expires_at: Date | null
  readonly voided_at: Date | null
  readonly created_at: Date
}

const theCustomers = `from unnest($1::uuid[], $2::text[]) as t (org_id, customer) cross join lateral`
const customersStatement = statement(
  'customers',
  `select t.org_id, c.* ${theCustomers} (
     select customer_id, id, amount, thresholds, period, anchor::text, timezone, next_period, next_anchor::text, next_timezone, next_from
       from customer_limits where org_id = t.org_id and customer_id = t.customer limit 1) c`,
)
const packsStatement = statement(
  'packs',
  `select t.org_id, p.* ${theCustomers} (
     select ${packColumns} from packs where org_id = t.org_id and owner = t.customer and ${drawable} order by id limit ${maxPacks}) p`,
)
const packAllowancesStatement = statement(
  'pack_allowances',
  `select t.org_id, a.* ${theCustomers} (
     select id from packs where org_id = t.org_id and owner = t.customer and ${drawable} order by id limit ${maxPacks}) p cross join lateral (
     select ${counterColumns} from allowances where org_id = t.org_id and key = p.id limit 1) a`,
)
type Customers = readonly { readonly orgId: string; readonly customerId: string }[]
const ofCustomers = (wanted: Customers) => [
  uuidArray(wanted.map(({ orgId }) => orgId)),
  textArray(wanted.map(({ customerId }) => customerId)),
]

/** Reads customers' own limits; there may be millions, so no process caches them. */
export const readCustomers = (wanted: Customers) => send(customersStatement, ...ofCustomers(wanted))

export const readPacks = (wanted: Customers) =>
  [packsStatement, packAllowancesStatement].map((to) => send(to, ...ofCustomers(wanted)))

export interface StoredResponseRow {
  readonly org_id: string
  readonly key: string
  readonly request_hash: Buffer
  readonly sealed: Buffer | null
}

const storedResponsesStatement = statement(
  'kept_answers',
  `select t.org_id, i.* from unnest($1::uuid[], $2::text[]) as t (org_id, wanted) cross join lateral (
     select key, request_hash, sealed from idempotency_keys
      where org_id = t.org_id and key = t.wanted and ${liveClaimCondition}
      order by day desc limit 1) i`,
)
export const readStoredResponses = (keys: readonly { orgId: string; key: string }[]) =>
  send(
    storedResponsesStatement,
    keys.map(({ orgId }) => orgId),
    keys.map(({ key }) => key),
  )

/** Most overdue leases that one transaction ends before a refusal. */
export const maxOverdue = 2_000
const overdueStatement = statement(
  'overdue',
  `select t.org_id, h.* from unnest($1::uuid[]) as t (org_id) cross join lateral (
     select ${holdColumns} from holds
      where org_id = t.org_id and state = 'open' and expires_at < $2::timestamptz order by expires_at limit ${maxOverdue}) h`,
)
/** Reads the overdue holds of one organization, however many others have. */
export const readOverdue = (orgId: string, before: Date) => send(overdueStatement, [orgId], before)

const stopsStatement = statement(
  'stops',
  `select e.key from unnest($2::uuid[]) as wanted cross join lateral (
     select key from threshold_events where org_id = $1 and key = wanted and threshold = ${stoppedThreshold} limit 1) e`,
)
/** Reads which allowances have emitted an event for a refusal already. */
export const readStops = (orgId: string, keys: readonly string[]) => send(stopsStatement, orgId, keys)

/** Returns the oldest holds of all organizations whose lease is over. */
export async function expiredHolds({ db }: Sql, graceMs: number, most: number) {
  const { rows } = await raw<{ org_id: string; id: string }>`
    select org_id, id from expired_holds(clock_timestamp() - make_interval(secs => ${graceMs / 1_000}), ${most})`.execute(
    db,
  )
  return rows.map(({ org_id, id }) => ({ orgId: org_id, holdId: id }))
}
