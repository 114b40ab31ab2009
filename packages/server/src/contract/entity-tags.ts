import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { OpenAPIV3_1 } from 'openapi-types'
import { present } from '../values/present.ts'
import { recordIn } from '../values/records.ts'
import { ApiError, type FieldFault, validationFailed } from './errors.ts'
import type { ApiRoute, App } from './routes.ts'
import { successSchema } from './strict-schema.ts'

/**
 * Entity tags of configuration: of everything that can be replaced, changed or deleted where it is read. A tag is computed from
 * the response to GET. Fields that change by themselves, such as the amount spent, form its second part: it tells whether a
 * response is still current, but `If-Match` compares the first part only, so that spending never blocks a change.
 */

interface Shape {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly 'x-computed'?: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Shape of the resource that the request reads or changes, when it has an entity tag. */
    tagged: Shape | undefined
  }
}

const versionLength = 16
const stateLength = 11

const writing = new Set(['PUT', 'PATCH', 'DELETE'])

/**
 * Returns the routes whose responses carry an entity tag, as `METHOD template`, each with the shape that the tag is computed
 * from.
 */
export function taggedShapes(routes: readonly ApiRoute[]): Map<string, Shape> {
  const changeable = new Set(routes.filter(({ method }) => writing.has(method)).map(({ template }) => template))
  const shapes = new Map<string, Shape>()
  for (const { method, template, schema } of routes) {
    if (method !== 'GET' || !changeable.has(template)) continue
    const shape = successSchema(schema)
    if (!shape) continue
    const collection = template.replace(/\/\{\w+\}$/, '')
    shapes.set(`GET ${template}`, shape)
    for (const verb of writing) shapes.set(`${verb} ${template}`, shape)
    if (collection !== template) shapes.set(`POST ${collection}`, shape)
  }
  return shapes
}

/** Returns the entity tag of a resource, from its value as GET returns it. */
export function tagOf(shape: Shape, value: unknown): string {
  const version = digest(selectFields(shape, value, false), versionLength)
  const state = selectFields(shape, value, true)
  return state === undefined ? `"${version}"` : `"${version}.${digest(state, stateLength)}"`
}

const digest = (value: unknown, length: number) =>
  createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('base64url')
    .slice(0, length)

/** Returns the fields of a value that change by themselves, or all others. */
function selectFields(shape: Shape, value: unknown, isComputed: boolean): unknown {
  if (shape['x-computed'] === true) return isComputed ? value : undefined
  if (value === null || typeof value !== 'object') return isComputed ? undefined : value
  const own = shape.anyOf?.find(({ type }) => type === (Array.isArray(value) ? 'array' : 'object')) ?? shape
  if (Array.isArray(value)) {
    const items = value.map((item) => selectFields(own.items ?? {}, item, isComputed))
    return isComputed && items.every((item) => item === undefined) ? undefined : items
  }
  const fields = recordIn(value)
  const names = Object.keys(own.properties ?? fields).sort()
  const parts = names.flatMap((name) => {
    const found = selectFields(own.properties?.[name] ?? {}, fields[name], isComputed)
    return found === undefined ? [] : [[name, found] as const]
  })
  return isComputed && parts.length === 0 ? undefined : parts
}

const tag = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"'
const tagList = new RegExp(`^(?:\\*|${tag}(?:[ \\t]*,[ \\t]*${tag})*)$`)
const eachTag = new RegExp(tag, 'g')

type Tags = '*' | readonly string[]

const conditions = ['If-Match', 'If-None-Match'] as const

function parseTags(request: FastifyRequest, condition: (typeof conditions)[number]): Tags | undefined {
  const text = request.headers[condition.toLowerCase()] as string | undefined
  if (text === undefined) return undefined
  return text.trim() === '*' ? '*' : (text.match(eachTag) ?? [])
}

/** Compares strongly: a weak tag equals no other, since it does not promise that nothing has changed. */
const matchesStrongly = (tags: Tags, current: string) =>
  tags === '*' || tags.some((one) => versionOf(one) === versionOf(current))
const versionOf = (text: string) => text.replace(/^"([^".]*)\.[^"]*"$/, '"$1"')

