export type Json = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a field of an object by its own name, undefined where there is none. */
export const fieldOf = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined

export const textOf = (value: unknown, name: string): string => {
  const field = fieldOf(value, name)
  return typeof field === 'string' ? field : typeof field === 'number' || typeof field === 'boolean' ? `${field}` : ''
}

export const recordsOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : [])

export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

/** Returns the code of a failed system call, such as `ENOENT`. */
export const systemCodeOf = (thrown: unknown): string | undefined => textOf(thrown, 'code') || undefined
