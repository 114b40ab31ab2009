import swagger from '@fastify/swagger'
import type { OpenAPIV3_1 } from 'openapi-types'
import { documentRequest, documentResponse } from './document-schemas.ts'
import { conditionHeaders, taggedShapes } from './entity-tags.ts'
import { errorExamples, errorResponse, errorResponseName, errorSchemas, errorsOf } from './error-responses.ts'
import type { ErrorCode } from './errors.ts'
import { addReadOnly } from './read-only.ts'
import { headerComponents, headersOf, type ResponseKind } from './response-headers.ts'
import {
  type ApiRoute,
  type App,
  honoursIdempotencyKey,
  isContractPath,
  type Role,
  type RouteDeclaration,
  reasonHeader,
  rolesIncluding,
  takesReason,
} from './routes.ts'
import { answerExample } from './schema-examples.ts'
import { shareParts } from './shared-parts.ts'
import type { JsonSchema } from './strict-schema.ts'

type Document = OpenAPIV3_1.Document

/** Parameter of exactly the routes that honour it. */
const idempotencyKey: OpenAPIV3_1.ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes a retry safe: the same key with the same request within 24 hours gets the first response again, marked `Idempotent-Replayed: true`. With a different request the error is `idempotency_key_conflict`. The key belongs to the API key that sent it.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]{1,255}$' },
  example: 'order-4711',
}

/** Parameter of the routes whose changes the audit log records. */
const reason: OpenAPIV3_1.ParameterObject = {
  name: reasonHeader,
  in: 'header',
  description:
    'Why you make the change, kept as `reason` of its entry in the audit log: 1 to 500 printable characters. Write characters that are not ASCII, and `%` itself, as percent-encoded UTF-8.',
  schema: { type: 'string', minLength: 1, maxLength: 6_000, pattern: '^[ -~]{1,6000}$' },
  example: 'Two more customers in the pilot, agreed with Ada.',
}

/** Collects the routes into an OpenAPI 3.1 document; must be registered before the routes. */
export async function describeRoutes(app: App, version: string) {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Weir',
        version,
        summary: 'What AI agents may spend and do.',
        description:
          'Before a model call Weir decides whether it may run; afterwards it records the cost of the run. Admitted spend never exceeds a limit.\n\nEvery error has one envelope; switch on `error.code`. Every response carries `x-svc-trace-id`.',
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

/** Describes the tag that a domain's operations are grouped under. */
export function describeTag(app: App, name: string, description: string) {
  const known = tags.get(app.server) ?? []
  tags.set(app.server, [...known, { name, description }])
}
const tags = new WeakMap<object, OpenAPIV3_1.TagObject[]>()
export const tagsOf = (app: App) => tags.get(app.server) ?? []

/**
 * Completes the document with everything that follows from the route list: callers, errors, headers, examples and webhooks.
 * Omissions of routes are added to `faults`.
 */
export function completeDocument(
  base: Document,
  routes: readonly ApiRoute[],
  tags: OpenAPIV3_1.TagObject[],
  webhooks: NonNullable<Document['webhooks']>,
  faults: string[] = [],
): Document {
  const document = structuredClone(base)
  document.tags = tags
  document.webhooks = webhooks
  const sharedErrors: NonNullable<OpenAPIV3_1.ComponentsObject['responses']> = {}
  const tagged = taggedShapes(routes)
  for (const route of routes) {
    const operation = operationOf(document, route)
    const isTagged = tagged.has(`${route.method} ${route.template}`)
    if (honoursIdempotencyKey(route.method, route.declaration))
      operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/IdempotencyKey' }]
    if (takesReason(route.method, route.declaration))
      operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/Reason' }]
    if (isTagged) describeConditions(operation, route.method)
    describeCallers(operation, route.declaration)
    describeRequest(operation, route.declaration.bodyTypes ?? {})
    const request = exampleBody(operation)
    if (operation.requestBody && request === undefined)
      faults.push(`${route.method} ${route.template}: its body has no example; give the schema \`examples\``)
    for (const [status, response] of Object.entries(operation.responses ?? {}))
      faults.push(
        ...describeResponse(response as OpenAPIV3_1.ResponseObject, {
          route,
          isTagged,
          status: Number(status),
          request,
        }),
      )
    for (const [status, codes] of errorsOf(route)) {
      const name = errorResponseName(status, codes, route)
      sharedErrors[name] ??= errorResponse(status, codes, route)
      operation.responses![String(status)] = { $ref: `#/components/responses/${name}` }
    }
  }
  for (const route of routes) if (route.method === 'PUT' || route.method === 'PATCH') documentReadOnly(document, route)
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...errorSchemas() },
    headers: headerComponents(),
    examples: errorExamples(),
    parameters: { IdempotencyKey: idempotencyKey, Reason: reason },
    responses: Object.fromEntries(Object.entries(sharedErrors).sort(([a], [b]) => (a < b ? -1 : 1))),
  }
  return shareParts(document, faults)
}

