import {
  type Document,
  type Header,
  methods,
  type Operation,
  type Parameter,
  type PathItem,
  type Response,
  type Schema,
} from './document.ts'

/**
 * One spelling per meaning, so that a comparison sees what changed and nothing else: references are resolved, a literal
 * is an enum of one, a union of literals and a list that can grow are enums, a union with null is a nullable type, and each variant of a union
 * has a title by which the variants of two documents are paired. Marks of deprecation are dropped: a comparison that
 * saw them would let deprecated things be removed, and would ask what day it is.
 */
export function canonical(document: Document): Document {
  const spell = speller(document)
  return {
    ...document,
    paths: mapValues(document.paths, spell.pathItem),
    components: {
      ...document.components,
      schemas: mapValues(document.components?.schemas ?? {}, (schema) => spell.schema(schema)),
    },
  }
}

/** The same for a schema that stands alone. */
export const canonicalSchema = (schema: Schema): Schema =>
  speller({ openapi: '', info: { title: '', version: '' }, paths: {} }).schema(schema)

const mapValues = <A, B>(record: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))

function without<T extends object>(value: T, ...dropped: string[]): T {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !dropped.includes(key))) as T
}

const deprecationMarks = ['deprecated', 'x-sunset']
const annotations = [...deprecationMarks, 'title', 'description', 'example', 'examples', '$comment']
const notCompared = new Set(annotations)
const schemaMaps = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs'])
const schemaLists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const schemas = new Set([
  'items',
  'additionalProperties',
  'not',
  'contains',
  'if',
  'then',
  'else',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contentSchema',
])

