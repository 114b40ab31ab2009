const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const parameter = new RegExp(`\\s*;\\s*(?:(${token})=(${token}|"(?:[^"\\\\]|\\\\.)*"))?`, 'gy')
const type = new RegExp(`^\\s*(${token}/${token})\\s*`)

/**
 * Returns the media type that a header names, ignoring unknown parameters; undefined when the header is malformed or names an
 * encoding other than UTF-8.
 */
export function parseUtf8MediaType(header: string): string | undefined {
  if (header === 'application/json') return header
  const [whole, name = ''] = type.exec(header) ?? []
  if (whole === undefined) return undefined
  let end = whole.length
  parameter.lastIndex = end
  for (let found = parameter.exec(header); found; found = parameter.exec(header)) {
    const [, key, value = ''] = found
    if (key?.toLowerCase() === 'charset' && value.replaceAll('"', '').toLowerCase() !== 'utf-8') return undefined
    end = parameter.lastIndex
  }
  return header.slice(end).trim() === '' ? name.toLowerCase() : undefined
}
