import {
  type Allowance,
  allowanceAt,
  allowanceKey,
  type DefaultLimit,
  type Limit,
  type ScopeKind,
} from './allowances.ts'
import { defaultSchedule } from './limit-fields.ts'
import type { NewSubjectGate } from './limit-kind.ts'

/** An id that no subject has: it names a default itself, and the allowance that surplus new subjects of a day share. */
export const noSubject = ''

/** True when a limit applies to every subject without a limit of its own. */
export const isDefault = <L extends Limit & Partial<DefaultLimit>>(limit: L): limit is L & DefaultLimit =>
  limit.maxNewPerDay !== undefined

/** The kind of subject that a default applies to. */
export type SubjectKind = Exclude<ScopeKind, 'org'>

const markerName = (bound: SubjectKind) => `known_${bound}`
const counterName = (bound: SubjectKind) => `new_${bound}s`

/** The names, in the journal, of the rows of gates. */
export const gateNames = (...bounds: readonly SubjectKind[]) =>
  bounds.flatMap((bound) => [markerName(bound), counterName(bound)])

/** Returns the gate that keeps a default's allowances from growing with names that callers make up. */
export function newSubjectGateOf(
  limit: DefaultLimit,
  bound: SubjectKind,
  subject: string,
  nowMs: number,
): NewSubjectGate {
  const { counter, shared } = companionsOf(limit, bound)
  return {
    marker: markerOf(limit, bound, subject),
    counter: allowanceAt(counter, noSubject, nowMs),
    fallback: allowanceAt(shared, noSubject, nowMs),
  }
}

/** The row that marks a subject as known, in whatever period. */
const markerOf = ({ id }: DefaultLimit, bound: SubjectKind, subject: string): Allowance => ({
  key: allowanceKey(id, subject, 'runs', 'known'),
  limitId: id,
  kind: markerName(bound),
  subject,
  unit: 'runs',
  period: null,
  limit: null,
  enforcement: 'alert',
  thresholds: [],
})

interface Companions {
  /** Counts the new subjects of the day. */
  readonly counter: Limit
  /** The default itself, as a separate object: its cached allowance is not evicted by those of subjects. */
  readonly shared: Limit
}

const companions = new WeakMap<DefaultLimit, Companions>()

function companionsOf(limit: DefaultLimit, bound: SubjectKind): Companions {
  const known = companions.get(limit)
  if (known) return known
  const made: Companions = {
    counter: {
      id: limit.id,
      kind: counterName(bound),
      unit: 'runs',
      amount: limit.maxNewPerDay,
      schedule: { current: defaultSchedule, next: null },
      enforcement: 'block',
      thresholds: [],
    },
    shared: { ...limit },
  }
  companions.set(limit, made)
  return made
}
