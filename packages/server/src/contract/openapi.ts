import swagger from '@fastify/swagger'
import type { OpenAPIV3_1 } from 'openapi-types'
import { errorExample } from './error-examples.ts'
import { catalog, type ErrorCode, errorCodes } from './errors.ts'
import { type App, type DeclaredError, isContractPath, type Route, type RouteDeclaration } from './routes.ts'
import { traceHeader } from './tracing.ts'

type Document = OpenAPIV3_1.Document

/** Which codes a route can answer, by status: its own, and those of the frame. */
export function errorsOf(route: Pick<Route, 'method' | 'declaration'>): Map<number, ErrorCode[]> {
  const { declaration, method } = route
  const all: DeclaredError[] = [
    'bad_request',
    'validation_failed',
    'internal',
    'service_unavailable',
    ...(declaration.errors ?? []),
  ]
  if (!declaration.open) all.push(...keyErrors)
  if (method !== 'GET') all.push(...changeErrors)
  const pairs = all.flatMap((error) =>
    typeof error === 'string'
      ? catalog[error].statuses.map((status) => ({ code: error, status: status as number }))
      : [{ code: error.code, status: error.status }],
  )
  const statuses = [...new Set(pairs.map(({ status }) => status))].sort((a, b) => a - b)
  return new Map(
    statuses.map((status) => [
      status,
      errorCodes.filter((code) => pairs.some((pair) => pair.code === code && pair.status === status)),
    ]),
  )
}

const keyErrors: DeclaredError[] = [
  'unauthorized',
  'key_expired',
  'gone',
  'org_suspended',
  'ip_not_allowed',
  'residency_violation',
  'not_found',
  'forbidden',
  'missing_scope',
  'support_scope_denied',
  'rate_limited',
  { code: 'quota_exhausted', status: 429 },
]
const changeErrors: DeclaredError[] = ['payload_too_large', 'idempotency_key_conflict', 'idempotency_key_processing']

/** Collects the routes into an OpenAPI 3.1 document; must be in place before the routes are. */
export async function describeRoutes(app: App, version: string) {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Weir',
        version,
        summary: 'What AI agents may spend and do.',
        description:
          'Before a model call Weir says whether it may run; afterwards it records what the run cost, and it never lets the admitted spend pass a limit.\n\nEvery error has one envelope; switch on `error.code`. Every response carries `x-svc-trace-id`.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This server.' }],
      components: {
        securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key.' } },
      },
    },
    transform: ({ schema, url }) => ({ url, schema: { ...schema, ...(isContractPath(url) ? {} : { hide: true }) } }),
  })
}

/** Each domain says what its operations are grouped under. */
export function describeTag(app: App, name: string, description: string) {
  const known = tags.get(app.server) ?? []
  tags.set(app.server, [...known, { name, description }])
}
const tags = new WeakMap<object, OpenAPIV3_1.TagObject[]>()
export const tagsOf = (app: App) => tags.get(app.server) ?? []

/** The document with everything that follows from the route list: error responses, security, common headers; and what is sent. */
export function completeDocument(
  base: Document,
  routes: readonly Route[],
  tags: OpenAPIV3_1.TagObject[],
  webhooks: NonNullable<Document['webhooks']>,
): Document {
  const document = structuredClone(base)
  document.tags = tags
  document.webhooks = webhooks
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...errorSchemas() },
    headers: commonHeaders,
  }
  for (const route of routes) {
    const operation = operationOf(document, route)
    operation.security = route.declaration.open ? [] : [{ key: [] }]
    const { scope, tenant } = route.declaration
    if (scope) operation['x-scope' as 'summary'] = scope
    if (tenant) operation['x-tenant-scope' as 'summary'] = tenant.scope
    // A body whose fields are all optional may be left out altogether.
    const body = operation.requestBody as OpenAPIV3_1.RequestBodyObject | undefined
    if (body && !isNeeded(body)) body.required = false
    describeBodyTypes(operation, route.declaration.bodyTypes ?? {})
    operation.responses = { ...operation.responses, ...errorResponses(errorsOf(route)) }
    for (const response of Object.values(operation.responses)) {
      const described = response as OpenAPIV3_1.ResponseObject
      described.headers = { [traceHeader]: { $ref: '#/components/headers/TraceId' }, ...described.headers }
    }
  }
  return document
}

