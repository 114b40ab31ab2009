import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { bodyFaultsOf } from './body.ts'
import { ApiError, type FieldErrorCode, type FieldFault, validationFailed } from './errors.ts'
import { type App, isContractPath } from './routes.ts'
import { checkOf } from './semantic-check.ts'

/**
 * Validation that lists every offending field of path, query and body together, the first fault of each. Nothing is
 * coerced, defaulted away or removed: what a caller sent is judged as it is.
 */

const ajv = new Ajv({
  allErrors: true,
  verbose: true,
  strict: true,
  strictTypes: false,
  allowUnionTypes: true,
  coerceTypes: false,
  removeAdditional: false,
})
formats.default(ajv)
/** Marks an identifier in a path: a malformed one is a resource that does not exist, so it answers 404 and not 422. */
ajv.addKeyword({ keyword: 'x-path-id', schemaType: 'boolean' })
/** Marks a list's filter, whose faults have a code of their own. */
ajv.addKeyword({ keyword: 'x-filter', schemaType: 'boolean' })
ajv.addKeyword({ keyword: 'x-sort', schemaType: 'boolean' })

type JsonSchema = { [key: string]: unknown } & { properties?: Record<string, JsonSchema> }

const strayFieldsListed = 20

/**
 * Plain JSON Schema, closed against unknown fields. An array with too many elements, or an object with far too many
 * fields, is refused before they are looked at: listing each would let one request make unbounded work.
 */
function strictly(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strictly)
  if (schema === null || typeof schema !== 'object') return schema
  const copy: JsonSchema = {}
  for (const [key, value] of Object.entries(schema)) copy[key] = key === 'examples' ? value : strictly(value)
  if (copy['type'] === 'object' && copy.properties && !('additionalProperties' in copy)) {
    const { properties, required, ...rest } = copy
    const maxProperties = Object.keys(properties).length + strayFieldsListed
    const inside = { properties, additionalProperties: false, ...(required !== undefined && { required }) }
    return { ...rest, maxProperties, if: { maxProperties }, then: { type: 'object', ...inside } }
  }
  if (copy['type'] === 'array' && 'maxItems' in copy && 'items' in copy) {
    const { items, ...rest } = copy
    return { ...rest, if: { maxItems: copy['maxItems'] }, then: { items } }
  }
  return copy
}

type Place = 'params' | 'querystring' | 'body'

interface PlaceValidator {
  readonly validate: ValidateFunction
  readonly schema: JsonSchema
  readonly check: ((value: unknown) => FieldFault[]) | undefined
  readonly judgesText: boolean
}

const fieldCodes: Record<string, FieldErrorCode> = {
  required: 'required',
  additionalProperties: 'unknown_field',
  type: 'invalid_type',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  exclusiveMinimum: 'out_of_range',
  exclusiveMaximum: 'out_of_range',
  multipleOf: 'out_of_range',
  maxLength: 'too_long',
  maxItems: 'too_many',
  maxProperties: 'too_many',
  uniqueItems: 'invalid_value',
  pattern: 'invalid_format',
  format: 'invalid_format',
  enum: 'invalid_value',
  const: 'invalid_value',
  anyOf: 'invalid_value',
  oneOf: 'invalid_value',
}

const tooLittle = new Set(['minLength', 'minItems', 'minProperties'])

function codeOf(error: ErrorObject): FieldErrorCode {
  if (tooLittle.has(error.keyword)) return isEmpty(error.data) ? 'empty' : 'out_of_range'
  return fieldCodes[error.keyword] ?? 'invalid_value'
}

const isEmpty = (data: unknown) =>
  data === '' || (typeof data === 'object' && data !== null && Object.keys(data).length === 0)

function pathOf(error: ErrorObject): string {
  const parts = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const { missingProperty, additionalProperty } = error.params as Record<string, string | undefined>
  const own = missingProperty ?? additionalProperty
  if (own !== undefined) parts.push(own)
  return parts.join('.')
}

const messages: Partial<Record<FieldErrorCode, string>> = {
  required: 'This field is required.',
  unknown_field: 'This field is not known here.',
  empty: 'This must not be empty.',
}

function faultOf(error: ErrorObject, place: Place, schema: JsonSchema): FieldFault {
  const field = pathOf(error) || 'body'
  const code = codeOf(error)
  if (place === 'querystring') {
    const declared = schema.properties?.[field.split('.')[0]!]
    if (declared?.['x-sort'] === true && code !== 'invalid_type') {
      return {
        field,
        code: 'unknown_sort_field',
        message: `Sort by one of ${sortable(declared)}, descending with a leading "-".`,
      }
    }
    const isFilter = declared ? declared['x-filter'] === true : schema['x-filter'] === true
    if (isFilter && !namedFilterFaults.has(code)) {
      return { field, code: 'invalid_filter', message: declared ? describe(error) : 'There is no such filter.' }
    }
  }
  return { field, code, message: messages[code] ?? describe(error) }
}

/** Faults that the contract names say more than "bad filter" does. */
const namedFilterFaults = new Set<FieldErrorCode>(['out_of_range', 'empty', 'too_many', 'invalid_type'])

const sortable = (declared: JsonSchema) =>
  (declared['enum'] as string[]).filter((value) => !value.startsWith('-')).join(', ')

