import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { validationFailed } from './errors.ts'
import { readOnlyFields, withoutReadOnly } from './read-only.ts'
import type { App, RouteDeclaration } from './routes.ts'
import type { JsonSchema } from './strict-schema.ts'
import { bodyChecker } from './validation.ts'
import { Nullable } from './wire.ts'

/** What a resource is to be: the whole of what was put, or what stands with the fields of a patch. */
export type Wanted<Input> = (standing: object | undefined) => Input

interface Operation {
  readonly summary: string
  readonly description: string
}

interface Replaceable<P extends TSchema, I extends TObject, V extends TSchema> {
  readonly config: RouteDeclaration
  readonly tags: readonly string[]
  /** What the operations are called: `putModel` and `updateModel` of a `Model`. */
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
 * The two ways in which every resource is changed: PUT replaces it, and what is left out returns to its default; PATCH changes
 * the fields that are named and no other. Both end in one handler, which asks `wanted` once it has locked what stands, so that
 * two patches never undo each other.
 */
export function replaceable<P extends TSchema, I extends TObject, V extends TSchema>(
  app: App,
  path: string,
  { config, tags, name, put, patch, params, body, view }: Replaceable<P, I, V>,
  handler: (request: ReplaceRequest<P>, reply: FastifyReply, wanted: Wanted<Static<I>>) => Promise<Static<V>>,
) {
  const check = bodyChecker({ schema: body, judgesText: true })
  const settable = Object.keys(body.properties)
  const readOnly = readOnlyFields(body as object as JsonSchema, view as object as JsonSchema)
  const [example] = (body as { examples?: object[] }).examples ?? []
  // One of its fields, as whoever changes it would send.
  const changed = example && { examples: [Object.fromEntries(Object.entries(example).slice(0, 1))] }
  const common = { tags, ...(params && { params }), response: { 200: view } }

  const whole: RouteHandlerMethod = (request, reply) =>
    handler(request as ReplaceRequest<P>, reply, () => request.body as Static<I>)

  const named: RouteHandlerMethod = (request, reply) =>
    handler(request as ReplaceRequest<P>, reply, (standing = {}) => {
      const stands = readOnly ? withoutReadOnly(standing, readOnly) : standing
      const kept = Object.entries(stands).filter(([field]) => settable.includes(field))
      const wanted: unknown = { ...Object.fromEntries(kept), ...(request.body as object) }
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
        body: Type.Partial(body, { minProperties: 1, ...changed }),
      },
    },
    named as never,
  )
}

const isNullable = (schema: TSchema) =>
  'anyOf' in schema && (schema.anyOf as { type?: string }[]).some(({ type }) => type === 'null')

type OrNull<T extends TProperties> = { [K in keyof T]: ReturnType<typeof Nullable<T[K]>> }

/** A singleton as it is read: itself, or null in every field while nothing is set. */
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
    { description: 'null in every field while nothing is set.' },
  )

/** A singleton that is not set. */
export const notSet = <T extends TProperties>(schema: TObject<T>) =>
  Object.fromEntries(Object.keys(schema.properties).map((name) => [name, null])) as unknown as Static<
    ReturnType<typeof OrNotSet<T>>
  >