function isNeeded({ content }: OpenAPIV3_1.RequestBodyObject): boolean {
  const schema = content['application/json']?.schema
  if (!schema || '$ref' in schema) return true
  return (schema.required ?? []).length > 0 || schema.minProperties !== undefined
}

function describeBodyTypes(operation: OpenAPIV3_1.OperationObject, types: NonNullable<RouteDeclaration['bodyTypes']>) {
  const body = operation.requestBody as OpenAPIV3_1.RequestBodyObject | undefined
  for (const [type, { schema }] of Object.entries(types))
    body!.content[type] = { schema: schema ?? body!.content['application/json']!.schema! }
}

/** Flags what the deprecation registry lists at this moment. */
export function flagDeprecated(
  document: Document,
  routes: readonly Route[],
  isDeprecated: (route: Route) => boolean,
): Document {
  const flagged = routes.filter(isDeprecated)
  if (flagged.length === 0) return document
  const copy = structuredClone(document)
  for (const route of flagged) operationOf(copy, route).deprecated = true
  return copy
}

function operationOf(document: Document, { method, template }: Route) {
  const operation = document.paths?.[template]?.[method.toLowerCase() as 'get'] as
    | OpenAPIV3_1.OperationObject
    | undefined
  if (!operation) throw new Error(`${method} ${template} is missing from the OpenAPI document`)
  return operation
}

const commonHeaders: Record<string, OpenAPIV3_1.HeaderObject> = {
  TraceId: {
    description: 'Locates the request in the logs of the service; quote it in reports.',
    schema: { type: 'string', pattern: '^[0-9a-f]{32}$', example: '4bf92f3577b34da6a3ce929d0e0e4736' },
  },
  RetryAfter: {
    description: 'Seconds until a plain retry can succeed; equals `details.retry_after_seconds`.',
    schema: { type: 'integer', minimum: 1, example: 12 },
  },
}

const componentName = (code: ErrorCode) =>
  `${code
    .split('_')
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join('')}Error`

const envelopeSchema = (
  code: OpenAPIV3_1.SchemaObject,
  details: OpenAPIV3_1.SchemaObject,
): OpenAPIV3_1.SchemaObject => ({
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'details'],
      properties: { code, message: { type: 'string', description: 'For people; its wording may change.' }, details },
    },
  },
})

/** The envelope, and beside it each code's own form with the fields of its details. */
function errorSchemas(): Record<string, OpenAPIV3_1.SchemaObject> {
  const schemas: Record<string, OpenAPIV3_1.SchemaObject> = {
    Error: envelopeSchema(
      { type: 'string', description: 'The stable value to switch on; new codes may appear.' },
      {
        type: 'object',
        description: 'Always present; its fields depend on the code, and fields may be added.',
        additionalProperties: true,
      },
    ),
  }
  for (const code of errorCodes) {
    schemas[componentName(code)] = Object.assign(
      envelopeSchema(
        { type: 'string', enum: [code] },
        structuredClone(catalog[code].details) as OpenAPIV3_1.SchemaObject,
      ),
      { description: catalog[code].message, 'x-statuses': catalog[code].statuses },
    )
  }
  return schemas
}

function errorResponses(byStatus: ReadonlyMap<number, readonly ErrorCode[]>): OpenAPIV3_1.ResponsesObject {
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${catalog[code].message}`).join('\n\n'),
        // Not a union of the codes' schemas: a code added later would then look like a broken promise to every reader.
        'x-error-codes': codes,
        ...(codes.includes('rate_limited') && {
          headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
        }),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }])),
          },
        },
      },
    ]),
  )
}
