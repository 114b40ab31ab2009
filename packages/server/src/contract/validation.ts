import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { recordIn } from '../values/records.ts'
import { ApiError, type FieldErrorCode, type FieldFault, validationFailed } from './errors.ts'
import { messageOf } from './fault-messages.ts'
import { guardReadOnly } from './read-only-guard.ts'
import { type App, isContractPath, isPressing } from './routes.ts'
import { checkOf } from './semantic-check.ts'
import { findUnstorable } from './storable-text.ts'
import { type JsonSchema, jsonSchemaOf, toStrictSchema } from './strict-schema.ts'
import { describeText, textCodeOf } from './text-faults.ts'
import { bodyFaultsOf } from './unreadable-body.ts'

/**
 * Validation that lists every faulty field of path, query and body together, the first fault of each. Nothing is coerced,
 * defaulted or removed: a request is judged as it was sent.
 */

const ajv = new Ajv({
  allErrors: true,
  verbose: true,
  strict: true,
  strictTypes: false,
  allowUnionTypes: true,
  coerceTypes: false,
  removeAdditional: false,
  // The engine optimizes the generated code as well as Ajv does, and only what runs: this takes a third of the time of a start.
  code: { optimize: false },
})
formats.default(ajv)
/**
 * Keyword for an identifier in a path: a malformed one names a resource that does not exist, so the status is 404 and not 422.
 */
ajv.addKeyword({ keyword: 'x-path-id', schemaType: 'boolean' })
/** Keyword for a list's filter, whose faults have their own code. */
ajv.addKeyword({ keyword: 'x-filter', schemaType: 'boolean' })
ajv.addKeyword({ keyword: 'x-sort', schemaType: 'boolean' })
/** Keyword for a field that is computed at every read. */
ajv.addKeyword({ keyword: 'x-computed', schemaType: 'boolean' })

type RequestPart = 'params' | 'querystring' | 'body'

interface PartValidator {
  readonly compiled: () => ValidateFunction
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
  return textCodeOf(error) ?? fieldCodes[error.keyword] ?? 'invalid_value'
}

const isEmpty = (data: unknown) =>
  data === '' || (typeof data === 'object' && data !== null && Object.keys(data).length === 0)

function pathOf(error: ErrorObject): string {
  const parts = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const own: unknown = error.params['missingProperty'] ?? error.params['additionalProperty']
  if (typeof own === 'string') parts.push(own)
  return parts.join('.')
}

const messages: Partial<Record<FieldErrorCode, string>> = {
  required: 'This field is required.',
  unknown_field: 'Must not be sent: this field is unknown here.',
  empty: 'Must not be empty.',
}

function faultOf(error: ErrorObject, place: RequestPart, schema: JsonSchema): FieldFault {
  const field = pathOf(error) || 'body'
  const code = codeOf(error)
  if (place === 'querystring') {
    const declared = schema.properties?.[field.split('.')[0]!]
    if (declared?.['x-sort'] === true && code !== 'invalid_type') {
      return {
        field,
        code: 'unknown_sort_field',
        message: `Must be one of ${sortable(declared)}, descending with a leading "-".`,
      }
    }
    const isFilter = declared ? declared['x-filter'] === true : schema['x-filter'] === true
    if (isFilter) {
      const message = declared
        ? (messages[code] ?? describe(error, place))
        : 'Must not be sent: there is no such filter.'
      return { field, code: 'invalid_filter', message }
    }
  }
  return { field, code, message: messages[code] ?? describe(error, place) }
}

const sortable = (declared: JsonSchema) =>
  (declared.enum ?? []).filter((value) => !String(value).startsWith('-')).join(', ')

function describe(error: ErrorObject, place: RequestPart): string {
  return describeText(error, place === 'querystring') ?? messageOf(error)
}

/** Returns one fault per field. Unions report one per branch; the first is the one closest to what was meant. */
function faultsOf(errors: readonly ErrorObject[], place: RequestPart, schema: JsonSchema): FieldFault[] {
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
  // A caller that sent an object did not mean null: the faults inside it suffice.
  return faults.filter(
    ({ field }) => !couldBeNull.has(field) || !faults.some((other) => other.field.startsWith(`${field}.`)),
  )
}

const canonicalInteger = /^(0|-?[1-9][0-9]*)$/

/**
 * Reads a query parameter, which is always text. An integer or boolean is read in its canonical spelling only, or left as text.
 */
