import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { gunzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { parse as parseJson } from 'secure-json-parse'
import { ApiError, type FieldErrorCode, type FieldFault } from './errors.ts'
import type { App, BodyType } from './routes.ts'

/**
 * Reads request bodies. A body that cannot be understood is a fault of the field `body`, or of those of its parts that are at
 * fault: they are kept and reported together with the faults of path and query, instead of hiding them.
 */
class UnreadableBody {
  readonly faults: readonly FieldFault[]

  constructor(faults: readonly FieldFault[]) {
    this.faults = faults
  }
}

/** What a reader gives back in place of a value. */
export const unreadable = (...faults: FieldFault[]): unknown => new UnreadableBody(faults)

const ofBody = (code: FieldErrorCode, message: string) => unreadable({ field: 'body', code, message })

export const bodyFaultsOf = (body: unknown): readonly FieldFault[] | undefined =>
  body instanceof UnreadableBody ? body.faults : undefined

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the bytes as they arrived, for requests that carry an idempotency key. */
    bodyDigest: Buffer | undefined
  }
}

/** Text in JSON as a value, or the fault of the field in which it stands. */
export function parseJsonText(text: string, field = 'body'): unknown {
  try {
    return parseJson(text, undefined, { protoAction: 'error', constructorAction: 'error' })
  } catch (error) {
    // A forbidden key is told apart from bad syntax by the message: both come as a SyntaxError.
    return (error as Error).message.includes('forbidden prototype property')
      ? unreadable({
          field,
          code: 'invalid_value',
          message: 'The keys __proto__ and constructor.prototype are not allowed.',
        })
      : unreadable({
          field,
          code: 'invalid_json',
          message: `${field === 'body' ? 'The body' : 'This'} is not valid JSON.`,
        })
  }
}

/** For formats that are text: the fault of bytes that are none. */
export const notUtf8 = (bytes: Buffer): unknown =>
  isUtf8(bytes) ? undefined : ofBody('invalid_body', 'The body is not valid UTF-8.')

const json: BodyType = { read: (bytes) => notUtf8(bytes) ?? parseJsonText(bytes.toString('utf8')) }

const mediaType = /^([^\s;]+)\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i
const jsonType = 'application/json'

/** What a request says its body is, as far as its route reads it. */
export function bodyTypeOf({ headers, route }: FastifyRequest): string | undefined {
  const name = mediaType.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase()
  return name !== undefined && (name === jsonType || Object.hasOwn(route.bodyTypes ?? {}, name)) ? name : undefined
}

export function contentTypeFault({ route }: FastifyRequest): FieldFault {
  const others = Object.keys(route.bodyTypes ?? {})
  const listed = [[jsonType, ...others.slice(0, -1)].join(', '), ...others.slice(-1)].join(' or ')
  return { field: 'body', code: 'invalid_content_type', message: `The content type must be ${listed}.` }
}

function parse(request: FastifyRequest, bytes: Buffer): unknown {
  const type = bodyTypeOf(request)
  if (type === undefined) return unreadable(contentTypeFault(request))
  return (request.route.bodyTypes?.[type] ?? json).read(bytes)
}

type Done = (error: Error | null, body?: unknown) => void

/** A reader may refuse a body outright, for instance one that is too large for what it would become. */
function parseInto(request: FastifyRequest, bytes: Buffer, done: Done) {
  let body: unknown
  try {
    if (bytes.length > 0) body = parse(request, bytes)
  } catch (error) {
    done(error as Error)
    return
  }
  done(null, body)
}

/** Inflates at most the body limit: a small body cannot become a large one, and no stream is left to go on by itself. */
function inflate(request: FastifyRequest, bytes: Buffer, done: Done) {
  gunzip(
    bytes,
    { maxOutputLength: request.routeOptions.bodyLimit },
    (error: NodeJS.ErrnoException | null, inflated) => {
      if (error === null) parseInto(request, inflated, done)
      else if (error.code === 'ERR_BUFFER_TOO_LARGE') done(new ApiError('payload_too_large'))
      else done(null, ofBody('invalid_body', 'The body is not valid gzip.'))
    },
  )
}

export const hasBodyBytes = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

export function readBodies(app: App) {
  app.removeAllContentTypeParsers()
  app.decorateRequest('bodyDigest')
  for (const type of [jsonType, '*']) {
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (request, body, done) => {
      const bytes = body as Buffer
      const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity'
      // Only a keyed request is ever compared with another.
      if (request.headers['idempotency-key'] !== undefined)
        request.bodyDigest = createHash('sha256').update(bytes).digest()
      if (encoding === 'identity' || bytes.length === 0) parseInto(request, bytes, done)
      else if (encoding === 'gzip') inflate(request, bytes, done)
      else done(null, ofBody('invalid_body', 'The only content encoding accepted is gzip.'))
    })
  }

  app.addHook('onRequest', (request, _reply, done) => {
    // Without a byte of body its type means nothing, however odd.
    if (request.headers['content-type'] !== undefined && !hasBodyBytes(request)) delete request.headers['content-type']
    done()
  })
}
