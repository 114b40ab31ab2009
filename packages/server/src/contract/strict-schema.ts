import { isRecord, recordIn, withoutUndefined } from '../values/records.ts'
/** A JSON Schema, with the types of the keywords that are read here. */
export interface JsonSchema {
  [keyword: string]: unknown
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  enum?: unknown[]
  examples?: unknown[]
}

/** True for a schema; any object is one, also one of TypeBox. */
export const isJsonSchema = (value: unknown): value is JsonSchema => isRecord(value)

/** Returns a schema of TypeBox, or of the framework, by its keywords. */
export function jsonSchemaOf(schema: unknown): JsonSchema {
  if (!isJsonSchema(schema)) throw new Error('a schema is an object')
  return schema
}

/** Returns the schema of a route's successful response; undefined when it declares none. */
export function successSchema(route: { readonly response?: unknown } | undefined): JsonSchema | undefined {
  const success = recordIn(route?.response)['200']
  return isJsonSchema(success) ? success : undefined
}

const maxListedStrayFields = 20

/**
 * Returns plain JSON Schema, closed against unknown fields. An array with too many elements, or an object with far too many
 * fields, is refused before they are looked at: listing each would let one request cause unbounded work.
 */
export function toStrictSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toStrictSchema)
  if (schema === null || typeof schema !== 'object') return schema
  const copy: JsonSchema = {}
  for (const [key, value] of Object.entries(schema)) copy[key] = key === 'examples' ? value : toStrictSchema(value)
  if (copy['type'] === 'object' && copy.properties && !('additionalProperties' in copy)) {
    const { properties, required, ...rest } = copy
    const maxProperties = Object.keys(properties).length + maxListedStrayFields
    const inside = { properties, additionalProperties: false, ...(required !== undefined && { required }) }
    return { ...rest, maxProperties, if: { maxProperties }, then: { type: 'object', ...inside } }
  }
  if (copy['type'] === 'object' && 'maxProperties' in copy) {
    const { maxProperties, patternProperties, additionalProperties, propertyNames, ...rest } = copy
    const inside = withoutUndefined({ patternProperties, additionalProperties, propertyNames })
    return { ...rest, maxProperties, if: { maxProperties }, then: { type: 'object', ...inside } }
  }
  if (copy['type'] === 'array' && 'maxItems' in copy && 'items' in copy) {
    // `uniqueItems` stays beside the item type: without it every pair would be compared.
    const { items, uniqueItems, ...rest } = copy
    const inside = withoutUndefined({ items, uniqueItems })
    return { ...rest, if: { maxItems: copy['maxItems'] }, then: { type: 'array', ...inside } }
  }
  return copy
}