function describe(error: ErrorObject): string {
  const text = error.message ?? 'is not valid'
  const allowed = error.keyword === 'enum' ? `: ${(error.params['allowedValues'] as unknown[]).join(', ')}` : ''
  return `This ${text}${allowed}.`
}

/** Every fault once per field. Unions report one fault per branch; the first is the one closest to what was meant. */
function faultsOf(errors: readonly ErrorObject[], place: Place, schema: JsonSchema): FieldFault[] {
  const first = new Map<string, FieldFault>()
  const couldBeNull = new Set<string>()
  for (const error of errors) {
    if (error.keyword === 'if') continue
    const fault = faultOf(error, place, schema)
    if (first.has(fault.field)) continue
    first.set(fault.field, fault)
    if (error.keyword === 'type' && error.params['type'] === 'null') couldBeNull.add(fault.field)
  }
  const faults = [...first.values()]
  // Whoever sent an object did not mean null: what is wrong inside it says all.
  return faults.filter(
    ({ field }) => !couldBeNull.has(field) || !faults.some((other) => other.field.startsWith(`${field}.`)),
  )
}

const canonicalInteger = /^(0|-?[1-9][0-9]*)$/

/** A query has only text. What is declared as an integer or boolean is read in its one canonical spelling, or left as text. */
function readText(text: unknown, type: unknown): unknown {
  if (type === 'integer' && typeof text === 'string' && canonicalInteger.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function readQuery(query: Record<string, unknown>, schema: JsonSchema): Record<string, unknown> {
  const read = Object.create(null) as Record<string, unknown>
  for (const [name, value] of Object.entries(query)) {
    const declared = schema.properties?.[name]
    if (declared?.['type'] === 'array') {
      const inner = (declared['items'] as JsonSchema | undefined)?.['type']
      read[name] = [value].flat().map((item) => readText(item, inner))
    } else read[name] = readText(value, declared?.['type'])
  }
  return read
}

type Validators = { [P in Place]?: PlaceValidator }

declare module 'fastify' {
  interface FastifyContextConfig {
    validators?: Validators
  }
}

export function validateRequests(app: App) {
  // The framework would stop at the first place that fails, so it is given nothing to validate.
  app.setValidatorCompiler(() => () => true)

  app.addHook('onRoute', (options) => {
    if (!isContractPath(options.url)) return
    const { params, querystring, body } = (options.schema ?? {}) as { [P in Place]?: JsonSchema }
    // Without a declaration a query or body admits nothing.
    const validators: Validators = {
      querystring: validator(querystring ?? nothing),
      body: { ...validator(body ?? nothing), judgesText: options.config?.foreignBody !== true },
    }
    if (params) validators.params = validator(params)
    options.config = { ...options.config, validators }
  })

  app.addHook('preValidation', (request, _reply, done) => {
    const { validators } = request.route
    try {
      if (validators) validate(request, validators)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
}

const validator = (schema: JsonSchema): PlaceValidator => ({
  schema,
  validate: ajv.compile(strictly(schema) as object),
  check: checkOf(schema),
  judgesText: true,
})

const nothing: JsonSchema = { type: 'object', properties: {} }

interface Validated {
  method: string
  params: unknown
  query: unknown
  body: unknown
}

function validate(request: Validated, validators: Validators) {
  const faults: FieldFault[] = []
  const { params, querystring, body } = validators

  if (params) {
    const found = faultsIn(params, request.params, 'params')
    // A malformed identifier is a resource that does not exist.
    if (found.some(({ field }) => params.schema.properties?.[field]?.['x-path-id'] === true))
      throw new ApiError('not_found')
    faults.push(...found)
  }
  if (querystring) {
    const query = readQuery(request.query as Record<string, unknown>, querystring.schema)
    faults.push(...faultsIn(querystring, query, 'querystring'))
    request.query = query
  }
  if (request.method !== 'GET' && request.method !== 'HEAD' && body) {
    const unreadable = bodyFaultsOf(request.body)
    // Leaving the body out means the same as an empty object, so required fields are named one by one.
    if (!unreadable) request.body ??= request.body === null ? null : {}
    faults.push(...(unreadable ?? faultsIn(body, request.body, 'body')))
  }
  if (faults.length > 0) throw validationFailed(faults)
}

/** The shape first; only what has the right shape is asked further. */
function faultsIn({ validate, schema, check, judgesText }: PlaceValidator, value: unknown, place: Place): FieldFault[] {
  if (!validate(value)) return faultsOf(validate.errors ?? [], place, schema)
  const faults: FieldFault[] = []
  if (judgesText) findUnstorable(value, '', faults)
  return faults.length > 0 || !check ? faults : check(value)
}

/** NUL and half a surrogate pair are text in JSON, but PostgreSQL refuses the one and nobody can send the other back. */
function findUnstorable(value: unknown, path: string, faults: FieldFault[]) {
  if (typeof value === 'string') {
    if (!isStorable(value)) faults.push(unstorable(path))
  } else if (value !== null && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) {
      // Named by what it is in: its own name cannot be sent back.
      if (!isStorable(key)) {
        faults.push(unstorable(path))
        return
      }
      findUnstorable(inner, path === '' ? key : `${path}.${key}`, faults)
    }
  }
}

const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed()
const unstorable = (path: string): FieldFault => ({
  field: path || 'body',
  code: 'invalid_format',
  message: 'This has a character that is no text.',
})
