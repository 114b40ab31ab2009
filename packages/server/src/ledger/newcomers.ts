import {
  type Allowance,
  allowanceAt,
  allowanceKey,
  type DefaultLimit,
  type Limit,
  type Newcomers,
} from './allowances.ts'
import { plainSchedule } from './limit-fields.ts'

/** No subject has this id: it names a default itself, and the allowance that too many new subjects of a day share. */
export const nobody = ''

/** Whom a default binds. */
export type Bound = 'customer' | 'department' | 'workflow' | 'deployment'

/** How a claim on a default is kept from growing with names that callers make up. */
export function newcomersOf(limit: DefaultLimit, bound: Bound, subject: string, nowMs: number): Newcomers {
  const { counter, shared } = companionsOf(limit, bound)
  return {
    marker: markerOf(limit, bound, subject),
    counter: allowanceAt(counter, nobody, nowMs),
    instead: allowanceAt(shared, nobody, nowMs),
  }
}

/** The row that says that a subject has been met before, in whatever period. */
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
  /** How many new subjects were met today. */
  readonly counter: Limit
  /** The default itself, as an object of its own: what is remembered of it is not displaced by each subject. */
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