const matchesWeakly = (tags: Tags, current: string) =>
  tags === '*' || tags.some((one) => one.replace(/^W\//, '') === current)

/**
 * Refuses a change whose caller has seen another state of the resource. Called under a lock on the resource, with its state as
 * GET returns it, or nothing when it does not exist.
 */
export function assertUnchanged(request: FastifyRequest, current: object | null | undefined, absent?: object) {
  const ifMatch = parseTags(request, 'If-Match')
  const ifNoneMatch = parseTags(request, 'If-None-Match')
  if (ifMatch === undefined && ifNoneMatch === undefined) return
  const known = current ? tagOf(present(request.tagged), current) : undefined
  // A resource that is not set has a state too, but `*` requires one that exists.
  const seen = known ?? (absent && ifMatch !== '*' ? tagOf(present(request.tagged), absent) : undefined)
  const isSeen = ifMatch === undefined || (seen !== undefined && matchesStrongly(ifMatch, seen))
  const isNew = ifNoneMatch === undefined || known === undefined || !matchesWeakly(ifNoneMatch, known)
  if (!isSeen || !isNew) throw new ApiError('precondition_failed')
}

export const isConditional = ({ headers, tagged, method }: FastifyRequest) =>
  tagged !== undefined && writing.has(method) && (headers['if-match'] ?? headers['if-none-match']) !== undefined

/**
 * Adds entity tags to configuration, refuses conditions that are malformed or not met, and answers 304 to callers with the
 * current state.
 */
export function honourConditions(app: App, routes: readonly ApiRoute[]) {
  let shapes = new Map<string, Shape>()
  app.decorateRequest('tagged')
  app.addHook('onReady', (done) => {
    shapes = taggedShapes(routes)
    done()
  })

  app.addHook('onRequest', (request, _reply, done) => {
    const method = request.method === 'HEAD' ? 'GET' : request.method
    request.tagged = shapes.get(`${method} ${request.route.template}`)
    const { headers, principal } = request
    if (!principal || (headers['if-match'] === undefined && headers['if-none-match'] === undefined)) return done()
    const faults = conditions.flatMap((condition) => {
      const text = headers[condition.toLowerCase()] as string | undefined
      return text === undefined ? [] : conditionFaults(request, condition, text)
    })
    done(faults.length > 0 ? validationFailed(faults) : undefined)
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    const { tagged } = request
    const isState = reply.statusCode === 200 || reply.statusCode === 201
    if (!tagged || !isState || typeof payload !== 'string') return done(null, payload)
    const current = tagOf(tagged, JSON.parse(payload))
    reply.header('etag', current)
    const known =
      request.method === 'GET' || request.method === 'HEAD' ? parseTags(request, 'If-None-Match') : undefined
    if (known === undefined || !matchesWeakly(known, current)) return done(null, payload)
    reply.code(304).removeHeader('content-type')
    // The framework itself drops the body of a response to HEAD.
    done(null, request.method === 'HEAD' ? payload : null)
  })
}

/** Returns the conditional headers that a method of a tagged resource takes, for the documentation. */
export function conditionHeaders(method: string): OpenAPIV3_1.ParameterObject[] {
  const condition = (name: (typeof conditions)[number], description: string) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' as const, maxLength: 4_096, examples: ['"q8Zr0Xv3TnLw5c1e"'] },
  })
  return method === 'GET'
    ? [condition('If-None-Match', 'Entity tags that you hold: 304 without a body if one is still current.')]
    : [condition('If-Match', 'Entity tags, or `*`: 412 `precondition_failed` if none is current.')]
}

function conditionFaults(
  { tagged, method }: FastifyRequest,
  field: (typeof conditions)[number],
  text: string,
): FieldFault[] {
  if (!tagList.test(text.trim()))
    return [{ field, code: 'invalid_format', message: 'Must be * or a list of quoted entity tags.' }]
  // A condition that is ignored would be taken for one that was met.
  if (field === 'If-Match' && (tagged === undefined || !writing.has(method)) && method !== 'GET' && method !== 'HEAD')
    return [{ field, code: 'invalid_value', message: 'Must not be sent: the resource has no entity tag.' }]
  return []
}