function speller(document: Document) {
  function resolved<T extends object>(value: T): T {
    const { $ref } = value as { $ref?: unknown }
    return typeof $ref === 'string' ? { ...resolved(target($ref) as T), ...without(value, '$ref') } : value
  }

  function target(reference: string): object {
    const found = reference
      .replace(/^#\//, '')
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((node, part) => (node as Record<string, unknown> | undefined)?.[part], document)
    if (typeof found !== 'object' || found === null)
      throw new Error(`The OpenAPI document refers to ${reference}, which it lacks.`)
    return found
  }

  function schema(given: Schema, within: readonly string[] = []): Schema {
    if (typeof given !== 'object') return given
    const { $ref } = given
    if (typeof $ref === 'string') {
      // A schema that contains itself is compared where it is first met.
      if (within.includes($ref)) return { $ref }
      return schema({ ...target($ref), ...without(given, '$ref') }, [...within, $ref])
    }
    const inner = (value: unknown) => schema(value as Schema, within)
    const spelled: Record<string, unknown> = {}
    for (const [keyword, value] of Object.entries(given)) {
      if (notCompared.has(keyword)) continue
      if (keyword === 'const') spelled['enum'] = [value]
      else if (keyword === 'x-extensible-enum') spelled['enum'] = value
      else if (schemaMaps.has(keyword)) spelled[keyword] = mapValues(value as Record<string, unknown>, inner)
      else if (schemaLists.has(keyword)) spelled[keyword] = (value as unknown[]).map(inner)
      else if (schemas.has(keyword)) spelled[keyword] = inner(value)
      else spelled[keyword] = value
    }
    return foldUnions(withType(foldIntersection(spelled)))
  }

  const content = (given: Response['content']) =>
    given &&
    mapValues(given, (media) => ({
      ...without(media, 'example', 'examples'),
      ...(media.schema && { schema: schema(media.schema) }),
    }))

  const header = (given: Header): Header => {
    const plain = without(resolved(given), ...annotations)
    return { ...plain, ...(plain.schema && { schema: schema(plain.schema) }) }
  }

  const parameter = (given: Parameter): Parameter => {
    const plain = without(resolved(given), ...annotations)
    return { ...plain, ...(plain.schema && { schema: schema(plain.schema) }) }
  }

  const response = (given: Response): Response => {
    const plain = resolved(given)
    return {
      ...plain,
      ...(plain.content && { content: content(plain.content)! }),
      ...(plain.headers && { headers: mapValues(plain.headers, header) }),
    }
  }

  function operation(given: Operation, shared: readonly Parameter[]): Operation {
    const own = (given.parameters ?? []).map(parameter)
    const inherited = shared.map(parameter).filter((p) => !own.some((o) => o.name === p.name && o.in === p.in))
    const body = given.requestBody && resolved(given.requestBody)
    return {
      ...without(given, ...deprecationMarks),
      parameters: [...inherited, ...own],
      ...(body && { requestBody: { ...body, ...(body.content && { content: content(body.content)! }) } }),
      responses: mapValues(given.responses ?? {}, response),
    }
  }

  function pathItem(given: PathItem): PathItem {
    const item = resolved(given)
    const operations = methods.flatMap((method) =>
      item[method] ? [[method, operation(item[method], item.parameters ?? [])]] : [],
    )
    return { ...without(item, 'parameters'), ...Object.fromEntries(operations) }
  }

  return { schema, pathItem }
}

const typesOf = (schema: Schema): string[] => [schema['type'] ?? []].flat() as string[]

const jsonType = (value: unknown) =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value

/** An enum need not name its type, but a comparison of types needs one. */
function withType(schema: Schema): Schema {
  const values = schema['enum'] as unknown[] | undefined
  if (!values || schema['type'] !== undefined) return schema
  return { ...schema, type: single([...new Set(values.map(jsonType))]) }
}

const single = <T>(values: T[]): T | T[] => (values.length === 1 ? values[0]! : values)

/** Objects that add up without saying two things about one field are one object. */
function foldIntersection(schema: Schema): Schema {
  const parts = schema['allOf'] as Schema[] | undefined
  if (!parts) return schema
  const all = [without(schema, 'allOf'), ...parts]
  const plain = all.every((part) => Object.keys(part).every((key) => ['type', 'properties', 'required'].includes(key)))
  const names = all.flatMap((part) => Object.keys((part['properties'] as object | undefined) ?? {}))
  const types = new Set(all.flatMap(typesOf))
  if (!plain || types.size > 1 || new Set(names).size < names.length) return schema
  return {
    type: 'object',
    required: [...new Set(all.flatMap((part) => (part['required'] as string[] | undefined) ?? []))],
    properties: Object.assign({}, ...all.map((part) => part['properties'])),
  }
}

function foldUnions(schema: Schema): Schema {
  let folded = schema
  for (const keyword of ['anyOf', 'oneOf']) {
    const variants = folded[keyword] as Schema[] | undefined
    if (!variants) continue
    const rest = without(folded, keyword)
    const fewer = foldNull(foldEnums(variants.flatMap((variant) => nestedUnion(variant, keyword))))
    const merges = fewer.length === 1 && Object.keys(rest).every((key) => !(key in fewer[0]!))
    folded = merges ? { ...rest, ...fewer[0] } : { ...rest, [keyword]: titled(fewer) }
  }
  return folded
}

const nestedUnion = (variant: Schema, keyword: string): Schema[] =>
  Object.keys(variant).every((key) => key === keyword || key === 'title') && Array.isArray(variant[keyword])
    ? (variant[keyword] as Schema[]).map((nested) => without(nested, 'title'))
    : [variant]

const isEnum = (variant: Schema) =>
  'enum' in variant && Object.keys(variant).every((key) => key === 'enum' || key === 'type')

function foldEnums(variants: Schema[]): Schema[] {
  const enums = variants.filter(isEnum)
  if (enums.length < 2) return variants
  const types = [...new Set(enums.flatMap(typesOf))]
  return [
    { type: single(types), enum: enums.flatMap((variant) => variant['enum'] as unknown[]) },
    ...variants.filter((v) => !isEnum(v)),
  ]
}

function foldNull(variants: Schema[]): Schema[] {
  const others = variants.filter((variant) => variant['type'] !== 'null')
  const [only] = others
  if (others.length !== 1 || variants.length === 1 || only!['type'] === undefined) return variants
  const types = [...new Set([...typesOf(only!), 'null'])]
  return [
    { ...only, type: types, ...('enum' in only! && { enum: [...new Set([...(only['enum'] as unknown[]), null])] }) },
  ]
}

/** Titles by the value that tells the variants apart, otherwise by type and position. */
function titled(variants: Schema[]): Schema[] {
  const discriminator = discriminatorOf(variants.filter((variant) => 'properties' in variant))
  const seen = new Map<string, number>()
  return variants.map((variant) => {
    const value = discriminator === undefined ? undefined : literalOf(variant, discriminator)
    const name = value ?? JSON.stringify(variant['type'] ?? variant['$ref'] ?? 'any')
    const position = (seen.get(name) ?? 0) + 1
    seen.set(name, position)
    return { ...variant, title: position === 1 ? name : `${name} ${position}` }
  })
}

function discriminatorOf(objects: Schema[]): string | undefined {
  if (objects.length < 2) return undefined
  return Object.keys(objects[0]!['properties'] as object).find((name) => {
    const literals = objects.map((object) => literalOf(object, name))
    return !literals.includes(undefined) && new Set(literals).size === objects.length
  })
}

function literalOf(object: Schema, property: string): string | undefined {
  const values = (object['properties'] as Record<string, Schema> | undefined)?.[property]?.['enum'] as
    | unknown[]
    | undefined
  return values?.length === 1 ? JSON.stringify(values[0]) : undefined
}
