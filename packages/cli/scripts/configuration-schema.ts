import { kinds } from '../src/configuration/kinds.ts'
import { fieldOf, isRecord, type Json, textOf } from '../src/values.ts'

/** Paths whose answers the commands read by their types. */
export const pathsOfCommands = [
  '/v1/me',
  '/v1/me/limits',
  '/v1/runs',
  '/v1/decisions/{decision_id}',
  '/v1/orgs/{id}',
  '/v1/orgs/{id}/audit-log/verify',
  '/v1/orgs/{id}/budgets',
  '/v1/orgs/{id}/deprecated-calls',
  '/v1/orgs/{id}/freezes',
  '/v1/orgs/{id}/key-reporting',
  '/v1/orgs/{id}/keys',
  '/v1/orgs/{id}/ledger',
  '/v1/orgs/{id}/prices',
  '/v1/orgs/{id}/prices/import',
  '/v1/orgs/{id}/refusals',
  '/v1/orgs/{id}/spend-cap',
  '/v1/orgs/{id}/usage',
  '/v1/orgs/{id}/webhooks',
  '/v1/admin/nodes',
]

/** Files of the command line that follow from openapi.json: the schema of weir.yaml, and what a key needs to change what. */
export function configurationFiles(document: string): Record<string, string> {
  const openapi: unknown = JSON.parse(document)
  return {
    'packages/cli/src/configuration/weir.schema.json': pretty(schemaOf(openapi)),
    'packages/cli/src/configuration/authority.json': pretty(authorityOf(openapi)),
  }
}

const pretty = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

const secretReference = {
  type: 'string',
  pattern: '^\\$\\{env:[A-Z_][A-Z0-9_]*\\}$',
  description:
    'The variable of the environment that has the secret, as `${env:NAME}`. A secret itself is never in the file.',
}

function schemaOf(openapi: unknown): Json {
  const schemas = fieldOf(fieldOf(openapi, 'components'), 'schemas')
  const definitions: Record<string, unknown> = {}
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline)
    if (!isRecord(value)) return value
    const name = textOf(value, '$ref').split('/').at(-1) ?? ''
    if (name === '')
      return Object.fromEntries(
        Object.entries(value).flatMap(([key, one]) => (key === 'example' ? [] : [[key, inline(one)]])),
      )
    if (!Object.hasOwn(definitions, name)) {
      definitions[name] = true
      definitions[name] = inline(keepSettable(fieldOf(schemas, name), []))
    }
    return { $ref: `#/$defs/${name}` }
  }
  const sections = kinds.map((kind) => {
    const without = [...(kind.without ?? [])]
    const entry = inline(keepSettable(fieldOf(schemas, kind.schema), without)) as Record<string, unknown>
    const isOptional = kind.shape === 'single' && kind.optional
    const whole = kind.shape === 'list' ? withKey(entry, kind.key) : entry
    const name = `${kind.section}_entry`
    definitions[name] = whole
    const reference = { $ref: `#/$defs/${name}` }
    const shape =
      kind.shape === 'list'
        ? { type: 'array', items: reference, maxItems: 10_000 }
        : isOptional
          ? { anyOf: [reference, { type: 'null' }] }
          : reference
    return [kind.section, { description: kind.description, ...shape }]
  })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'weir.yaml',
    description: 'The configuration of an organization of Weir, for `weir apply`.',
    type: 'object',
    required: ['version'],
    properties: { version: { const: 1, description: 'The version of this format.' }, ...Object.fromEntries(sections) },
    additionalProperties: false,
    $defs: Object.fromEntries(Object.entries(definitions).toSorted(([one], [other]) => one.localeCompare(other))),
  }
}

/** Returns the schema of a body without what cannot be set, what is left out on purpose, and with secrets as references. */
function keepSettable(schema: unknown, without: readonly string[]): unknown {
  const properties = fieldOf(schema, 'properties')
  if (!isRecord(schema) || !isRecord(properties)) return schema
  const kept = Object.entries(properties).flatMap(([name, one]) => {
    const reference = textOf(one, '$ref')
    if (without.includes(name) || /(ReadOnly|Ignored)Field$/.test(reference)) return []
    if (name === 'metadata_xml') return []
    return [[name, name === 'client_secret' ? secretReference : one]]
  })
  return { ...schema, properties: Object.fromEntries(kept), additionalProperties: false }
}

const scopeKinds = { type: 'string', minLength: 1, maxLength: 100 }

/** Returns the schema of an entry of a list with the fields that name it, where the body of the API leaves them to the path. */
function withKey(entry: Record<string, unknown>, key: readonly string[]): Record<string, unknown> {
  const properties = isRecord(entry['properties']) ? entry['properties'] : {}
  const missing = key.filter((field) => !Object.hasOwn(properties, field))
  const required = Array.isArray(entry['required']) ? entry['required'] : []
  return {
    ...entry,
    required: [...missing, ...required],
    properties: { ...Object.fromEntries(missing.map((field) => [field, scopeKinds])), ...properties },
  }
}

/** Roles and scope of each operation below an organization that reads or changes configuration. */
function authorityOf(openapi: unknown): Json {
  const paths = fieldOf(openapi, 'paths')
  const found: Record<string, unknown> = {}
  for (const [path, operations] of Object.entries(isRecord(paths) ? paths : {})) {
    if (!path.startsWith('/v1/orgs/{id}')) continue
    for (const [method, operation] of Object.entries(isRecord(operations) ? operations : {})) {
      if (!isRecord(operation) || method === 'parameters') continue
      const place = path.slice('/v1/orgs/{id}'.length).replaceAll(/\{[^}]+\}/g, '*')
      found[`${method.toUpperCase()} ${place}`] = { roles: operation['x-roles'], scope: operation['x-scope'] }
    }
  }
  return found
}
