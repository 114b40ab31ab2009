import { isDeepStrictEqual } from 'node:util'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { present } from '../values/present.ts'
import { errorOf } from '../values/thrown.ts'
import { ApiError, type FieldFault, validationFailed } from './errors.ts'
import { type ReadOnlyFields, readOnlyFaults, readOnlyFields, withoutReadOnly } from './read-only.ts'
import { type App, isContractPath, templateOf } from './routes.ts'
import type { JsonSchema } from './strict-schema.ts'
import { successSchema } from './strict-schema.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Read-only fields that were sent in the body; the body itself is without them. */
    takenBack: ReadonlySet<string>
  }
}

/** The GET route of a resource: its schema and handler. */
interface ResourceReader {
  readonly view: JsonSchema
  readonly read: RouteHandlerMethod
  /** Read-only fields by body schema. */
  readonly readOnly: Map<JsonSchema, ReadOnlyFields | undefined>
}

/** A body as it was sent, with its read-only fields. */
interface SentBody {
  readonly sent: object
  readonly fields: ReadOnlyFields
}

export interface ReadOnlyGuard {
  /** Removes the read-only fields from a body; undefined when it has none. */
  readonly take: (request: FastifyRequest, body: JsonSchema | undefined) => SentBody | undefined
  /** Refuses read-only fields that differ from the current state, together with the other faults of the body. */
  readonly compare: (
    request: FastifyRequest,
    reply: FastifyReply,
    sent: SentBody & { readonly faults: readonly FieldFault[] },
    done: (error?: Error) => void,
  ) => Promise<void>
}

const nothing: ReadonlySet<string> = new Set()
const replacingMethods = new Set(['PUT', 'PATCH'])

/** Lets every PUT and PATCH accept what the GET of the same path returns. */
export function guardReadOnly(app: App): ReadOnlyGuard {
  const readings = new Map<string, ResourceReader>()
  app.decorateRequest('takenBack')

  app.addHook('onRoute', ({ url, method, schema, handler }) => {
    const view = successSchema(schema)
    if (isContractPath(url) && [method].flat().includes('GET') && view)
      readings.set(templateOf(url), { view, read: handler, readOnly: new Map() })
  })

  function fieldsOf({ method, route }: FastifyRequest, body: JsonSchema | undefined): ReadOnlyFields | undefined {
    const reading = body && replacingMethods.has(method) ? readings.get(route.template ?? '') : undefined
    if (!reading || !body) return undefined
    if (!reading.readOnly.has(body)) reading.readOnly.set(body, readOnlyFields(body, reading.view))
    return reading.readOnly.get(body)
  }

  const read = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const asked = Object.create(request, { method: { value: 'GET' } }) as FastifyRequest
    return present(readings.get(request.route.template ?? '')).read.call(app, asked, reply)
  }

  /** Returns the response for a singleton that is not set and is put back as it was read. */
  async function unsetOf(
    request: FastifyRequest,
    reply: FastifyReply,
    { sent, fields }: SentBody,
    faults: FieldFault[],
  ) {
    let standing: unknown
    try {
      standing = await read(request, reply)
    } catch (error) {
      // A missing resource is reported only when everything else is right.
      throw faults.length > 0 && error instanceof ApiError ? validationFailed(faults) : error
    }
    if (isDeepStrictEqual(sent, standing) && 'id' in sent && sent.id === null) return standing
    const all = [...faults, ...readOnlyFaults(sent, standing, fields)]
    if (all.length > 0) throw validationFailed(all)
    return undefined
  }

  return {
    take: (request, body) => {
      const sent = request.body
      request.takenBack = nothing
      const fields = fieldsOf(request, body)
      if (!fields || sent === null || typeof sent !== 'object') return undefined
      request.body = withoutReadOnly(sent, fields)
      if (request.body === sent) return undefined
      request.takenBack = new Set(Object.keys(sent).filter((name) => fields.own.has(name)))
      return { sent, fields }
    },
    compare: async (request, reply, { faults, ...sent }, done) => {
      // A patch of read-only fields only changes nothing, but is not empty.
      const ofRest = faults.filter(({ field, code }) => field !== 'body' || code !== 'empty')
      let unset: unknown
      try {
        unset = await unsetOf(request, reply, sent, ofRest)
      } catch (error) {
        done(errorOf(error))
        return
      }
      if (unset === undefined) done()
      else sendAsRead(reply, unset)
    },
  }
}

const sendAsRead = (reply: FastifyReply, view: unknown) =>
  reply.type('application/json').serializer(String).send(JSON.stringify(view))
