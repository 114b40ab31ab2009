import { Type } from 'typebox'
import { ApiError, type FieldFault } from '../contract/errors.ts'
import { Nullable, Timestamp, Usd } from '../contract/wire.ts'
import type { Sql, Tx } from '../infra/sql.ts'
import { formatUsd } from '../values/money.ts'
import { isTimezone, type PeriodUnit, type Planned, periodUnits, replan, type Schedule } from '../values/period.ts'
import { timestamp } from '../values/timestamp.ts'
import {
  type Allowance,
  allowanceAt,
  type Balance,
  type Claim,
  type Limit,
  type LimitKind,
  type Refusal,
  remainingOf,
} from './allowances.ts'
import { plannedOf, scheduleColumns } from './limits.ts'
import { balancesOf, databaseTime, type ScheduleColumns } from './queries.ts'

export const LimitName = Type.String({ minLength: 1, maxLength: 100, examples: ['Support agents'] })

const defaultZone = 'UTC'

export const Timezone = Type.String({
  minLength: 1,
  maxLength: 64,
  default: defaultZone,
  description: 'The IANA name of the zone whose midnights bound the periods.',
  examples: ['Europe/Berlin'],
})

export const scheduleInput = {
  period: Type.Enum([...periodUnits]),
  timezone: Type.Optional(Timezone),
  anchor: Type.Optional(
    Nullable(
      Type.String({
        format: 'date',
        // The years that PostgreSQL, calendars and the wire all write with four digits.
        pattern: '^[12][0-9]{3}-',
        maxLength: 10,
        description: 'A date on which a period begins; null for the calendar’s own weeks, months, quarters and years.',
        examples: ['2026-01-15'],
      }),
    ),
  ),
}

interface ScheduleInput {
  readonly period?: PeriodUnit
  readonly timezone?: string
  readonly anchor?: string | null
}

/** Which zones there are is known to the program only. */
export const scheduleFaults = ({ timezone }: ScheduleInput): FieldFault[] =>
  timezone === undefined || isTimezone(timezone)
    ? []
    : [{ field: 'timezone', code: 'invalid_value', message: 'There is no such time zone.' }]

/** Where a caller says no more. */
export const plainSchedule: Schedule = { unit: 'day', anchor: null, timezone: defaultZone }

export const wantedSchedule = (input: ScheduleInput, otherwise: Schedule): Schedule => ({
  unit: input.period ?? otherwise.unit,
  anchor: input.anchor === undefined ? otherwise.anchor : input.anchor,
  timezone: input.timezone ?? otherwise.timezone,
})

/** What was asked for last, in force already or not: a change of one part leaves the others as they were asked for. */
export const lastWanted = (row: ScheduleColumns): Schedule => {
  const { current, next } = plannedOf(row)
  return next?.schedule ?? current
}

export const newSchedule = (wanted: Schedule): ScheduleColumns => scheduleColumns({ current: wanted, next: null })

/** A changed schedule begins where the running period ends. */
export const changedSchedule = (row: ScheduleColumns, wanted: Schedule, nowMs: number): ScheduleColumns =>
  scheduleColumns(replan(plannedOf(row), wanted, nowMs))

