import type { OpenAPIV3_1 } from 'openapi-types'
import { lastOf, present } from '../values/present.ts'
import { isRecord } from '../values/records.ts'

/**
 * References in the OpenAPI document: a schema with a title stands once, under its name in `components`, and so does a
 * parameter that several operations have. A reader sees `Budget` where a budget is, and generators of clients name their types so.
 */

type Document = OpenAPIV3_1.Document
type Node = Record<string, unknown>

/** Keys whose values are data, in which nothing is a schema. */
const literal = new Set(['example', 'examples', 'default', 'enum', 'const', 'x-extensible-enum', 'security'])
/** Marks that the server leaves for itself. */
const internal = new Set(['x-path-id', 'x-filter', 'x-sort', 'x-computed'])
/** Keywords that a reference may have of its own. */
const overridable = ['description', 'examples', 'readOnly'] as const

/** Moves shared parts of a document to its components; names that stand for two different schemas are added to `faults`. */
export function shareParts(document: Document, faults: string[]): Document {
  const schemas = new Map<string, { readonly schema: Node; readonly identity: string }>()

  function shared(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(shared)
    if (!isRecord(value)) return value
    const node: Node = {}
    for (const [key, inner] of Object.entries(value)) {
      if (internal.has(key)) continue
      // The names of properties are no keywords: a field may be called `default`.
      if (key === 'properties' && isRecord(inner)) node[key] = mapValues(inner, shared)
      else node[key] = literal.has(key) ? inner : shared(inner)
    }
    const isSchema = ['type', 'enum', 'anyOf', 'readOnly'].some((key) => key in node)
    return typeof node['title'] === 'string' && isSchema ? referenceTo(node['title'], node) : node
  }

  function referenceTo(title: string, { title: _title, ...schema }: Node): Node {
    const identity = JSON.stringify(without(schema, overridable))
    const name = nameFor(title, schema, identity)
    if (name === undefined) return schema
    const usual = schemas.get(name)?.schema ?? schema
    if (usual === schema) schemas.set(name, { schema, identity })
    const own = overridable.filter((key) => JSON.stringify(schema[key]) !== JSON.stringify(usual[key]))
    const changed = own.filter((key) => schema[key] !== undefined).map((key) => [key, schema[key]])
    return { $ref: `#/components/schemas/${name}`, ...Object.fromEntries(changed) }
  }

  /** The name of a schema: its title, or another where the body of a PUT takes back more than that of a POST. */
  function nameFor(title: string, schema: Node, identity: string): string | undefined {
    const isFree = (name: string) => (schemas.get(name)?.identity ?? identity) === identity
    if (isFree(title)) return title
    // A scalar with bounds of its own stands where it is.
    if (schema['type'] !== 'object') return undefined
    const replacement = `${title.replace(/Input$/, '')}Replacement`
    if (!isFree(replacement)) faults.push(`two different schemas are called ${title}`)
    return replacement
  }

  const paths = shared(document.paths) as NonNullable<Document['paths']>
  const webhooks = shared(document.webhooks) as NonNullable<Document['webhooks']>
  const components = shared(document.components) as NonNullable<Document['components']>
  const named = [...schemas].map(([name, { schema }]) => [name, schema] as const)
  const operations = [paths, webhooks].flatMap((all) => Object.values(all as Operations).flatMap(Object.values))
  const repeated = shareRepeated(operations)
  return {
    ...document,
    paths,
    webhooks,
    components: {
      ...components,
      schemas: sorted({ ...components.schemas, ...Object.fromEntries(named) }),
      parameters: sorted({ ...components.parameters, ...repeated.parameters }),
      responses: sorted({ ...components.responses, ...repeated.responses }),
    },
  }
}

const mapValues = (node: Node, map: (value: unknown) => unknown): Node =>
  Object.fromEntries(Object.entries(node).map(([key, value]) => [key, map(value)]))

const without = (node: Node, keys: readonly string[]) =>
  Object.fromEntries(Object.entries(node).filter(([key]) => !keys.includes(key)))

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))

type Operations = Record<string, Record<string, OpenAPIV3_1.OperationObject>>

/** Parts that stand in several places of a document: the first gets a name, and all become references to it. */
class Repeated<T extends object> {
  readonly #counts = new Map<string, number>()
  readonly #names = new Map<string, string>()
  readonly #used = new Set<string>()
  readonly named: Record<string, T> = {}
  readonly #place: string
  readonly #nameOf: (part: T) => string

  constructor(place: string, nameOf: (part: T) => string) {
    this.#place = place
    this.#nameOf = nameOf
  }

  count(part: T | OpenAPIV3_1.ReferenceObject) {
    const text = JSON.stringify(part)
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1)
  }

  /** The part itself where it stands once, or a reference to it. */
  share(part: T | OpenAPIV3_1.ReferenceObject): T | OpenAPIV3_1.ReferenceObject {
    const text = JSON.stringify(part)
    if ('$ref' in part || present(this.#counts.get(text)) < 2) return part
    let name = this.#names.get(text)
    if (name === undefined) {
      const base = this.#nameOf(part)
      name = base
      for (let i = 2; this.#used.has(name); i++) name = `${base}${i}`
      this.#used.add(name)
      this.#names.set(text, name)
      this.named[name] = part
    }
    return { $ref: `#/components/${this.#place}/${name}` }
  }
}

/** Leaves references in operations that have the same parameters or responses; returns these by name. */
function shareRepeated(operations: readonly OpenAPIV3_1.OperationObject[]) {
  const parameters = new Repeated<OpenAPIV3_1.ParameterObject>('parameters', ({ name }) => pascalCase(name))
  const responses = new Repeated<OpenAPIV3_1.ResponseObject>('responses', responseName)
  for (const operation of operations) {
    for (const parameter of operation.parameters ?? []) parameters.count(parameter)
    for (const response of Object.values(operation.responses ?? {})) responses.count(response)
  }
  for (const operation of operations) {
    if (operation.parameters) operation.parameters = operation.parameters.map((one) => parameters.share(one))
    for (const [status, response] of Object.entries(operation.responses ?? {}))
      present(operation.responses)[status] = responses.share(response)
  }
  return { parameters: parameters.named, responses: responses.named }
}

/** The name of a response: that of its schema, or of what it says. */
function responseName({ content, description }: OpenAPIV3_1.ResponseObject): string {
  const [media] = Object.values(content ?? {})
  const schema = media?.schema
  if (schema && '$ref' in schema && schema.$ref !== undefined) return lastOf(schema.$ref.split('/'))
  return content ? 'Answer' : pascalCase(description.split(/\W+/).slice(0, 2).join('_'))
}

const pascalCase = (name: string) =>
  name
    .split(/[_-]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
