/** Forms in which providers are known to write the tools of a request into the prompt. */

type Members = Readonly<Record<string, unknown>>
const isMembers = (value: unknown): value is Members =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** As TypeScript, the form of OpenAI. */
export function asTypeScript(tools: readonly unknown[]): string {
  const types = tools.map((tool) => {
    const named = isMembers(tool) ? (tool['function'] ?? tool) : {}
    const { name, description, parameters, input_schema }: Members = isMembers(named) ? named : {}
    const schema = parameters ?? input_schema
    return `${comment(description)}type ${String(name)} = (${schema === undefined ? '' : `_: ${typeOf(schema)}`}) => any;\n`
  })
  return `# Tools\n\n## functions\n\nnamespace functions {\n\n${types.join('\n')}\n} // namespace functions\n`
}

const comment = (text: unknown) => (typeof text === 'string' ? `// ${text}\n` : '')

function typeOf(schema: unknown): string {
  if (!isMembers(schema)) return 'any'
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' | ')
  if ('const' in schema) return JSON.stringify(schema['const'])
  if (schema['type'] === 'array') return `${typeOf(schema['items'])}[]`
  if (!isMembers(schema['properties'])) return JSON.stringify(schema['type'] ?? 'any')
  const members = Object.entries(schema['properties']).map(
    ([key, inner]) => `${isMembers(inner) ? comment(inner['description']) : ''}${key}?: ${typeOf(inner)},\n`,
  )
  return `{\n${members.join('')}}`
}

/** As JSON with four spaces, the form of the templates of Llama. */
export const asIndentedJson = (tools: readonly unknown[]): string =>
  tools.map((tool) => JSON.stringify(tool, undefined, 4)).join('\n\n')

/** As JSON with a space after commas and colons, the form of Python. */
export const asSpacedJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(asSpacedJson).join(', ')}]`
  if (!isMembers(value)) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}: ${asSpacedJson(inner)}`)
    .join(', ')}}`
}
