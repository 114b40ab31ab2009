import { Type } from 'typebox'
import { protobufType } from './encodings.ts'
import type { SpanFields } from './traces.ts'

/** Open at every level: OTLP obliges receivers to ignore what they do not know. */
const open = { additionalProperties: true }
const maxItems = 20_000

const Span = Type.Unsafe<SpanFields>({
  type: 'object',
  ...open,
  description: 'A span in OTLP’s JSON encoding: ids in hexadecimal, enumerations as integers.',
})

export const TracesBody = Type.Object(
  {
    resourceSpans: Type.Optional(
      Type.Array(
        Type.Object(
          {
            resource: Type.Optional(Type.Unsafe<unknown>({ type: 'object', ...open })),
            scopeSpans: Type.Optional(
              Type.Array(Type.Object({ spans: Type.Optional(Type.Array(Span, { maxItems })) }, open), { maxItems }),
            ),
          },
          open,
        ),
        { maxItems },
      ),
    ),
  },
  { ...open, description: 'An `ExportTraceServiceRequest` of OTLP; fields that are not known here are ignored.' },
)

/** Written by hand in the encoding of the request, so this documents it and nothing is made from it. */
export const TracesAnswer = Type.Unsafe<string | Buffer>({
  description: 'An `ExportTraceServiceResponse` in the encoding of the request.',
  content: {
    'application/json': {
      schema: Type.Object({
        partialSuccess: Type.Optional(
          Type.Object({
            rejectedSpans: Type.String({ description: 'How many model calls were not recorded.', examples: ['1'] }),
            errorMessage: Type.String({ description: 'Why, for the first of them.' }),
          }),
        ),
      }),
    },
    [protobufType]: { schema: Type.String({ format: 'binary' }) },
  },
})
