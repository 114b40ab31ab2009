/** Readings of what a `catch` receives: anything can be thrown. */

/** Returns what was thrown as an error: itself if it is one. */
export const errorOf = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown })

/** Returns the code of an error, an SQLSTATE or one of Node's such as `ECONNRESET`; undefined when it has none. */
export function errorCode(thrown: unknown): string | undefined {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined
  return typeof code === 'string' ? code : undefined
}
