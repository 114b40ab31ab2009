import fastJson from 'fast-json-stringify'
import { type App, isPressing } from './routes.ts'
import { jsonSchemaOf } from './strict-schema.ts'

type Serializer = (value: unknown) => string

/** Serializers by the schema of a response, as far as they have been used. */
const compiled = new WeakMap<object, Serializer>()

function serializerOf(schema: object): Serializer {
  let serializer = compiled.get(schema)
  if (!serializer) compiled.set(schema, (serializer = fastJson(schema)))
  return serializer
}

/**
 * Compiles the serializer of a response when it is first sent. To compile all of them would be half of a start, and most processes never
 * send most of them. Those of pressing routes are ready at the start.
 */
export function serializeResponses(app: App) {
  app.setSerializerCompiler(({ schema }) => {
    const plain = jsonSchemaOf(schema)
    return (value) => serializerOf(plain)(value)
  })
  app.addHook('onRoute', (options) => {
    if (isPressing(options.config)) options.serializerCompiler = ({ schema }) => serializerOf(jsonSchemaOf(schema))
  })
}