function readText(text: unknown, type: unknown): unknown {
  if (type === 'integer' && typeof text === 'string' && canonicalInteger.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function readQuery(query: Record<string, unknown>, schema: JsonSchema): Record<string, unknown> {
  const read: Record<string, unknown> = { __proto__: null }
  for (const [name, value] of Object.entries(query)) {
    const declared = schema.properties?.[name]
    if (declared?.['type'] === 'array') {
      const inner = declared.items?.['type']
      read[name] = [value].flat().map((item) => readText(item, inner))
    } else read[name] = readText(value, declared?.['type'])
  }
  const { sort } = schema.properties ?? {}
  if (sort?.['x-sort'] === true) read['sort'] ??= sort['default']
  return read
}

type Validators = { [P in RequestPart]?: PartValidator }

declare module 'fastify' {
  interface FastifyContextConfig {
    validators?: Validators
  }
}

export function validateRequests(app: App) {
  // The framework would stop at the first part that fails, so it is given nothing to validate.
  app.setValidatorCompiler(() => () => true)
  const takingBack = guardReadOnly(app)

  app.addHook('onRoute', (options) => {
    if (!isContractPath(options.url)) return
    const { params, querystring, body } = options.schema ?? {}
    // An undeclared query or body admits nothing.
    const validators: Validators = {
      querystring: validator(jsonSchemaOf(querystring ?? nothing)),
      body: { ...validator(jsonSchemaOf(body ?? nothing)), judgesText: options.config?.foreignBody !== true },
    }
    if (params) validators.params = validator(jsonSchemaOf(params))
    if (isPressing(options.config)) for (const part of Object.values(validators)) part.compiled()
    options.config = { ...options.config, validators }
  })

  app.addHook('preValidation', (request, reply, done) => {
    const { validators } = request.route
    if (!validators) return done()
    const sent = takingBack.take(request, validators.body?.schema)
    const { faults, isMissing } = validate(request, validators)
    if (sent && !isMissing) {
      void takingBack.compare(request, reply, { ...sent, faults }, done)
      return undefined
    }
    if (faults.length > 0) return done(validationFailed(faults))
    return done(isMissing ? new ApiError('not_found') : undefined)
  })
}

/** Compiled schemas by their text: most routes share the schema of their path or have no query or body of their own. */
const byText = new Map<string, ValidateFunction>()

function compile(schema: JsonSchema): ValidateFunction {
  const strict = jsonSchemaOf(toStrictSchema(schema))
  const text = JSON.stringify(strict)
  const validate = byText.get(text) ?? ajv.compile(strict)
  byText.set(text, validate)
  return validate
}

/** Returns the validator of a schema, which is compiled when it is first used, so that a start does not wait for those of all routes. */
function validator(schema: JsonSchema): PartValidator {
  let validate: ValidateFunction | undefined
  return {
    schema,
    compiled: () => (validate ??= compile(schema)),
    check: checkOf(schema),
    judgesText: true,
  }
}

const nothing: JsonSchema = { type: 'object', properties: {} }

/** Returns the validator of the body thread; semantic checks are left to the caller. */
export function bodyChecker({ schema, judgesText }: { readonly schema: object; readonly judgesText: boolean }) {
  const place = { ...validator(jsonSchemaOf(schema)), judgesText }
  return (value: unknown) => faultsIn(place, value, 'body')
}

interface Validated {
  isBodyValid: boolean
  method: string
  params: unknown
  query: unknown
  body: unknown
}

/** Faults of a request, and whether its path names something that cannot exist. */
interface ValidationResult {
  readonly faults: FieldFault[]
  readonly isMissing: boolean
}

function validate(request: Validated, validators: Validators): ValidationResult {
  const faults: FieldFault[] = []
  const { params, querystring, body } = validators

  // A malformed identifier names a resource that does not exist, reported only when everything else is right.
  let isMissing = false
  if (params) {
    const found = faultsIn(params, request.params, 'params')
    const isId = ({ field }: FieldFault) => params.schema.properties?.[field]?.['x-path-id'] === true
    isMissing = found.some(isId)
    faults.push(...found.filter((fault) => !isId(fault)))
  }
  if (querystring) {
    const query = readQuery(recordIn(request.query), querystring.schema)
    faults.push(...faultsIn(querystring, query, 'querystring'))
    request.query = query
  }
  if (request.method !== 'GET' && request.method !== 'HEAD' && body) {
    const unreadable = bodyFaultsOf(request.body)
    // An omitted body means an empty object, so that required fields are named one by one.
    if (!unreadable) request.body ??= request.body === null ? null : {}
    faults.push(
      ...(unreadable ??
        (request.isBodyValid ? (body.check?.(request.body) ?? []) : faultsIn(body, request.body, 'body'))),
    )
  }
  return { faults, isMissing }
}

/** Returns the faults of a value: those of its shape first; semantic checks run only on the right shape. */
function faultsIn(
  { compiled, schema, check, judgesText }: PartValidator,
  value: unknown,
  place: RequestPart,
): FieldFault[] {
  const validate = compiled()
  if (!validate(value)) return faultsOf(validate.errors ?? [], place, schema)
  const faults: FieldFault[] = []
  if (judgesText) findUnstorable(value, '', faults)
  if (place === 'querystring')
    for (const fault of faults)
      if (schema.properties?.[fault.field]?.['x-filter'] === true) fault.code = 'invalid_filter'
  return faults.length > 0 || !check ? faults : check(value)
}
