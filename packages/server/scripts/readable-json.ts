const lineWidth = 120

/** JSON for people and for diffs: a value that fits on a line stands on one, any other has its parts on lines of their own. */
export function readableJson(value: unknown, indent = ''): string {
  const line = JSON.stringify(value)
  if (value === null || typeof value !== 'object' || indent.length + line.length <= lineWidth) return line
  const inner = `${indent}  `
  if (Array.isArray(value))
    return `[\n${value.map((item) => inner + readableJson(item, inner)).join(',\n')}\n${indent}]`
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(([name, field]) => `${inner}${JSON.stringify(name)}: ${readableJson(field, inner)}`)
  return `{\n${fields.join(',\n')}\n${indent}}`
}