const schedule = {
  period: Type.String({ description: `One of ${periodUnits.map((unit) => `\`${unit}\``).join(', ')}.` }),
  timezone: Type.String(),
  anchor: Nullable(Type.String()),
}

export const nextScheduleField = {
  next_schedule: Nullable(
    Type.Object(
      { ...schedule, from: Timestamp },
      { description: 'A changed schedule, which begins where the running period ends.' },
    ),
  ),
}
export const scheduleFields = { ...schedule, ...nextScheduleField }

const scheduleOf = ({ unit, timezone, anchor }: Schedule) => ({ period: unit as string, timezone, anchor })

export function scheduleView({ current, next }: Planned, nowMs: number) {
  if (next === null) return { ...scheduleOf(current), next_schedule: null }
  if (nowMs >= next.fromMs) return { ...scheduleOf(next.schedule), next_schedule: null }
  return {
    ...scheduleOf(current),
    next_schedule: { ...scheduleOf(next.schedule), from: timestamp(new Date(next.fromMs)) },
  }
}

/** How much of an amount of dollars is used. */
export const amountFields = {
  spent_usd: Usd,
  held_usd: Type.String({ ...Usd, description: 'Reserved for what is running now.' }),
  remaining_usd: Nullable(Usd),
  overrun_usd: Type.String({ ...Usd, description: 'The part of what was spent that was above its reservation.' }),
  late_usd: Type.String({
    ...Usd,
    description: 'The part of what was spent that was reported after its reservation had ended.',
  }),
}

export const amountView = (limit: bigint | null, balance: Balance) => ({
  spent_usd: formatUsd(balance.spent),
  held_usd: formatUsd(balance.held),
  remaining_usd: limit === null ? null : formatUsd(remainingOf(limit, balance)),
  overrun_usd: formatUsd(balance.overrun),
  late_usd: formatUsd(balance.late),
})

export const usdOrNull = (nano: bigint | null): string | null => (nano === null ? null : formatUsd(nano))

export const periodFields = { period_start: Timestamp, period_end: Timestamp }

export const periodView = ({ period }: Allowance) => ({
  period_start: timestamp(new Date(period!.startMs)),
  period_end: timestamp(new Date(period!.endMs)),
})

export const rowTimes = { created_at: Timestamp, updated_at: Timestamp }

export const rowTimesView = (row: { readonly created_at: Date; readonly updated_at: Date }) => ({
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

/** A limit for a subject now, and what is used of it. */
export interface Standing<L extends Limit = Limit> {
  readonly limit: L
  readonly allowance: Allowance
  readonly balance: Balance
}

export async function standings<L extends Limit>(
  tx: Tx,
  orgId: string,
  nowMs: number,
  asked: readonly (readonly [limit: L, subject: string])[],
): Promise<Standing<L>[]> {
  const found = asked.map(([limit, subject]) => ({ limit, allowance: allowanceAt(limit, subject, nowMs) }))
  const balances = await balancesOf(
    tx,
    orgId,
    found.map(({ allowance }) => allowance.key),
  )
  return found.map((one) => ({ ...one, balance: balances.get(one.allowance.key)! }))
}

/** The fields that every limit in dollars has: how much is used, of which period, and how time is cut. */
export const usageFields = { ...amountFields, ...periodFields, ...scheduleFields }

export const usageView = ({ limit, allowance, balance }: Standing, nowMs: number) => ({
  ...amountView(limit.amount, balance),
  ...periodView(allowance),
  ...scheduleView(limit.schedule, nowMs),
})

/** 0 stands for the limit itself passed. */
export function reachedOf({ amount, thresholds }: Pick<Limit, 'amount' | 'thresholds'>, spent: bigint): number[] {
  if (amount === null) return []
  const reached = thresholds.filter((percent) => BigInt(percent) * amount <= spent * 100n)
  return spent > amount ? [0, ...reached] : reached
}

export const claimOn = (kind: LimitKind, allowance: Allowance): Claim => ({
  kind,
  unit: allowance.unit,
  mode: 'all',
  allowances: [allowance],
})

/** The numbers that explain a refusal: what was spent and held, and what was to come on top. */
export const refusedAmounts = ({ balance, attempted }: Refusal) => ({
  spent_usd: formatUsd(balance.spent),
  held_usd: formatUsd(balance.held),
  attempted_usd: formatUsd(attempted),
})

/** For people: the numbers of a refusal in one sentence. */
export const refusedMessage = (what: string, { allowance, balance, attempted }: Refusal) =>
  `${formatUsd(attempted)} would pass ${what} of ${formatUsd(allowance.limit!)}: ${formatUsd(balance.spent)} is spent and ${formatUsd(balance.held)} held.`

/** Reads at the database's time; what is not there is not found. */
export async function readNow<T>(
  sql: Sql,
  orgId: string,
  read: (tx: Tx, nowMs: number) => Promise<T | undefined>,
): Promise<T> {
  const found = await sql.asOrgs([orgId], async (tx) => read(tx, await databaseTime(tx)))
  if (found === undefined) throw new ApiError('not_found')
  return found
}
