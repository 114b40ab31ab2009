/** An object as JSON has it, of which nothing is known yet. */
export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** A count of tokens at a field; undefined where there is none. */
export function countAt(object: unknown, field: string): number | undefined {
  const value = isObject(object) ? object[field] : undefined
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined
}