/** Documents the conditional headers of a tagged resource. */
function describeConditions(operation: OpenAPIV3_1.OperationObject, method: string) {
  if (method === 'POST') return
  operation.parameters = [...(operation.parameters ?? []), ...conditionHeaders(method)]
  if (method === 'GET')
    operation.responses!['304'] = {
      description: 'Nothing has changed since the state that `If-None-Match` names.',
    }
}

/** Documents the callers that a route admits: in words, and in extensions for programs. */
function describeCallers(operation: OpenAPIV3_1.OperationObject, declaration: RouteDeclaration) {
  const { open, anyKey, role, scope, orScopes, tenant } = declaration
  operation.security = open ? [] : [{ key: [] }]
  const extensions = {
    ...(role && { 'x-roles': tenant ? [...rolesIncluding(tenant.role), role] : rolesIncluding(role) }),
    ...(scope && { 'x-scope': scope }),
    ...(orScopes && { 'x-or-scopes': orScopes }),
    ...(tenant && { 'x-tenant-scope': tenant.scope }),
    ...(role === 'operator' && { 'x-badges': [{ name: tenant ? 'Operators and organization' : 'Operators' }] }),
  }
  Object.assign(operation, extensions)
  operation.description = `${operation.description ?? ''}\n\n${callersInWords()}`

  function callersInWords(): string {
    if (open) return 'Needs no key.'
    if (anyKey) return 'Accepts any valid key, whatever its role and scopes.'
    const needs = (who: Role, what: string) => `role ${listInWords(rolesIncluding(who))} and scope \`${what}\``
    if (role !== 'operator') return `Needs a key with ${needs(role!, [scope!, ...(orScopes ?? [])].join('` or `'))}.`
    const own = tenant ? `, or a key of the organization with ${needs(tenant.role, tenant.scope)}` : ''
    return `For operators: needs a key with ${needs(role, scope!)}${own}.`
  }
}

function listInWords(roles: readonly Role[]): string {
  const named = roles.map((role) => `\`${role}\``)
  return named.length < 2 ? named.join() : `${named.slice(0, -1).join(', ')} or ${named.at(-1)}`
}

const jsonType = 'application/json'

function describeRequest(operation: OpenAPIV3_1.OperationObject, types: NonNullable<RouteDeclaration['bodyTypes']>) {
  const body = operation.requestBody as OpenAPIV3_1.RequestBodyObject | undefined
  if (!body) return
  // A body whose fields are all optional may be left out altogether.
  if (!isBodyRequired(body)) body.required = false
  const json = body.content[jsonType]!
  json.schema = documentRequest(json.schema) as OpenAPIV3_1.SchemaObject
  for (const [type, { schema, example }] of Object.entries(types))
    body.content[type] = { schema: schema ?? json.schema, ...(example !== undefined && { example }) }
}

function exampleBody({ requestBody }: OpenAPIV3_1.OperationObject): unknown {
  const json = (requestBody as OpenAPIV3_1.RequestBodyObject | undefined)?.content[jsonType]
  return json?.example ?? firstValue(json?.examples)
}

const firstValue = (examples: OpenAPIV3_1.MediaTypeObject['examples'] = {}): unknown =>
  Object.values(examples).map((example) => ('value' in example ? example.value : undefined))[0]

