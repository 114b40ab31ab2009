/** Checks of what only a defect of this program can break: the error names it where it happens, instead of somewhere later. */

/** Returns a value that must be there. */
export function present<T>(value: T | null | undefined): T {
  if (value === undefined || value === null) throw new Error('a value that must be there is missing')
  return value
}

/** Returns the first row of a query that always has one. */
export function one<T>(rows: readonly T[]): T {
  return elementAt(rows, 0)
}

/** Returns the last element of a list that is not empty. */
export function lastOf<T>(list: readonly T[]): T {
  return elementAt(list, list.length - 1)
}

/** Returns an element of a list that is known to be long enough. */
export function elementAt<T>(list: ArrayLike<T>, index: number): T {
  const element = list[index]
  if (element === undefined) throw new Error(`a list of ${list.length} has no element ${index}`)
  return element
}
