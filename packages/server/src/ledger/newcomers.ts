import {
  type Allowance,
  allowanceAt,
  allowanceKey,
  type DefaultLimit,
  type Limit,
  type Newcomers,
} from './allowances.ts'
import { plainSchedule } from './limit-fields.ts'

/** An id that no subject has: it names a default itself, and the allowance that surplus new subjects of a day share. */
export const nobody = ''

/** The kind of subject that a default applies to. */
export type Bound = 'customer' | 'department' | 'workflow' | 'deployment'

/** Returns the gate that keeps a default's allowances from growing with names that callers make up. */
export function newcomersOf(limit: DefaultLimit, bound: Bound, subject: string, nowMs: number): Newcomers {
  const { counter, shared } = companionsOf(limit, bound)
  return {
    marker: markerOf(limit, bound, subject),
    counter: allowanceAt(counter, nobody, nowMs),
    instead: allowanceAt(shared, nobody, nowMs),
  }
}

/** The row that marks a subject as known, in whatever period. */
const markerOf = ({ id }: DefaultLimit, bound: Bound, subject: string): Allowance => ({
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

function companionsOf(limit: DefaultLimit, bound: Bound): Companions {
  const known = companions.get(limit)
  if (known) return known
  const made: Companions = {
    counter: {
      id: limit.id,
      kind: `new_${bound}s`,
      unit: 'runs',
      amount: limit.maxNewPerDay,
      schedule: { current: plainSchedule, next: null },
      enforcement: 'block',
      thresholds: [],
    },
    shared: { ...limit },
  }
  companions.set(limit, made)
  return made
}
