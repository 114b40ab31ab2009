import type { dimensions } from './schema.ts'

/** The name under which usage is counted once its dimension has too many values. */
export const other = '(other)'

/** The dimensions whose values callers choose. */
export const chosenDimensions = [
  'model',
  'provider',
  'workflow_id',
  'deployment_id',
  'department_id',
  'user_id',
] as const
type ChosenDimension = (typeof chosenDimensions)[number]
export type BoundedDimension = ChosenDimension | 'customer_id'

/** The dimensions by which usage is distinguished. */
export type Combination = Readonly<Record<(typeof dimensions)[number], string>>

/** The number of combinations that one period of a rollup distinguishes, given the number of new values of a dimension a day. */
export const mostCombinations = (newValuesPerDay: number) => 5 * newValuesPerDay

/** Values of one dimension in the order in which they came, the known ones, and how many more may become known today. */
export interface ValueState {
  readonly said: readonly string[]
  readonly known: ReadonlySet<string>
  readonly room: number
}

/** Splits the new values of a dimension into those that become known and those that are too many. */
export function admitValues({ said, known, room }: ValueState): { admitted: string[]; refused: Set<string> } {
  const unknown = [...new Set(said)].filter((value) => !isAlwaysKnown(value) && !known.has(value))
  return { admitted: unknown.slice(0, Math.max(room, 0)), refused: new Set(unknown.slice(Math.max(room, 0))) }
}

/** True for the empty value and for the name of all further ones, which are never new. */
export const isAlwaysKnown = (value: string) => value === '' || value === other

export const keyOf = (combination: Combination): string =>
  JSON.stringify(Object.entries(combination).sort(([a], [b]) => (a < b ? -1 : 1)))

/** The rows that one period of a rollup has already. */
export interface PeriodState {
  count: number
  readonly existing: Set<string>
}

/**
 * Returns the row of a period that usage is added to: its own while the period distinguishes fewer combinations than it may; then
 * that of its model and provider; and where these are too many as well, that of everything else.
 */
export function placeCombination(combination: Combination, period: PeriodState, newValuesPerDay: number): Combination {
  const most = mostCombinations(newValuesPerDay)
  const coarse = { ...combination, workflow_id: other, deployment_id: other, department_id: other, user_id: other }
  if (takesRow(combination, period, most)) return combination
  if (takesRow(coarse, period, most + newValuesPerDay)) return coarse
  const rest = { ...coarse, model: other, provider: other }
  takesRow(rest, period, Number.POSITIVE_INFINITY)
  return rest
}

function takesRow(combination: Combination, period: PeriodState, most: number): boolean {
  const key = keyOf(combination)
  if (period.existing.has(key)) return true
  if (period.count >= most) return false
  period.existing.add(key)
  period.count++
  return true
}
