import { createHash } from 'node:crypto'
import { gunzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { BodyThread, type ThreadSchemas } from './body-thread.ts'
import { ApiError, type FieldErrorCode, type FieldFault } from './errors.ts'
import { jsonBody } from './json-body.ts'
import { jsonBoundsOf } from './json-bounds.ts'
import { utf8TypeOf } from './media-type.ts'
import { type App, type BodyType, isContractPath } from './routes.ts'
import { bodyFaultsOf, unreadable } from './unreadable.ts'

/**
 * Reads request bodies. A body that cannot be understood is a fault of the field `body`, or of those of its parts that are at
 * fault: they are kept and reported together with the faults of path and query, instead of hiding them.
 */

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the bytes as they arrived, for requests that carry an idempotency key. */
    bodyDigest: Buffer | undefined
    /** The body was validated against the schema where it was read. */
    isBodyValid: boolean
  }
}

const faultOfBody = (code: FieldErrorCode, message: string) => unreadable({ field: 'body', code, message })

const jsonType = 'application/json'

/** What a request says its body is, as far as its route reads it. */
export function bodyTypeOf({ headers, route }: FastifyRequest): string | undefined {
  const name = utf8TypeOf(headers['content-type'] ?? '')
  return name !== undefined && (name === jsonType || Object.hasOwn(route.bodyTypes ?? {}, name)) ? name : undefined
}

export function contentTypeFault({ route }: FastifyRequest): FieldFault {
  const others = Object.keys(route.bodyTypes ?? {})
  const listed = [[jsonType, ...others.slice(0, -1)].join(', '), ...others.slice(-1)].join(' or ')
  return { field: 'body', code: 'invalid_content_type', message: `The content type must be ${listed}.` }
}

/** What any gzip may become; beyond it, only a multiple of its size, which batches of similar runs stay far below. */
const freelyInflatedBytes = 4 * 1_048_576
const maxInflation = 100

/** The most that a compressed body may be inflated to. */
const inflatedLimit = (compressedBytes: number, bodyLimit: number) =>
  Math.min(bodyLimit, Math.max(freelyInflatedBytes, compressedBytes * maxInflation))

/** The most that the body of a request may become, as far as its head tells. */
export function mostBodyBytes({ headers, routeOptions: { bodyLimit } }: FastifyRequest): number {
  const length = Number(headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? 0 : bodyLimit))
  if (length === 0) return 0
  const isZipped = (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity'
  return isZipped ? inflatedLimit(length, bodyLimit) : Math.min(length, bodyLimit)
}

/** Inflates within the limit: a small body cannot become a large one, and no stream is left to go on by itself. */
const inflate = (bytes: Buffer, maxOutputLength: number) =>
  new Promise<Buffer | 'too large' | 'no gzip'>((resolve) => {
    gunzip(bytes, { maxOutputLength }, (error: NodeJS.ErrnoException | null, inflated) => {
      if (error === null) resolve(inflated)
      else resolve(error.code === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : 'no gzip')
    })
  })

/** Whether a body is over the limit of its route by what its head says. */
export const isTooLong = ({ headers, routeOptions: { bodyLimit } }: FastifyRequest) =>
  Number(headers['content-length'] ?? 0) > bodyLimit

export const hasBodyBytes = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** From here on a batch is read by a thread of its own: parsing and validating it would hold everybody up. */
const largeBytes = 65_536

type Done = (error: Error | null, body?: unknown) => void

export function readBodies(app: App) {
  const schemas: ThreadSchemas = {}
  const thread = new BodyThread(schemas)
  app.addHook('onClose', () => thread.close())
  app.removeAllContentTypeParsers()
  app.decorateRequest('bodyDigest')
  app.decorateRequest('isBodyValid', false)

  for (const type of [jsonType, '*']) {
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (request, body, done) => {
      const bytes = body as Buffer
      const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity'
      // Only a keyed request is ever compared with another.
      if (request.headers['idempotency-key'] !== undefined)
        request.bodyDigest = createHash('sha256').update(bytes).digest()
      if (encoding === 'identity' || bytes.length === 0) read(request, bytes, done)
      else if (encoding === 'gzip') void inflateAndRead(request, bytes, done)
      else done(null, faultOfBody('invalid_body', 'The only content encoding accepted is gzip.'))
    })
  }

  async function inflateAndRead(request: FastifyRequest, bytes: Buffer, done: Done) {
    const inflated = await inflate(bytes, inflatedLimit(bytes.length, request.routeOptions.bodyLimit))
    if (inflated === 'too large') done(new ApiError('payload_too_large'))
    else if (inflated === 'no gzip') done(null, faultOfBody('invalid_body', 'The body is not valid gzip.'))
    else read(request, inflated, done)
  }

  function read(request: FastifyRequest, bytes: Buffer, done: Done) {
    const name = bodyTypeOf(request)
    const type = name === undefined ? undefined : (request.route.bodyTypes?.[name] ?? jsonBody)
    if (bytes.length === 0) done(null, undefined)
    else if (type === undefined) done(null, unreadable(contentTypeFault(request)))
    else if (bytes.length > largeBytes && isForThread(request, type)) void readInThread(request, bytes, type, done)
    else readAtOnce(request, bytes, type, done)
  }

  const isForThread = ({ route }: FastifyRequest, type: BodyType) =>
    Object.hasOwn(schemas, route.template!) && (type === jsonBody || type.source !== undefined)

  /** A reader may refuse a body outright, for instance one that is too large for what it would become. */
  function readAtOnce(request: FastifyRequest, bytes: Buffer, type: BodyType, done: Done) {
    let body: unknown
    try {
      body = type.read(bytes, jsonBoundsOf(request.route))
    } catch (error) {
      done(error as Error)
      return
    }
    done(null, body)
  }

  async function readInThread(request: FastifyRequest, bytes: Buffer, { source }: BodyType, done: Done) {
    const { route, principal } = request
    let body: unknown
    try {
      body = await thread.read(principal?.orgId ?? '', {
        bytes,
        bounds: jsonBoundsOf(route),
        route: route.template!,
        source,
      })
      request.isBodyValid = bodyFaultsOf(body) === undefined
    } catch (error) {
      done(error as Error)
      return
    }
    done(null, body)
  }

  app.addHook('onRoute', ({ url, config, schema }) => {
    const body = (schema as { body?: object } | undefined)?.body
    if (!isContractPath(url) || config?.bulk !== true || !body) return
    // Functions beside the schema stay here; what a thread validates is plain JSON.
    schemas[config.template!] = {
      schema: JSON.parse(JSON.stringify(body)) as object,
      judgesText: config.foreignBody !== true,
    }
  })

  app.addHook('onRequest', (request, _reply, done) => {
    // Without a byte of body its type is nobody's fault, however odd.
    const { headers } = request
    if (headers['content-type'] !== undefined && !hasBodyBytes(request) && bodyTypeOf(request) === undefined)
      delete headers['content-type']
    done()
  })
}
