import type { RequestHeaders } from '../dialects/dialect.ts'

const weirKey = /^weir_[0-9A-Za-z_]{10,200}$/
/** Keys of another gateway, as Weir takes them: nothing else is worth asking it. A test compares this with Weir's own rule. */
const foreignKey = /^sk-[0-9A-Za-z_-]{20,200}$/
const leastDistinct = 10

export const isForeignKey = (key: string): boolean => foreignKey.test(key) && new Set(key).size >= leastDistinct

/**
 * Returns the key by which Weir knows a caller, from the headers by which it may come; the first leaves `Authorization` to a credential of the
 * provider's. A foreign key, where these are taken, counts only beside no key of Weir.
 */
export function keyOf(headers: RequestHeaders, takesForeign: boolean): string | undefined {
  const bearer = /^bearer\s+(\S+)$/i.exec(String(headers['authorization'] ?? ''))?.[1]
  const given = [headers['x-weir-key'], bearer, headers['x-api-key'], headers['api-key'], headers['x-goog-api-key']]
  const keys = given.filter((key) => typeof key === 'string')
  return keys.find((key) => weirKey.test(key)) ?? (takesForeign ? keys.find(isForeignKey) : undefined)
}
