import type { PlannedSchedule, Schedule } from '../../values/period.ts'
import { present } from '../../values/present.ts'
import { type Enforcement, type LimitUnit, type ScopedLimit, type ScopeKind, scopeKinds } from './allowances.ts'
import { type LimitKind, thresholdsOf } from './limit-kind.ts'
import type { LimitRow, ScheduleColumns } from './queries.ts'

export function plannedOf(row: ScheduleColumns): PlannedSchedule {
  const schedule = (unit: string, anchor: string | null, timezone: string) => ({ unit, anchor, timezone }) as Schedule
  return {
    current: schedule(row.period, row.anchor, row.timezone),
    next:
      row.next_from === null
        ? null
        : {
            schedule: schedule(present(row.next_period), row.next_anchor, present(row.next_timezone)),
            fromMs: row.next_from.getTime(),
          },
  }
}

export const scheduleColumns = ({ current, next }: PlannedSchedule): ScheduleColumns => ({
  period: current.unit,
  anchor: current.anchor,
  timezone: current.timezone,
  next_period: next?.schedule.unit ?? null,
  next_anchor: next?.schedule.anchor ?? null,
  next_timezone: next?.schedule.timezone ?? null,
  next_from: next ? new Date(next.fromMs) : null,
})

const scopeKindOf = (text: string): ScopeKind => present(scopeKinds.find((kind) => kind === text))

/** Builds a limit from its row. */
export const limitOf = (row: LimitRow, kind: LimitKind): ScopedLimit => ({
  id: row.id,
  kind: row.kind,
  unit: row.unit as LimitUnit,
  amount: row.amount,
  schedule: plannedOf(row),
  enforcement: row.enforcement as Enforcement,
  thresholds: thresholdsOf(kind, row.thresholds),
  scopeKind: scopeKindOf(row.scope_kind),
  scopeId: row.scope_id,
  ...(row.and_kind !== null && { and: { scopeKind: scopeKindOf(row.and_kind), scopeId: present(row.and_id) } }),
  ...(row.max_new_per_day !== null && { maxNewPerDay: BigInt(row.max_new_per_day) }),
})