/** Completes a success response; returns what its route has omitted. */
function describeResponse(
  response: OpenAPIV3_1.ResponseObject,
  { request, ...kind }: Pick<ResponseKind, 'status' | 'isTagged'> & { route: ApiRoute; request: unknown },
): string[] {
  const missing: string[] = []
  const bodies = Object.entries(response.content ?? {}) as [string, { schema?: JsonSchema; example?: unknown }][]
  for (const [type, media] of bodies) {
    if (!media.schema || isBinary(type)) continue
    media.example ??= answerExample(media.schema, request, missing)
    media.schema = documentResponse(media.schema) as JsonSchema
  }
  response.headers = headersOf({ ...kind, codes: [], isDeprecated: false })
  const answer = `${kind.route.method} ${kind.route.template} ${kind.status}`
  return [
    ...(response.description === defaultDescription ? [`${answer}: has no description; give its schema one`] : []),
    ...missing.map((field) => `${answer}: ${field} has no example; give its schema \`examples\``),
  ]
}

/** Text that the framework gives to a response without a description. */
const defaultDescription = 'Default Response'
const isBinary = (type: string) => type === 'application/x-protobuf'

/** Adds the read-only fields to the body of a change, which accepts what GET returns. */
function documentReadOnly(document: Document, route: ApiRoute) {
  const answer = document.paths?.[route.template]?.get?.responses?.['200'] as OpenAPIV3_1.ResponseObject | undefined
  const body = operationOf(document, route).requestBody as OpenAPIV3_1.RequestBodyObject | undefined
  const [settable, shown] = [body?.content[jsonType]?.schema, answer?.content?.[jsonType]?.schema]
  if (settable && shown) addReadOnly(settable as JsonSchema, shown as JsonSchema)
}

function isBodyRequired({ content }: OpenAPIV3_1.RequestBodyObject): boolean {
  const schema = content['application/json']?.schema
  if (!schema || '$ref' in schema) return true
  return (schema.required ?? []).length > 0 || schema.minProperties !== undefined
}

/** Flags the operations that the deprecation registry lists at this moment. */
export function flagDeprecated(
  document: Document,
  routes: readonly ApiRoute[],
  isDeprecated: (route: ApiRoute) => boolean,
): Document {
  const flagged = routes.filter(isDeprecated)
  if (flagged.length === 0) return document
  const copy = structuredClone(document)
  const sharedAs = ($ref: string, response: OpenAPIV3_1.ResponseObject) => {
    copy.components!.responses![$ref.replace('#/components/responses/', '')] = response
    return { $ref }
  }
  for (const route of flagged) {
    const operation = operationOf(copy, route)
    operation.deprecated = true
    for (const [status, response] of Object.entries(operation.responses ?? {})) {
      const own = structuredClone(resolvedResponse(copy, response))
      const codes = own['x-error-codes'] ?? []
      const added = headersOf({ route, status: Number(status), codes, isTagged: false, isDeprecated: true })
      own.headers = { ...own.headers, ...added }
      operation.responses![status] =
        codes.length > 0 && '$ref' in response ? sharedAs(`${response.$ref}.Deprecated`, own) : own
    }
  }
  return copy
}

type DescribedResponse = OpenAPIV3_1.ResponseObject & { 'x-error-codes'?: readonly ErrorCode[] }

/** Returns a response, following its reference. */
export function resolvedResponse(
  document: Document,
  response: OpenAPIV3_1.ResponseObject | OpenAPIV3_1.ReferenceObject,
): DescribedResponse {
  if (!('$ref' in response)) return response
  return document.components!.responses![response.$ref.replace('#/components/responses/', '')] as DescribedResponse
}

function operationOf(document: Document, { method, template }: ApiRoute) {
  const operation = document.paths?.[template]?.[method.toLowerCase() as 'get'] as
    | OpenAPIV3_1.OperationObject
    | undefined
  if (!operation) throw new Error(`${method} ${template} is missing from the OpenAPI document`)
  return operation
}
