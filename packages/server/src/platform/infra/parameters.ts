/**
 * Encodes a parameter of a statement: bytes as they are, everything else as PostgreSQL's text form. An array becomes an array
 * literal, any other object JSON.
 */
export function encodeParameter(value: unknown): string | Buffer | null {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return encodeArray(value)
  if (Buffer.isBuffer(value)) return value
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  return JSON.stringify(value)
}

function encodeArray(values: readonly unknown[]): string {
  let literal = '{'
  for (const [i, value] of values.entries()) {
    if (i > 0) literal += ','
    literal += encodeElement(value)
  }
  return `${literal}}`
}

function encodeElement(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'bigint' || typeof value === 'number') return String(value)
  if (Array.isArray(value)) return encodeArray(value)
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`
  const encoded = encodeParameter(value)
  return encoded === null ? 'NULL' : quoted(encoded.toString())
}

const special = /["\\]/g

const quoted = (text: string) =>
  text.includes('"') || text.includes('\\') ? `"${text.replace(special, '\\$&')}"` : `"${text}"`
