const lineWidth = 140

/**
 * JSON for people and for diffs: a value that fits on a line stands on one, any other has its parts on lines of their own. A part that is
 * alone stays on the line of what it is in.
 */
export function readableJson(value: unknown, indent = ''): string {
  const line = JSON.stringify(value)
  if (value === null || typeof value !== 'object' || indent.length + line.length <= lineWidth) return line
  const inner = `${indent}  `
  if (Array.isArray(value) && value.length === 1) return `[${readableJson(value[0], indent)}]`
  if (Array.isArray(value))
    return `[\n${value.map((item) => inner + readableJson(item, inner)).join(',\n')}\n${indent}]`
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  const [only] = fields
  if (only && fields.length === 1) return `{${JSON.stringify(only[0])}: ${readableJson(only[1], indent)}}`
  const lines = fields.map(([name, field]) => `${inner}${JSON.stringify(name)}: ${readableJson(field, inner)}`)
  return `{\n${lines.join(',\n')}\n${indent}}`
}
