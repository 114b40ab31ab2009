import type { OpenAPIV3_1 } from 'openapi-types'
import { elementAt } from '../values/present.ts'
import { errorExample } from './error-examples.ts'
import { catalog, type ErrorCode, errorCodes } from './errors.ts'
import { headersOf } from './response-headers.ts'
import { type ApiRoute, type DeclaredError, honoursIdempotencyKey } from './routes.ts'

/** Returns the error codes of a route by status: its own, and those that any route can return. */
export function errorsOf(route: Pick<ApiRoute, 'method' | 'declaration'>): Map<number, ErrorCode[]> {
  const { declaration, method } = route
  const all: DeclaredError[] = [
    'bad_request',
    'validation_failed',
    'internal',
    'service_unavailable',
    ...(declaration.errors ?? []),
  ]
  if (!declaration.open) all.push(...keyErrors, { code: 'quota_exhausted', status: declaration.quotaStatus ?? 429 })
  if (method !== 'GET') all.push('payload_too_large')
  if (honoursIdempotencyKey(method, declaration)) all.push(...keyedErrors)
  if (method === 'PUT' || method === 'PATCH' || method === 'DELETE') all.push('precondition_failed')
  const pairs = all.flatMap((error) =>
    typeof error === 'string'
      ? catalog[error].statuses.map((status): { code: ErrorCode; status: number } => ({ code: error, status }))
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
]
const keyedErrors: DeclaredError[] = ['idempotency_key_conflict', 'idempotency_key_processing']

const pascalCase = (code: ErrorCode) =>
  code
    .split('_')
    .map((word) => elementAt(word, 0).toUpperCase() + word.slice(1))
    .join('')

const componentName = (code: ErrorCode) => `${pascalCase(code)}Error`

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

/** Returns the schemas of errors: the envelope, and one for each code with the fields of its details. */
export function errorSchemas(): Record<string, OpenAPIV3_1.SchemaObject> {
  const schemas: Record<string, OpenAPIV3_1.SchemaObject> = {
    Error: envelopeSchema(
      { type: 'string', description: 'Stable code to switch on; new codes may be added.' },
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

/** Returns an example of each error, by code. */
export const errorExamples = (): Record<string, OpenAPIV3_1.ExampleObject> =>
  Object.fromEntries(errorCodes.map((code) => [code, { value: errorExample(code) }]))

/** Error codes of any change by status; shared responses are named by their difference from these. */
const usualErrors = errorsOf({ method: 'POST', declaration: {} })

/**
 * Returns the component name of a response, by how its codes differ from the usual ones, so that a name never comes to mean
 * another set.
 */
export function errorResponseName(status: number, codes: readonly ErrorCode[], { declaration }: ApiRoute): string {
  const usual = usualErrors.get(status) ?? []
  const more = codes.filter((code) => !usual.includes(code)).map((code) => `.${pascalCase(code)}`)
  const less = usual.filter((code) => !codes.includes(code)).map((code) => `.Not${pascalCase(code)}`)
  return `Error${status}${[...more, ...less].join('')}${declaration.open ? '.Open' : ''}`
}

export const errorResponse = (
  status: number,
  codes: readonly ErrorCode[],
  route: ApiRoute,
): OpenAPIV3_1.ResponseObject & { 'x-error-codes': readonly ErrorCode[] } => ({
  description: codes.map((code) => `\`${code}\`: ${catalog[code].message}`).join('\n\n'),
  // Not a union of the codes' schemas: a code added later would look like a broken promise to every reader.
  'x-error-codes': codes,
  headers: headersOf({ route, status, codes, isTagged: false, isDeprecated: false }),
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    },
  },
})
