import { elementAt, lastOf } from '../values/present.ts'
import { isRecord, recordIn } from '../values/records.ts'
import { exampleFields, knownValues } from './document-schemas.ts'
import { sampleValues } from './sample-values.ts'
import type { JsonSchema } from './strict-schema.ts'

type Json = unknown
type Fields = Record<string, Json>

/** Fields found without an example in their schema. */
export type MissingExamples = string[]

/**
 * Builds the example of a response from the examples of its fields; a field that the request has too takes the value of the
 * request's example.
 */
export function answerExample(schema: JsonSchema, request: Json, missing: MissingExamples = []): Json {
  return exampleOf(schema, { at: '', request, missing })
}

interface ExampleContext {
  readonly at: string
  readonly request: Json
  readonly missing: MissingExamples
}

function exampleOf(schema: JsonSchema, place: ExampleContext): Json {
  const given = schema.examples
  if (given && given.length > 0) return overlayExample(given[0], place.request)
  if ('const' in schema) return schema['const']
  const branches = schema.anyOf ?? schema.oneOf
  if (branches) {
    const chosen = branches.find(({ type }) => type !== 'null') ?? elementAt(branches, 0)
    const isGivenAsNull = place.request === null && branches.some(({ type }) => type === 'null')
    return isGivenAsNull ? null : exampleOf(chosen, place)
  }
  if (schema['type'] === 'object') return objectExample(schema, place)
  if (schema['type'] === 'array') return arrayExample(schema, place)
  if (schema['type'] === 'null') return null
  return leafExample(schema, place)
}

function objectExample(schema: JsonSchema, { at, request, missing }: ExampleContext): Fields {
  const fixed = recordIn(schema[exampleFields])
  const asked = isRecord(request) ? request : {}
  const example: Fields = {}
  for (const [name, field] of Object.entries(schema.properties ?? {}))
    example[name] =
      name in fixed
        ? fixed[name]
        : exampleOf(field, { at: at === '' ? name : `${at}.${name}`, request: asked[name], missing })
  if (schema.properties === undefined && isRecord(request)) return request
  return example
}

function arrayExample(schema: JsonSchema, { at, request, missing }: ExampleContext): Json[] {
  const { items, minItems } = schema
  if (!items) return []
  const least = Math.max(1, Number(minItems ?? 0))
  const asked: Json[] = Array.isArray(request) && request.length >= least ? request : Array(least).fill(undefined)
  return asked.map((item) => exampleOf(items, { at: `${at}[]`, request: item, missing }))
}

function leafExample(schema: JsonSchema, { at, request, missing }: ExampleContext): Json {
  if (request !== undefined && request !== null && typeName(request, schema) === schema['type']) return request
  const values = schema[knownValues] ?? schema.enum
  if (Array.isArray(values)) return values[0]
  if (schema['type'] === 'boolean') return false
  const name = lastOf(at.replace(/\[\]$/, '').split('.')).replace(/\[\]$/, '')
  const sample = sampleValues[name]
  if (sample !== undefined && typeName(sample, schema) === schema['type']) return sample
  missing.push(at === '' ? 'the answer' : at)
  return schema['type'] === 'string' ? 'text' : 0
}

/** Overlays an example with the request's values of the same type. */
function overlayExample(example: Json, request: Json): Json {
  if (request === undefined || request === null || isRecord(example) || Array.isArray(example)) return example
  return typeof example === typeof request ? request : example
}

const typeName = (value: Json, { type }: JsonSchema) => {
  if (typeof value !== 'number') return typeof value
  return type === 'integer' && Number.isInteger(value) ? 'integer' : 'number'
}
