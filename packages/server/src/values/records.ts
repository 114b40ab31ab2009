/** Objects by field name, with the types that `Object.keys` and `Object.fromEntries` forget. */

/** True for an object with fields; an array is none. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a value as an object with fields, empty when it is none. */
export const recordIn = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

/** Returns the names of an object's fields. */
export const namesOf = <T extends object>(record: T) => Object.keys(record) as (keyof T & string)[]

/** Makes an object with one field for each name. */
export const recordBy = <K extends string, V>(names: readonly K[], valueOf: (name: K, index: number) => V) =>
  Object.fromEntries(names.map((name, i) => [name, valueOf(name, i)])) as Record<K, V>

/** Returns an object without the fields that are undefined. */
export const withoutUndefined = <T extends object>(fields: { [K in keyof T]: T[K] | undefined }) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
