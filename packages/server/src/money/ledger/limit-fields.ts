import { isDeepStrictEqual } from 'node:util'
import { Type } from 'typebox'
import { ApiError, type FieldFault, validationFailed } from '../../contract/errors.ts'
import { Computed, Count, Nullable, OneOf, Timestamp, Usd } from '../../contract/wire.ts'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { formatDollars, formatUsd } from '../../values/money.ts'
import {
  isTimezone,
  type PeriodUnit,
  type PlannedSchedule,
  periodUnits,
  replan,
  type Schedule,
  startOfNextSchedule,
} from '../../values/period.ts'
import { present } from '../../values/present.ts'
import { timestamp } from '../../values/timestamp.ts'
import { type Allowance, allowanceAt, type Limit, remainingOf } from './allowances.ts'
import type { Claim, LimitRefusal, Refuser } from './limit-kind.ts'
import { plannedOf, scheduleColumns } from './limits.ts'
import { balancesOf, databaseTime, type ScheduleColumns, type UsedBalance } from './queries.ts'

export const LimitName = Type.String({ minLength: 1, maxLength: 100, examples: ['Support agents'] })

const defaultZone = 'UTC'

export const Timezone = Type.String({
  title: 'Timezone',
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
        title: 'PeriodAnchor',
        format: 'date',
        // Years that PostgreSQL, calendars and the wire all write with four digits.
        pattern: '^[12][0-9]{3}-',
        maxLength: 10,
        description: 'A date on which a period begins; null for the calendar’s own weeks, months, quarters and years.',
        examples: ['2026-01-15'],
      }),
    ),
  ),
}

/** Thresholds as a caller sets them. */
export const thresholdsInput = Type.Optional(
  Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), {
    title: 'Thresholds',
    maxItems: 10,
    uniqueItems: true,
    default: [],
    description: 'Percentages of the limit; each emits one event per period when the spend reaches it.',
    examples: [[50, 80, 100]],
  }),
)

export const ascending = (thresholds: readonly number[]) => thresholds.toSorted((a, b) => a - b)

interface ScheduleInput {
  readonly period?: PeriodUnit
  readonly timezone?: string
  readonly anchor?: string | null
}

/** Field errors of a schedule that JSON Schema cannot find: only the program knows which time zones exist. */
export const scheduleFaults = ({ timezone }: ScheduleInput): FieldFault[] =>
  timezone === undefined || isTimezone(timezone)
    ? []
    : [{ field: 'timezone', code: 'invalid_value', message: 'There is no such time zone.' }]

/** The schedule where a caller names none. */
export const defaultSchedule: Schedule = { unit: 'day', anchor: null, timezone: defaultZone }

export const mergeSchedule = (input: ScheduleInput, otherwise: Schedule): Schedule => ({
  unit: input.period ?? otherwise.unit,
  anchor: input.anchor === undefined ? otherwise.anchor : input.anchor,
  timezone: input.timezone ?? otherwise.timezone,
})

/** The schedule that was requested last, in force already or not: a change of one part leaves the other parts as requested. */
export const requestedSchedule = (row: ScheduleColumns): Schedule => {
  const { current, next } = plannedOf(row)
  return next?.schedule ?? current
}

export const newSchedule = (wanted: Schedule): ScheduleColumns => scheduleColumns({ current: wanted, next: null })

/**
 * Returns the schedule of a limit that is replaced; a changed one begins with its first own period after the running one. A time
 * zone or an anchor that was set is never reset by leaving it out: a new amount would silently move the spend to another day.
 * Sending back the running schedule together with the following one, as both were read, keeps both.
 */
export function replaceSchedule(
  row: ScheduleColumns,
  input: ScheduleInput,
  { nowMs, keepsNext }: { readonly nowMs: number; readonly keepsNext: boolean },
): ScheduleColumns {
  const last = requestedSchedule(row)
  const faults = (['timezone', 'anchor'] as const)
    .filter((name) => input[name] === undefined && last[name] !== defaultSchedule[name])
    .map(
      (field): FieldFault => ({ field, code: 'required', message: 'One is set already: send it again, or use PATCH.' }),
    )
  if (faults.length > 0) throw validationFailed(faults)
  const wanted = mergeSchedule(input, { ...defaultSchedule, unit: last.unit })
  const { next_schedule: _next, ...running } = scheduleView(plannedOf(row), nowMs)
  const isRunning = keepsNext && isDeepStrictEqual(scheduleOf(wanted), running)
  return scheduleColumns(replan(plannedOf(row), isRunning ? last : wanted, nowMs))
}

/** A limit as PATCH sees it: with the schedule that was requested last. */
export const withRequestedSchedule = <V extends object>(view: V, row: ScheduleColumns): V => ({
  ...view,
  ...scheduleOf(requestedSchedule(row)),
})

const schedule = {
  period: OneOf(periodUnits, { title: 'Period', examples: ['month'] }),
  timezone: Type.String(),
  anchor: Nullable(Type.String()),
}

export const nextScheduleField = {
  next_schedule: Nullable(
    Type.Object(
      { ...schedule, from: Timestamp },
      {
        title: 'NextSchedule',
        description: 'A changed schedule, which begins with its first own period once the running one is over.',
      },
    ),
  ),
}
export const scheduleFields = { ...schedule, ...nextScheduleField }

function scheduleOf({ unit, timezone, anchor }: Schedule) {
  const period: string = unit
  return { period, timezone, anchor }
}

