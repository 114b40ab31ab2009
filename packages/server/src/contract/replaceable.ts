import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { isRecord, recordIn } from '../values/records.ts'
import { validationFailed } from './errors.ts'
import { readOnlyFields, withoutReadOnly } from './read-only.ts'
import type { App, RouteDeclaration } from './routes.ts'
import { jsonSchemaOf } from './strict-schema.ts'
import { bodyChecker } from './validation.ts'
import { Nullable } from './wire.ts'

/** Computes the new state of a resource: the whole of a PUT, or the current state with the fields of a PATCH. */
export type DesiredState<Input> = (standing: object | undefined) => Input

interface Operation {
  readonly summary: string
  readonly description: string
}

interface Replaceable<P extends TSchema, I extends TObject, V extends TSchema> {
  readonly config: RouteDeclaration
  readonly tags: readonly string[]
  /** Name of the resource in operation ids: `putModel` and `updateModel` for `Model`. */
  readonly name: string
  readonly put: Operation
  readonly patch: Operation
  readonly params?: P
  readonly body: I
  readonly view: V
}

/** A request to a route of {@link replaceable}. */
type ReplaceRequest<P extends TSchema> = FastifyRequest & { params: Static<P> }

/**
 * Registers the two ways to change a resource: PUT replaces it, and omitted fields return to their default; PATCH changes the
 * named fields and no other. Both end in one handler, which calls `wanted` once it has locked the current state, so that two
 * patches never undo each other.
 */
export function replaceable<P extends TSchema, I extends TObject, V extends TSchema>(
  app: App,
  path: string,
  { config, tags, name, put, patch, params, body, view }: Replaceable<P, I, V>,
  handler: (request: ReplaceRequest<P>, reply: FastifyReply, wanted: DesiredState<Static<I>>) => Promise<Static<V>>,
) {
  const check = bodyChecker({ schema: body, judgesText: true })
  const settable = Object.keys(body.properties)
  const readOnly = readOnlyFields(jsonSchemaOf(body), jsonSchemaOf(view))
  const [example] = jsonSchemaOf(body).examples ?? []
  // One of its fields, as a caller would send it.
  const changed = isRecord(example) && { examples: [Object.fromEntries(Object.entries(example).slice(0, 1))] }
  const common = { tags, ...(params && { params }), response: { 200: view } }

  const whole: RouteHandlerMethod = (request, reply) =>
    handler(request as ReplaceRequest<P>, reply, () => request.body as Static<I>)

  const named: RouteHandlerMethod = (request, reply) =>
    handler(request as ReplaceRequest<P>, reply, (standing = {}) => {
      const stands = readOnly ? withoutReadOnly(standing, readOnly) : standing
      const kept = Object.entries(stands).filter(([field]) => settable.includes(field))
      const wanted: unknown = { ...Object.fromEntries(kept), ...recordIn(request.body) }
      const faults = check(wanted)
      if (faults.length > 0) throw validationFailed(faults)
      return wanted as Static<I>
    })

  app.put(path, { config, schema: { operationId: `put${name}`, ...put, ...common, body } }, whole as never)
  app.patch(
    path,
    {
      config,
      schema: {
        operationId: `update${name}`,
        ...patch,
        ...common,
        body: Type.Partial(body, { title: `${name}Patch`, minProperties: 1, ...changed }),
      },
    },
    named as never,
  )
}

const isNullable = (schema: TSchema) => jsonSchemaOf(schema).anyOf?.some(({ type }) => type === 'null') === true

type OrNull<T extends TProperties> = { [K in keyof T]: ReturnType<typeof Nullable<T[K]>> }

/** Schema of a singleton as it is read: its value, or null in every field while it is not set. */
export const OrNotSet = <T extends TProperties>(schema: TObject<T>) =>
  Type.Object(
    Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [
        name,
        isNullable(property)
          ? property
          : { ...Nullable(property), ...('x-computed' in property && { 'x-computed': true }) },
      ]),
    ) as unknown as OrNull<T>,
    {
      ...('title' in schema && { title: `${schema.title as string}OrNotSet` }),
      description: 'null in every field while nothing is set.',
    },
  )

/** Value of a singleton that is not set. */
export const notSet = <T extends TProperties>(schema: TObject<T>) =>
  Object.fromEntries(Object.keys(schema.properties).map((name) => [name, null])) as unknown as Static<
    ReturnType<typeof OrNotSet<T>>
  >
