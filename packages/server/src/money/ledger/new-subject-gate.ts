import {
  type Allowance,
  allowanceAt,
  allowanceKey,
  type DefaultLimit,
  type Limit,
  type NewSubjectGate,
} from './allowances.ts'
import { defaultSchedule } from './limit-fields.ts'

/** An id that no subject has: it names a default itself, and the allowance that surplus new subjects of a day share. */
export const noSubject = ''

/** The kind of subject that a default applies to. */
export type SubjectKind = 'customer' | 'department' | 'workflow' | 'deployment'

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
  kind: `known_${bound}`,
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
      kind: `new_${bound}s`,
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
