import { type Static, Type } from 'typebox'
import { Nullable, Timestamp } from '../../contract/wire.ts'
import { protobufType } from './encodings.ts'
import { builtInAttributes, type MappedDimension } from './names.ts'
import type { SpanFields } from './traces.ts'

/** Open at every level: OTLP obliges receivers to ignore unknown fields. */
const open = { additionalProperties: true }
const maxItems = 20_000

const Span = Type.Unsafe<SpanFields>({
  type: 'object',
  ...open,
  description: 'A span in OTLP’s JSON encoding: ids in hexadecimal, enumerations as integers.',
})

const attribute = (key: string, value: object) => ({ key, value })
const traceExample = {
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            {
              traceId: '5b8efff798038103d269b633813fc60c',
              spanId: 'eee19b7ec3c1b174',
              name: 'chat gpt-4o',
              attributes: [
                attribute('gen_ai.operation.name', { stringValue: 'chat' }),
                attribute('gen_ai.request.model', { stringValue: 'gpt-4o' }),
                attribute('gen_ai.usage.input_tokens', { intValue: '1180' }),
                attribute('gen_ai.usage.output_tokens', { intValue: '412' }),
              ],
            },
          ],
        },
      ],
    },
  ],
}

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
  {
    title: 'TracesBody',
    ...open,
    description: 'An `ExportTraceServiceRequest` of OTLP; fields that are not known here are ignored.',
    examples: [traceExample],
  },
)

/** The response is written by hand in the encoding of the request, so this only documents it. */
export const TracesAnswer = Type.Unsafe<string | Buffer>({
  description: 'An `ExportTraceServiceResponse` in the encoding of the request.',
  content: {
    'application/json': {
      schema: Type.Object({
        partialSuccess: Type.Optional(
          Type.Object({
            rejectedSpans: Type.String({
              description: 'How many spans with usage were not recorded.',
              examples: ['1'],
            }),
            errorMessage: Type.String({ description: 'The reasons, for the first of them.' }),
          }),
        ),
      }),
    },
    [protobufType]: { schema: Type.String({ format: 'binary' }) },
  },
})

const maxAttributes = 10

const attributesFor = (dimension: MappedDimension, otherwise: string) =>
  Nullable(
    Type.Array(
      Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f]+$', examples: ['team.id'] }),
      {
        maxItems: maxAttributes,
        uniqueItems: true,
        description: `Attributes that name the ${dimension.replace('_id', '')}, the first that a span or its resource has, after \`weir.${dimension}\`; null: ${otherwise}.`,
        examples: [['team.id']],
      },
    ),
  )

const builtIn = (dimension: MappedDimension) => builtInAttributes[dimension].map((name) => `\`${name}\``).join(', ')

const mappedFields = {
  workflow_id: attributesFor('workflow_id', builtIn('workflow_id')),
  deployment_id: attributesFor('deployment_id', 'the resource’s `service.name`'),
  department_id: attributesFor('department_id', builtIn('department_id')),
  customer_id: attributesFor('customer_id', builtIn('customer_id')),
  user_id: attributesFor('user_id', builtIn('user_id')),
}

export const OtlpMappingInput = Type.Partial(Type.Object(mappedFields), {
  examples: [{ department_id: ['team.id'], customer_id: ['tenant.id'] }],
})
export type OtlpMappingInput = Static<typeof OtlpMappingInput>

export const OtlpMapping = Type.Object(
  {
    ...mappedFields,
    created_at: Nullable({ ...Timestamp, description: 'null while nothing is set.' }),
    updated_at: Nullable(Timestamp),
  },
  { title: 'OtlpMapping', description: 'Which attributes name which dimension.' },
)
export type OtlpMapping = Static<typeof OtlpMapping>
