import { createHash } from 'node:crypto'
import { gunzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { present } from '../values/present.ts'
import { errorOf } from '../values/thrown.ts'
import { BodyThread, type ThreadSchemas } from './body-thread.ts'
import { ApiError, type FieldErrorCode, type FieldFault } from './errors.ts'
import { jsonBody } from './json-body.ts'
import { jsonBoundsOf } from './json-bounds.ts'
import { parseUtf8MediaType } from './media-type.ts'
import { type App, type BodyType, isContractPath } from './routes.ts'
import { bodyFaultsOf, unreadable } from './unreadable-body.ts'

/**
 * Reads request bodies. An unreadable body is a fault of the field `body`, or of the parts at fault: these are reported
 * together with the faults of path and query, instead of hiding them.
 */

declare module 'fastify' {
  interface FastifyRequest {
    /** Digest of the bytes as received, for requests that carry an idempotency key. */
    bodyDigest: Buffer | undefined
    /** True when the body was validated against the schema where it was read. */
    isBodyValid: boolean
  }
}

const faultOfBody = (code: FieldErrorCode, message: string) => unreadable({ field: 'body', code, message })

const jsonType = 'application/json'

/** Returns the media type of the request's body, if its route reads it. */
export function bodyTypeOf({ headers, route }: FastifyRequest): string | undefined {
  const name = parseUtf8MediaType(headers['content-type'] ?? '')
  return name !== undefined && (name === jsonType || Object.hasOwn(route.bodyTypes ?? {}, name)) ? name : undefined
}

export function contentTypeFault({ route }: FastifyRequest): FieldFault {
  const others = Object.keys(route.bodyTypes ?? {})
  const listed = [[jsonType, ...others.slice(0, -1)].join(', '), ...others.slice(-1)].join(' or ')
  return { field: 'body', code: 'invalid_content_type', message: `The content type must be ${listed}.` }
}

/**
 * Size up to which any gzip may inflate; beyond it only to a multiple of its size, which batches of similar runs stay far
 * below.
 */
const freelyInflatedBytes = 4 * 1_048_576
const maxInflation = 100

/** Returns the size up to which a compressed body may inflate. */
const inflatedLimit = (compressedBytes: number, bodyLimit: number) =>
  Math.min(bodyLimit, Math.max(freelyInflatedBytes, compressedBytes * maxInflation))

/** Returns the largest size that the body of a request may have, as far as its headers tell. */
export function maxBodyBytes({ headers, routeOptions: { bodyLimit } }: FastifyRequest): number {
  const length = Number(headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? 0 : bodyLimit))
  if (length === 0) return 0
  const isZipped = (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity'
  return isZipped ? inflatedLimit(length, bodyLimit) : Math.min(length, bodyLimit)
}

/** Inflates within the limit: a small body cannot become a large one, and no stream is left running. */
const inflate = (bytes: Buffer, maxOutputLength: number) =>
  new Promise<Buffer | 'too large' | 'no gzip'>((resolve) => {
    gunzip(bytes, { maxOutputLength }, (error: NodeJS.ErrnoException | null, inflated) => {
      if (error === null) resolve(inflated)
      else resolve(error.code === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : 'no gzip')
    })
  })

/** True when the headers declare a body over the limit of its route. */
export const isBodyTooLong = ({ headers, routeOptions: { bodyLimit } }: FastifyRequest) =>
  Number(headers['content-length'] ?? 0) > bodyLimit

export const hasBodyBytes = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Size from which a batch or an input is read in the body thread: parsing and validating it here would block all other requests. */
const largeBytes = 65_536

type Done = (error: Error | null, body?: unknown) => void

/** Reads a body in this thread. A reader may throw, for instance when the body would become too large. */
function readInProcess(request: FastifyRequest, bytes: Buffer, type: BodyType, done: Done) {
  let body: unknown
  try {
    body = type.read(bytes, jsonBoundsOf(request.route))
  } catch (error) {
    done(errorOf(error))
    return
  }
  done(null, body)
}

/** Collects the schemas of the routes whose bodies the body thread reads. */
function collectThreadSchemas(app: App, schemas: ThreadSchemas) {
  app.addHook('onRoute', ({ url, config, schema }) => {
    const body = (schema as { body?: object } | undefined)?.body
    if (!isContractPath(url) || (config?.bulk !== true && config?.takesInput !== true) || !body) return
    // Functions beside the schema stay in this thread; a thread receives plain JSON only.
    schemas[present(config.template)] = {
      schema: JSON.parse(JSON.stringify(body)) as object,
      judgesText: config.foreignBody !== true,
    }
  })
}

function ignoreTypesOfEmptyBodies(app: App) {
  app.addHook('onRequest', (request, _reply, done) => {
    // An empty body has no type that could be wrong.
    const { headers } = request
    if (headers['content-type'] !== undefined && !hasBodyBytes(request) && bodyTypeOf(request) === undefined)
      delete headers['content-type']
    done()
  })
}

export function readBodies(app: App) {
  const schemas: ThreadSchemas = {}
  const thread = new BodyThread(schemas)
  app.addHook('onClose', () => thread.close())
  app.removeAllContentTypeParsers()
  app.decorateRequest('bodyDigest')
  app.decorateRequest('isBodyValid', false)
  collectThreadSchemas(app, schemas)
  ignoreTypesOfEmptyBodies(app)

  for (const type of [jsonType, '*']) {
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (request, body, done) => {
      const bytes = body as Buffer
      const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity'
      // Only requests with an idempotency key are ever compared.
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
    else readInProcess(request, bytes, type, done)
  }

  const isForThread = ({ route }: FastifyRequest, type: BodyType) =>
    route.template !== undefined &&
    Object.hasOwn(schemas, route.template) &&
    (type === jsonBody || type.source !== undefined)

  async function readInThread(request: FastifyRequest, bytes: Buffer, { source }: BodyType, done: Done) {
    const { route, principal } = request
    let body: unknown
    try {
      body = await thread.read(principal?.orgId ?? '', {
        bytes,
        bounds: jsonBoundsOf(route),
        route: present(route.template),
        source,
      })
      request.isBodyValid = bodyFaultsOf(body) === undefined
    } catch (error) {
      done(errorOf(error))
      return
    }
    done(null, body)
  }
}