export function scheduleView({ current, next }: PlannedSchedule, nowMs: number) {
  if (next === null) return { ...scheduleOf(current), next_schedule: null }
  const beginMs = startOfNextSchedule(next)
  if (nowMs >= beginMs) return { ...scheduleOf(next.schedule), next_schedule: null }
  return {
    ...scheduleOf(current),
    next_schedule: { ...scheduleOf(next.schedule), from: timestamp(new Date(beginMs)) },
  }
}

/** Fields that tell what a limit has refused. */
export const stopFields = {
  refused_count: Computed({
    ...Count,
    description: 'Number of calls it has refused, in the period if it has one. Updated within a second.',
  }),
  exhausted_at: Computed(
    Nullable(
      Type.String({
        ...Timestamp,
        description:
          'When it refused the first of them; null if it has refused none, or if a change of the limit has allowed calls again since.',
      }),
    ),
  ),
}

export const stopView = ({ refused, exhaustedAt }: Pick<UsedBalance, 'refused' | 'exhaustedAt'>) => ({
  refused_count: Number(refused),
  exhausted_at: exhaustedAt && timestamp(exhaustedAt),
})

/** Fields that tell how much of an amount in dollars is used. */
export const amountFields = {
  spent_usd: Computed(Usd),
  held_usd: Computed(Type.String({ ...Usd, description: 'Reserved for calls that are running now.' })),
  remaining_usd: Computed(Nullable(Usd)),
  overrun_usd: Computed(Type.String({ ...Usd, description: 'The part of the spend that was above its reservation.' })),
  late_usd: Computed(
    Type.String({
      ...Usd,
      description: 'The part of the spend that was reported after its reservation had ended.',
    }),
  ),
  ...stopFields,
}

export const amountView = (limit: bigint | null, balance: UsedBalance) => ({
  spent_usd: formatUsd(balance.spent),
  held_usd: formatUsd(balance.held),
  remaining_usd: limit === null ? null : formatUsd(remainingOf(limit, balance)),
  overrun_usd: formatUsd(balance.overrun),
  late_usd: formatUsd(balance.late),
  ...stopView(balance),
})

export const usdOrNull = (nano: bigint | null): string | null => (nano === null ? null : formatUsd(nano))

export const periodFields = { period_start: Computed(Timestamp), period_end: Computed(Timestamp) }

export const periodView = ({ period }: Allowance) => ({
  period_start: timestamp(new Date(period!.startMs)),
  period_end: timestamp(new Date(period!.endMs)),
})

export const rowTimes = { created_at: Timestamp, updated_at: Timestamp }

export const rowTimesView = (row: { readonly created_at: Date; readonly updated_at: Date }) => ({
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

/** The current usage of a limit by a subject. */
export interface LimitUsage<L extends Limit = Limit> {
  readonly limit: L
  readonly allowance: Allowance
  readonly balance: UsedBalance
}

export async function loadUsage<L extends Limit>(
  tx: Tx,
  orgId: string,
  nowMs: number,
  limits: readonly (readonly [limit: L, subject: string])[],
): Promise<LimitUsage<L>[]> {
  const found = limits.map(([limit, subject]) => ({ limit, allowance: allowanceAt(limit, subject, nowMs) }))
  const balances = await balancesOf(
    tx,
    orgId,
    found.map(({ allowance }) => allowance.key),
  )
  return found.map((one) => ({ ...one, balance: present(balances.get(one.allowance.key)) }))
}

/** Fields of every limit in dollars: usage, period and schedule. */
export const usageFields = { ...amountFields, ...periodFields, ...scheduleFields }

export const usageView = ({ limit, allowance, balance }: LimitUsage, nowMs: number) => ({
  ...amountView(limit.amount, balance),
  ...periodView(allowance),
  ...scheduleView(limit.schedule, nowMs),
})

/** Returns the thresholds that the spend has reached; 0 stands for the limit itself being exceeded. */
export function reachedThresholds(
  { amount, thresholds }: Pick<Limit, 'amount' | 'thresholds'>,
  spent: bigint,
): number[] {
  if (amount === null) return []
  const reached = thresholds.filter((percent) => BigInt(percent) * amount <= spent * 100n)
  return spent > amount ? [0, ...reached] : reached
}

export const claimOn = (kind: Refuser, allowance: Allowance): Claim => ({
  kind,
  unit: allowance.unit,
  mode: 'all',
  allowances: [allowance],
})

/** The amounts that explain a refusal: spent, held and attempted. */
export const refusalAmounts = ({ balance, attempted }: LimitRefusal) => ({
  spent_usd: formatUsd(balance.spent),
  held_usd: formatUsd(balance.held),
  attempted_usd: formatUsd(attempted),
})

/** The amounts of a refusal in one sentence, for people; `nameOf` names the limit with its amount. */
export const refusalMessage = (
  nameOf: (limit: string) => string,
  { allowance, balance, attempted }: LimitRefusal,
): string => {
  const [limit, spent, held] = [allowance.limit!, balance.spent, balance.held].map(formatDollars)
  return `${formatDollars(attempted)} would exceed ${nameOf(limit!)}: ${spent} is spent and ${held} is held.`
}

/** Reads at the database's time; throws `not_found` where nothing is found. */
export async function readAtDatabaseTime<T>(
  sql: Sql,
  orgId: string,
  read: (tx: Tx, nowMs: number) => Promise<T | undefined>,
): Promise<T> {
  const found = await sql.asOrgs([orgId], async (tx) => read(tx, await databaseTime(tx)))
  if (found === undefined) throw new ApiError('not_found')
  return found
}
