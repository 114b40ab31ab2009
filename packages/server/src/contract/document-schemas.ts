import type { JsonSchema } from './strict-schema.ts'

/** Keyword for a response string whose values are known today. */
export const knownValues = 'x-extensible-enum'
/** Keyword for parts of an object's example that its fields alone do not give; read by `exampleOf`, not published. */
export const exampleFields = 'x-example-fields'

const extensibleNote = 'New values may be added; handle unknown ones gracefully.'

/** Returns a request schema as it is enforced: objects accept no field that they do not name. */
export const documentRequest = (schema: unknown): unknown => map(schema, closeObject)

/** Returns a response schema as it is promised: objects have no unnamed field, lists of values can grow. */
export const documentResponse = (schema: unknown): unknown => map(schema, (node) => open(closeObject(node)))

const literal = new Set(['examples', 'example', 'default', 'enum', 'const', knownValues, exampleFields])

function map(schema: unknown, change: (node: JsonSchema) => JsonSchema): unknown {
  if (Array.isArray(schema)) return schema.map((item) => map(item, change))
  if (schema === null || typeof schema !== 'object') return schema
  const copy = Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => key !== exampleFields)
      .map(([key, value]) => [key, literal.has(key) ? value : map(value, change)]),
  )
  return change(copy)
}

const isObject = ({ type }: JsonSchema) => type === 'object' || (Array.isArray(type) && type.includes('object'))

const closeObject = (node: JsonSchema): JsonSchema =>
  isObject(node) && node.properties && !('additionalProperties' in node)
    ? { ...node, additionalProperties: false }
    : node

function open(node: JsonSchema): JsonSchema {
  const values = node[knownValues] ?? node.enum
  if (!Array.isArray(values) || values.length < 2 || !values.every((value) => typeof value === 'string')) return node
  const { enum: _, [knownValues]: __, description, ...rest } = node
  const said = description === undefined ? extensibleNote : `${description as string} ${extensibleNote}`
  return { ...rest, type: 'string', description: said, [knownValues]: values }
}
